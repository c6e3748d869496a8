import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Engine: Sendable {}

private final class Page: NSObject, NSCopying {
    func copy(with zone: NSZone? = nil) -> Any { Page() }
}

/// Calls to a locator that closes or is closed.
@Suite struct ClosedLocatorTests {
    private let locator = Locator("shut")
    private let callLog = CallLog()

    // MARK: During close

    @Test func `An async disposer can resolve existing instances`() async throws {
        locator.register(
            .lazy(.anywhere) {
                await Task.yield()
                return Engine()
            }
        )
        let engine = try await locator.resolveAsync(Engine.self)
        let found = Guarded(false)
        locator.register(
            .eager(1.0).onDispose { [weak locator] _ in
                let same = try await locator?.resolveAsync(Engine.self) === engine
                found.withLock { $0 = same }
            }
        )
        #expect(await locator.close().isEmpty)
        #expect(found.value)
    }

    @Test func `A closing locator creates no cached instances`() async throws {
        let created = Counter()
        @Sendable func make() -> Int { created.increment() }
        locator.register(.lazy(.anywhere) { make() }, key: "lazy")
        locator.register(.lazy(.anywhere) { make() }.lifetime(.perLocator), key: "perLocator")
        locator.register(.lazy(.anywhere) { make() }.lifetime(.perArgument), key: "perArgument")
        locator.register(
            .lazy(.anywhere) {
                await Task.yield()
                return make()
            },
            key: "async"
        )
        locator.register(.factory(Page()))
        let keys = ["lazy", "perLocator", "perArgument"]
        let codes = Guarded<[String: InjectleError]>([:])
        locator.register(
            .eager(true).onDispose { [weak locator] _ in
                let locator = try #require(locator)
                var all: [String: InjectleError] = [:]
                for key in keys {
                    all[key] = thrown { try locator.resolve(Int.self, key: key) }
                    all["optional \(key)"] = thrown { try locator.resolveOptional(Int.self, key: key) }
                }
                for key in keys + ["async"] {
                    all["await \(key)"] = await thrown { try await locator.resolveAsync(Int.self, key: key) }
                }
                all["copy"] = thrown { try locator.resolve(Page.self) }
                all["child"] = thrown { try locator.child().resolve(Int.self, key: "lazy") }
                codes.withLock { [all] in $0 = all }
            }
        )
        await locator.close()
        #expect(codes.value.count == keys.count * 3 + 3)
        for (name, code) in codes.value { #expect(code == .locatorClosed, "\(name)") }
        #expect(created.value == 0)
    }

    @Test func `A closing locator creates uncached instances for disposers only`() async throws {
        let created = Counter()
        @Sendable func make() -> Int { created.increment() }
        locator.register(.volatile(.anywhere) { make() }, key: "volatile")
        locator.register(.lazy(.anywhere) { make() }.lifetime(.graph), key: "graph")
        locator.register(
            .volatile(.anywhere) {
                await Task.yield()
                return make()
            },
            key: "async volatile"
        )
        let child = locator.child()
        locator.register(
            .eager(true).onDispose { [weak locator] _ in
                let locator = try #require(locator)
                _ = try locator.resolve(Int.self, key: "volatile")
                _ = try locator.resolve(Int.self, key: "graph")
                _ = try await locator.resolveAsync(Int.self, key: "async volatile")
            }
        )
        #expect(await locator.close().isEmpty)
        #expect(created.value == 3)
        for closed in [locator, child] {
            for key in ["volatile", "graph"] {
                #expect(throws: InjectleError.self) { try closed.resolve(Int.self, key: key) }
            }
        }
        #expect(created.value == 3)
    }

    @Test func `The error of a closing locator states that it closes`() async throws {
        let text = Guarded("")
        locator.register(.lazy(.anywhere) { Engine() })
        locator.register(
            .eager(1).onDispose { [weak locator] _ in
                let error = thrown { try locator?.resolve(Engine.self) }
                text.withLock { $0 = error?.description ?? "" }
            }
        )
        await locator.close()
        #expect(text.value.contains("Engine was requested from the locator \"shut\", which is being closed"))
        #expect(text.value.contains("ClosedLocatorTests.swift"))
    }

    @Test func `A registration made by a disposer is disposed at once`() async throws {
        locator.register(
            .eager(1).onDispose { [weak locator, callLog] _ in
                locator?.register(.eager(LoggedService("late", callLog)).onDispose { $0.close() })
            }
        )
        await locator.close()
        #expect(callLog.drain() == ["+late", "-late"])
        #expect(!locator.isRegistered(LoggedService.self))
    }

    // MARK: Afterwards

    @Test func `A closed locator refuses every call`() async throws {
        locator.register(.lazy(.anywhere) { Engine() })
        locator.register(.eager(1), key: "key")
        locator.register(.volatile(.anywhere) { "volatile" })
        locator.register(.eager(1.5).contributing(to: Double.self))
        let resolver = Guarded<Locator.Resolver?>(nil)
        locator.register(
            .lazy(.anywhere) { locator in
                resolver.withLock { $0 = locator }
                return true
            }
        )
        _ = try locator.resolve(Engine.self)
        _ = try locator.resolve(Bool.self)
        await locator.close()
        let error = thrown { try locator.resolve(Engine.self) }
        #expect(error == .locatorClosed)
        let text = try #require(error).description
        #expect(text.contains("Engine was requested from the locator \"shut\", which is closed"))
        #expect(text.contains("close()"))
        #expect(text.contains("ClosedLocatorTests.swift"))
        let closed = InjectleError.locatorClosed
        #expect(thrown { try locator.resolve(Int.self, key: "key") } == closed)
        #expect(thrown { try locator.resolve(String.self) } == closed)
        #expect(thrown { try locator.resolve(Character.self) } == closed)
        #expect(thrown { try locator.resolve(Engine.self, arguments: 1) } == closed)
        #expect(thrown { try locator.resolveOptional(Engine.self) } == closed)
        #expect(thrown { try locator.resolveOptional(Int.self, key: "key") } == closed)
        #expect(thrown { try locator.resolve(Engine?.self) } == closed)
        #expect(thrown { try locator.resolveAll(Double.self) } == closed)
        #expect(await thrown { try await locator.resolveAsync(Engine.self) } == closed)
        #expect(await thrown { try await locator.resolveOptionalAsync(Engine.self) } == closed)
        #expect(await thrown { try await locator.resolveAllAsync(Double.self) } == closed)
        #expect(await thrown { try await locator.start() } == closed)
        let kept = try #require(resolver.value)
        #expect(thrown { try kept.resolve(Engine.self) } == closed)
        #expect(thrown { try kept.resolveOptional(Engine.self) } == closed)
        #expect(await thrown { try await kept.resolveAsync(Engine.self) } == closed)
        #expect(!kept.isValid)
    }

    @Test func `A closed locator refuses registrations`() async throws {
        await locator.close()
        locator.register(.eager(LoggedService("a", callLog)).onDispose { $0.close() })
        locator.decorate(LoggedService.self) { $0 }
        let refusal = thrown {
            try locator.register(.eager(LoggedService("b", callLog)), key: "b", and: forbidReassignment)
        }
        #expect(refusal == .locatorClosed)
        #expect(refusal?.description.contains("cannot be registered in the locator \"shut\", which is closed") == true)
        #expect(locator.registrations.isEmpty)
        #expect(!locator.isRegistered(LoggedService.self))
        #expect(thrown { try locator.resolve(LoggedService.self) } == .locatorClosed)
        #expect(callLog.drain() == ["+a", "+b"])
    }

    @Test func `A refused registration with a typed check does not trap`() async throws {
        struct Mine: Error {}
        func check(_ locator: Locator, _ key: AnyHashable) throws(Mine) {}
        await locator.close()
        try locator.register(.eager(1), and: check)
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A closed locator refuses modules`() async throws {
        struct Numbers: Locator.Module {
            func register(in locator: Locator) { Issue.record("A module registers in a closed locator.") }
        }
        await locator.close()
        let refusal = thrown { try locator.apply(Numbers()) }
        #expect(refusal == .locatorClosed)
        #expect(refusal?.description.contains("Numbers cannot be applied to the locator \"shut\"") == true)
        try locator.apply([])
    }

    @Test func `close closes all descendants`() async throws {
        let child = locator.child()
        let grandchild = child.child { $0.register(.eager(1)) }
        await locator.close()
        let late = child.child { $0.register(.eager(1)) }
        for locator in [child, grandchild, late] {
            #expect(thrown { try locator.resolve(Int.self) } == .locatorClosed)
            #expect(await locator.close().isEmpty)
        }
    }

    @Test func `A value with a hook that is registered after the close is a warning`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let locator = Locator("app")
            await locator.close()
            locator.register(.eager(7))
            locator.register(.lazy { "" }.onDispose { _ in })
            locator.register(.eager(1.5).onDispose { _ in })
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.hasPrefix("warning: Double is registered in the locator \"app\", which has ended: it is ignored"))
        #expect(text.split(separator: "\n").count == 3)
    }
}
