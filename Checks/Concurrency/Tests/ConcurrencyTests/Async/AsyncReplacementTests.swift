import Injectle
import InjectleTestSupport
import Testing

private final class Network: Sendable {}

/// An async registration that replaces one whose instance properties read.
@Suite struct AsyncReplacementTests {
    private static func text(of result: ExitTest.Result?) -> String {
        result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    }

    @Test func `register warns where the replaced instance exists`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let locator = Locator("app")
            locator.register(.lazy { Network() })
            _ = try locator.resolve(Network.self)
            locator.register(.lazy { () async in Network() })
            // The fix of the warning.
            let new = try await locator.resolveAsync(Network.self)
            #expect(Locator.$shared.withValue(locator) { Inject<Network>() }() === new)
        }
        let text = Self.text(of: result)
        #expect(text.contains("Network now requires async creation: until it exists, `resolve` throws"))
        #expect(text.contains("a registration in ConcurrencyTests/AsyncReplacementTests.swift:"))
        #expect(text.contains("try await locator.resolveAsync(ConcurrencyTests.Network.self)"))
    }

    @Test func `register warns where the replaced instance is async, too, and not of a value that is created first`()
        async
    {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            func open() async throws -> Network { Network() }
            let locator = Locator("app")
            locator.register(.lazy { try await open() })
            try await locator.start()
            locator.register(.lazy { try await open() })
            #expect(throws: InjectleError.requiresAsync) { try locator.resolve(Network.self) }
            try await locator.start()
            // The fix of the warning.
            locator.register(.eager(try await open()))
            _ = try locator.resolve(Network.self)
        }
        let text = Self.text(of: result)
        #expect(text.ranges(of: "warning: ").count == 1, "\(text)")
        #expect(text.contains("locator.register(.eager(try await …))"))
    }

    @Test func `register does not warn where nothing has read the replaced service`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let locator = Locator("app")
            locator.register(.lazy { Network() })
            locator.register(.lazy { () async in Network() })
            locator.register(.lazy { () async in Network() })
            _ = try await locator.resolveAsync(Network.self)
            locator.register(.lazy { Network() })
        }
        #expect(!Self.text(of: result).contains("warning"))
    }

    @Test func `register warns where a child hides the instance of its parent`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let locator = Locator("app")
            locator.register(.lazy { Network() })
            let old = try locator.resolve(Network.self)
            let child = locator.child("session")
            let property = Locator.$shared.withValue(child) { Inject<Network>() }
            #expect(property() === old)
            child.register(.lazy { () async in Network() })
            // The fix of the warning.
            let new = try await child.resolveAsync(Network.self)
            #expect(property() === new)
        }
        let text = Self.text(of: result)
        #expect(text.contains("Network now requires async creation: until it exists, `resolve` throws"))
        #expect(text.contains("hidden      a registration in ConcurrencyTests/AsyncReplacementTests"))
    }

    @Test func `register does not warn in a new child, or where its parent has no instance`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let locator = Locator("app")
            locator.register(.lazy { Network() })
            locator.child("session").register(.lazy { () async in Network() })
            _ = try locator.resolve(Network.self)
            _ = locator.child("session") { $0.register(.lazy { () async in Network() }) }
        }
        #expect(!Self.text(of: result).contains("warning"))
    }
}
