import InjectleTestSupport
import Testing

@testable import Injectle

// Not private: the runtime does not tell whether a type conforms to a private protocol.
protocol Networking: Sendable {}
protocol Transport: Sendable {}
protocol Caching: Sendable {}

private final class LiveNet: Networking, Transport, Caching { init(_ opened: Counter) { opened.increment() } }
private struct MockNet: Networking {}
private struct MockTransport: Transport {}
private struct MockBoth: Networking, Transport {}

/// An override of one identity of a registration in a copy replaces the registration under all of its identities.
@Suite struct OverriddenIdentityTests {
    private let opened = Counter()
    private let app = Locator("app")

    /// A copy of a locator with one service under three identities.
    private func copy() -> Locator {
        let opened = opened
        app.register(
            .lazy { LiveNet(opened) }.as((any Networking).self).as((any Transport).self).as(
                (any Caching).self,
                key: "cache"
            ).atStart()
        )
        return Locator(copying: app, "mocks")
    }

    @Test func `Nothing of the former service is left`() async throws {
        let copy = copy()
        copy.register(.eager(MockNet()).as((any Networking).self))
        #expect(try copy.resolveOptional((any Caching).self, key: "cache") == nil)
        #expect(thrown { try copy.resolve((any Transport).self) } == .missing)
        try await copy.start()
        #expect(opened.value == 0)
        #expect(try app.resolve((any Transport).self) is LiveNet)
    }

    @Test func `The error names the override`() throws {
        let copy = copy()
        copy.register(.eager(MockNet()).as((any Networking).self))
        let error = try #require(thrown { try copy.resolve((any Transport).self) })
        #expect(error == .missing)
        #expect(
            error.description.contains(
                "note          the override of any InjectleTests.Networking in InjectleTests/OverriddenIdentityTests.swift"
            )
        )
    }

    @Test func `The new service is found under the identities that it is of`() throws {
        let copy = copy()
        copy.register(.lazy { MockBoth() }.as((any Networking).self))
        #expect(try copy.resolve((any Transport).self) is MockBoth)
        #expect(try copy.resolveOptional((any Caching).self, key: "cache") == nil)
    }

    @Test func `A service of a protocol is found under those that the instance is of`() throws {
        let copy = copy()
        copy.register(.lazy { MockBoth() as any Networking })
        #expect(try copy.resolve((any Transport).self) is MockBoth)
        let error = try #require(thrown { try copy.resolve((any Caching).self, key: "cache") })
        #expect(error == .wrongType)
        #expect(error.description.contains("the override of any InjectleTests.Networking"))
    }

    @Test func `A decorated registration is replaced, too`() throws {
        let opened = opened
        app.register(.lazy { LiveNet(opened) }.as((any Networking).self).as((any Transport).self))
        app.decorate((any Transport).self) { $0 }
        let copy = Locator(copying: app)
        copy.register(.lazy { MockNet() }.as((any Networking).self))
        #expect(thrown { try copy.resolve((any Transport).self) } == .missing)
        let other = Locator(copying: app)
        other.register(.lazy { MockBoth() }.as((any Transport).self))
        #expect(try other.resolve((any Networking).self) is MockBoth)
        #expect(opened.value == 0)
    }

    @Test func `An element of a list is replaced, too`() throws {
        let opened = opened
        app.register(
            .lazy { LiveNet(opened) }.as((any Networking).self).contributing(to: (any Transport).self)
                .contributing(to: (any Caching).self)
        )
        let copy = Locator(copying: app)
        copy.register(.lazy { MockBoth() }.as((any Networking).self))
        #expect(try copy.resolveAll((any Transport).self).map { $0 is MockBoth } == [true])
        #expect(try copy.resolveAll((any Caching).self).isEmpty)
        #expect(opened.value == 0)
    }

    @Test func `A final registration is left under all identities`() throws {
        let opened = opened
        app.register(.lazy { LiveNet(opened) }.as((any Networking).self).as((any Transport).self).final())
        let copy = Locator(copying: app)
        #expect(
            thrown {
                try copy.register(.lazy { MockNet() }.as((any Networking).self), and: { (_, _) throws -> Void in })
            }
                == .forbiddenReassignment
        )
        #expect(try copy.resolve((any Transport).self) is LiveNet)
    }

    @Test(arguments: [false, true])
    func `Overrides of two identities stand beside each other`(isReversed: Bool) throws {
        var copy = copy()
        let overrides: [(Locator) -> Void] = [
            { $0.register(.lazy { MockNet() as any Networking }) },
            { $0.register(.lazy { MockTransport() as any Transport }) },
        ]
        for override in isReversed ? overrides.reversed() : overrides {
            override(copy)
            copy = Locator(copying: copy)
        }
        #expect(try copy.resolve((any Networking).self) is MockNet)
        #expect(try copy.resolve((any Transport).self) is MockTransport)
        #expect(opened.value == 0)
    }

    @Test func `A key that describes itself by the locator is described without a lock`() throws {
        let described = Guarded<Locator?>(nil)
        struct Reading: Hashable, CustomStringConvertible {
            let locator: Guarded<Locator?>
            static func == (left: Reading, right: Reading) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
            var description: String { "\(locator.value?.isRegistered(Int.self) ?? false)" }
        }
        let (key, opened) = (Reading(locator: described), opened)
        app.register(.lazy { LiveNet(opened) }.as((any Networking).self, key: key).as((any Transport).self))
        let copy = Locator(copying: app)
        described.withLock { $0 = copy }
        copy.register(.lazy { MockNet() }.as((any Networking).self, key: key))
        #expect(thrown { try copy.resolve((any Transport).self) } == .missing)
        described.withLock { $0 = nil }
    }

    @Test func `Keys are compared without a lock where an override replaces an override`() throws {
        let compared = Guarded<Locator?>(nil)
        struct Comparing: Hashable {
            let name: String
            let locator: Guarded<Locator?>
            static func == (left: Comparing, right: Comparing) -> Bool {
                _ = left.locator.value?.mainActorTimeout
                return left.name == right.name
            }
            func hash(into hasher: inout Hasher) {}
        }
        // The override gets two of them, which are compared with the one of the next override.
        let keys = (1...3).map { Comparing(name: "\($0)", locator: compared) }
        let opened = opened
        let live = Locator.Registration.lazy { LiveNet(opened) }
        app.register(keys.reduce(live) { $0.as((any Networking).self, key: $1) })
        let copy = Locator(copying: app)
        copy.register(.lazy { MockBoth() }.as((any Networking).self, key: keys[0]))
        let other = Locator(copying: copy)
        compared.withLock { $0 = other }
        other.register(.lazy { MockBoth() }.as((any Networking).self, key: keys[2]))
        compared.withLock { $0 = nil }
        #expect(other.registrations.count == 3)
    }

    @Test func `What is registered only if absent overrides nothing`() throws {
        app.register(.lazy { MockBoth() }.as((any Networking).self).asSelf())
        let copy = Locator(copying: app)
        #expect(copy.registerIfAbsent(.volatile { (_, number: Int) in MockBoth() }) == nil)
        #expect(try copy.resolve((any Networking).self) is MockBoth)
    }

    @Test func `A registration of the same locator replaces one identity alone`() throws {
        let opened = opened
        app.register(.lazy { LiveNet(opened) }.as((any Networking).self).as((any Transport).self))
        app.register(.lazy { MockNet() }.as((any Networking).self))
        #expect(try app.resolve((any Transport).self) is LiveNet)
    }
}
