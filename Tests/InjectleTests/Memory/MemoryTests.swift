import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Holder: Sendable {
    let tracked = Inject<Tracked>()
}

/// Refers to its locator through properties.
private final class Node: Sendable {
    let tracked: Tracked
    let own = Inject<Node>()
    let other = Inject<Tracked>("other")

    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

private final class Stamp: NSCopying, Sendable {
    let tracked: Tracked
    let log: Tracked.Log

    init(_ log: Tracked.Log) {
        self.log = log
        tracked = Tracked(log)
    }

    func copy(with zone: NSZone? = nil) -> Any { Stamp(log) }
}

/// Instances are freed when their registration is removed or the last handle is released.
@Suite struct MemoryTests {
    private let log = Tracked.Log()

    enum Ending: CaseIterable { case replaced, unregistered, reset, removed }
    enum Kind: CaseIterable { case eager, lazy, factory }

    @Test(arguments: Kind.allCases, Ending.allCases)
    func `Every removal frees the instance of every lifetime`(kind: Kind, when ending: Ending) throws {
        let locator = Locator()
        let log = log
        let handle: Locator.RegistrationHandle
        switch kind {
        case .eager: handle = locator.register(.eager(Stamp(log)))
        case .lazy: handle = locator.register(.lazy { Stamp(log) })
        case .factory: handle = locator.register(.factory(Stamp(log)))
        }
        for _ in 0..<3 { _ = try locator.resolve(Stamp.self) }
        #expect(log.alive == 1)
        switch ending {
        case .replaced: locator.register(.volatile { Stamp(Tracked.Log()) })
        case .unregistered: locator.unregisterService(Stamp.self)
        case .reset: locator.reset()
        case .removed: handle.remove()
        }
        #expect(log.alive == 0)
    }

    @Test func `A service with several identities is freed with the last`() throws {
        let locator = Locator()
        let log = log
        locator.register(.lazy { Tracked(log) }.asSelf().asSelf(key: "key"))
        _ = try locator.resolve(Tracked.self, key: "key")
        locator.unregisterService(Tracked.self)
        #expect(log.alive == 1)
        _ = try locator.resolve(Tracked.self, key: "key")
        #expect(log.created == 1)
        locator.unregisterService(withKey: "key")
        #expect(log.alive == 0)
    }

    @Test func `A service found by key alone is freed`() throws {
        let locator = Locator()
        let log = log
        locator.register(.lazy { Tracked(log) }, key: "key")
        _ = try locator.resolve((any Sendable).self, key: "key")
        _ = try locator.resolve((any Sendable).self, key: "key")
        #expect(log.alive == 1)
        locator.unregisterService(withKey: "key")
        #expect(log.alive == 0)
    }

    @Test func `Releasing the last handle frees all instances`() throws {
        let log = log
        var locator: Locator? = Locator()
        locator?.register(.lazy { Tracked(log) })
        locator?.register(.eager(Tracked(log)), key: "given")
        _ = try locator?.resolve(Tracked.self)
        #expect(log.alive == 2)
        locator = nil
        #expect(log.alive == 0)
    }

    @Test func `A locator with instances that refer to it is freed`() throws {
        let log = log
        var locator: Locator? = Locator()
        weak let weakly = locator
        locator?.register(.lazy { Node(log) })
        locator?.register(.volatile { Tracked(log) }, key: "other")
        let node = try locator?.resolve(Node.self)
        for _ in 0..<3 {
            #expect(node?.own() === node)
            #expect(node?.other() != nil)
        }
        locator = nil
        #expect(weakly == nil)
    }

    @Test func `An instance of a released locator is freed by its owner`() throws {
        let log = log
        func make() throws -> Node {
            let locator = Locator()
            locator.register(.lazy { Node(log) })
            let node = try locator.resolve(Node.self)
            for _ in 0..<3 { _ = node.own() }
            return node
        }
        weak var weakly: Node?
        do {
            let node = try make()
            weakly = node
            #expect(log.alive == 1)
        }
        #expect(weakly == nil)
        #expect(log.alive == 0)
    }

    @Test func `A property of a released locator traps with its name`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            func make() throws -> Node {
                let locator = Locator("short-lived")
                locator.register(.lazy { Node(Tracked.Log()) })
                return try locator.resolve(Node.self)
            }
            _ = try make().own()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("the locator \"short-lived\", which has been released"))
    }

    @Test func `Captures of a lazy closure are freed with its registration`() throws {
        let locator = Locator()
        var captured: Tracked? = Tracked(log)
        locator.register(.lazy { [captured] in captured.map { _ in 7 } ?? 0 })
        captured = nil
        #expect(log.alive == 1)
        #expect(try locator.resolve(Int.self) == 7)
        locator.unregisterService(Int.self)
        #expect(log.alive == 0)
    }

    @Test func `A thousand released owners leave nothing behind`() throws {
        let locator = Locator()
        let log = log
        let shared = Tracked(Tracked.Log())
        locator.register(.volatile { Tracked(log) })
        locator.register(.eager(shared), key: "shared")
        Locator.$shared.withValue(locator) {
            for _ in 0..<1_000 {
                let holder = Holder()
                for _ in 0..<3 { _ = holder.tracked() }
            }
        }
        #expect(log.created == 1_000)
        #expect(log.alive == 0)
        #expect(locator.registrations.count == 2)
    }

    @Test func `A property does not retain a replaced shared instance`() throws {
        let locator = Locator()
        let log = log
        locator.register(.lazy { Tracked(log) })
        let holder = Locator.$shared.withValue(locator) { Holder() }
        for _ in 0..<3 { _ = holder.tracked() }
        locator.register(.lazy { Tracked(Tracked.Log()) })
        // The property was not read since.
        #expect(log.alive == 0)
    }

    enum Successor: CaseIterable { case nothing, lazy, volatile }

    @Test(arguments: Successor.allCases)
    func `A property frees its instance once the registration is gone`(successor: Successor) {
        let locator = Locator()
        let log = log
        locator.register(.volatile { Tracked(log) })
        let property = Locator.$shared.withValue(locator) { Optject<Tracked>() }
        _ = property()
        #expect(log.alive == 1)
        switch successor {
        case .nothing: locator.reset()
        case .lazy: locator.register(.lazy { Tracked(Tracked.Log()) })
        case .volatile: locator.register(.volatile { Tracked(Tracked.Log()) })
        }
        #expect((property() == nil) == (successor == .nothing))
        #expect(log.alive == 0)
    }

    @Test func `A property of a child frees its instance for a shared one of the parent`() {
        let locator = Locator()
        let child = locator.child()
        let holder = Locator.$shared.withValue(child) { Holder() }
        locator.register(.volatile { [log] in Tracked(log) })
        _ = holder.tracked()
        #expect(log.alive == 1)
        let other = Tracked.Log()
        locator.register(.lazy { Tracked(other) })
        _ = holder.tracked()
        #expect(log.alive == 0)
    }

    @Test func `A property frees its instance for a perLocator instance`() throws {
        let locator = Locator()
        let log = log
        locator.register(.volatile { Tracked(log) })
        let holder = Locator.$shared.withValue(locator) { Holder() }
        for _ in 0..<2 { _ = holder.tracked() }
        #expect(log.alive == 1)
        let successor = Tracked.Log()
        locator.register(.lazy { Tracked(successor) }.lifetime(.perLocator))
        // Resolved often enough to enter the read path.
        for _ in 0..<3 { _ = try locator.resolve(Tracked.self) }
        #expect(try holder.tracked() === locator.resolve(Tracked.self))
        #expect(log.alive == 0)
        #expect(successor.created == 1)
    }

    @Test func `A failed creation leaves nothing behind`() {
        struct Failure: Error {}
        let locator = Locator()
        let log = log
        locator.register(.lazy { Tracked(log) }.afterInit { _, _ in throw Failure() })
        for _ in 0..<3 { #expect(throws: InjectleError.self) { try locator.resolve(Tracked.self) } }
        #expect(log.created == 3)
        #expect(log.alive == 0)
    }

    @Test func `Releasing a child frees its instances`() throws {
        var parent: Locator? = Locator()
        parent?.register(.eager(Tracked(log)))
        for _ in 0..<3 {
            let child = parent?.child("request") { child in
                child.register(.eager(Tracked(log)), key: "own")
                child.register(.lazy { [log] in [Tracked(log)] })
            }
            #expect(try child?.resolve(Tracked.self, key: "own") !== child?.resolve(Tracked.self))
            #expect(try child?.resolve([Tracked].self).count == 1)
            #expect(log.alive == 3)
        }
        #expect(log.alive == 1)
        parent = nil
        #expect(log.alive == 0)
    }

    @Test func `An unused registration is freed`() {
        do {
            let tracked = Tracked(log)
            let registration = Locator.Registration<Int>.lazy { withExtendedLifetime(tracked) { 1 } }
            let locator = Locator()
            locator.register(registration)
            locator.register(registration.as(Int.self, key: "other"))
            #expect(log.alive == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func `Thousands of registrations are found and freed`() throws {
        let locator = Locator()
        let count = 5_000
        for number in 0..<count { locator.register(.eager((number, Tracked(log))), key: number) }
        for number in 0..<count { #expect(try locator.resolve((Int, Tracked).self, key: number).0 == number) }
        for number in 0..<count where number % 2 == 0 { locator.unregisterService(withKey: number) }
        #expect(log.alive == count / 2)
        for number in 0..<count {
            let isThere = try locator.resolveOptional((Int, Tracked).self, key: number) != nil
            #expect(isThere == (number % 2 == 1))
        }
        locator.reset()
        #expect(log.alive == 0)
    }

    @Test func `An optional Inject property frees its instance after a reset`() {
        let locator = Locator()
        let log = log
        locator.register(.volatile { Tracked(log) })
        let property = Locator.$shared.withValue(locator) { Inject<Tracked?>() }
        #expect(property() != nil)
        #expect(log.alive == 1)
        locator.reset()
        #expect(property() == nil)
        #expect(log.alive == 0)
    }

    @Test func `An Injected property does not retain its registration`() {
        let locator = Locator()
        let log = log
        do {
            let captured = Tracked(log)
            locator.register(.volatile { withExtendedLifetime(captured) { [1] } })
        }
        let property = Locator.$shared.withValue(locator) { Injected<[Int]>(resolve: .lazy) }
        #expect(property() == [1])
        locator.reset()
        #expect(log.alive == 0)
        #expect(property() == [1])
    }

    @Test func `A key in a resolve is not retained`() throws {
        let locator = Locator()
        locator.register(.eager(1), key: Ticket(number: 1, tracked: nil))
        locator.register(.lazy { "text" }, key: Ticket(number: 2, tracked: nil))
        for _ in 0..<3 {
            #expect(try locator.resolve(Int.self, key: Ticket(number: 1, tracked: Tracked(log))) == 1)
            // Resolves by key alone.
            #expect(
                try locator.resolve((any StringProtocol).self, key: Ticket(number: 2, tracked: Tracked(log))) is String
            )
        }
        #expect(log.created == 6)
        #expect(log.alive == 0)
    }

    /// A key that refers to an object its equality ignores.
    private struct Ticket: Hashable {
        let number: Int
        let tracked: Tracked?
        static func == (left: Ticket, right: Ticket) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
}
