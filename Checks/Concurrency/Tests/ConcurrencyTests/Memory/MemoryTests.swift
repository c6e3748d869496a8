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

private struct ScopeLifetime: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

/// Instances are freed when their registration is removed or the last handle is released.
@Suite struct MemoryTests {
    private let log = Tracked.Log()

    enum Ending: CaseIterable { case replaced, unregistered, reset, removed, released }
    enum Kind: CaseIterable { case eager, lazy, factory, perLocator, perNamedLocator, perArgument, scope }

    @Test(arguments: Kind.allCases, Ending.allCases)
    func `Every removal frees the instance of every lifetime`(kind: Kind, when ending: Ending) throws {
        let scope = Locator.Scope()
        var locator: Locator? = Locator("app")
        let handle = locator?.register(registration(kind, scope))
        for number in 1...2 {
            for _ in 0..<2 { _ = try locator?.resolve(Stamp.self, arguments: number) }
        }
        #expect(log.alive == (kind == .perArgument ? 2 : 1))
        switch ending {
        case .replaced: locator?.register(.volatile { Stamp(Tracked.Log()) })
        case .unregistered: locator?.unregisterService(Stamp.self)
        case .reset: locator?.reset()
        case .removed: handle?.remove()
        case .released: locator = nil
        }
        #expect(log.alive == 0)
        withExtendedLifetime(scope) {}
    }

    private func registration(_ kind: Kind, _ scope: Locator.Scope) -> Locator.Registration<Stamp> {
        let lazy = Locator.Registration<Stamp>.lazy { [log] in Stamp(log) }
        return switch kind {
        case .eager: .eager(Stamp(log))
        case .lazy: lazy
        case .factory: .factory(Stamp(log))
        case .perLocator: lazy.lifetime(.perLocator)
        case .perNamedLocator: lazy.lifetime(.perLocator(named: "app"))
        case .perArgument: lazy.lifetime(.perArgument)
        case .scope: lazy.lifetime(ScopeLifetime(scope: scope))
        }
    }

    @Test(arguments: [Locator.Lifetime.perLocator, .perLocator(named: "session")], [false, true])
    func `Removing the registration frees the instances of children`(lifetime: Locator.Lifetime, isReset: Bool) throws {
        let locator = Locator()
        let sessions = (0..<2).map { _ in locator.child("session") }
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(lifetime))
        for session in sessions { _ = try session.resolve(Tracked.self) }
        #expect(log.alive == 2)
        if isReset { locator.reset() } else { locator.unregister(Tracked.self) }
        #expect(log.alive == 0)
        withExtendedLifetime(sessions) {}
    }

    @Test func `A locator with instances that refer to it is freed`() throws {
        let log = log
        var locator: Locator? = Locator()
        let weakly = { [weak locator] in locator }
        locator?.register(.lazy { Node(log) })
        locator?.register(.volatile { Tracked(log) }, key: "other")
        let node = try locator?.resolve(Node.self)
        for _ in 0..<3 {
            #expect(node?.own() === node)
            #expect(node?.other() != nil)
        }
        locator = nil
        #expect(weakly() == nil)
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

    @Test(arguments: [Locator.Lifetime.volatile, .weak], Successor.allCases)
    func `A property frees its instance once the registration is gone`(
        lifetime: Locator.Lifetime,
        successor: Successor
    ) {
        let locator = Locator()
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(lifetime))
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

    @Test(arguments: [Locator.Lifetime.volatile, .weak])
    func `A property of a child frees its instance for the parent's`(lifetime: Locator.Lifetime) {
        let (locator, other) = (Locator(), Tracked.Log())
        let child = locator.child()
        let property = Locator.$shared.withValue(child) { Inject<Tracked>() }
        child.register(.lazy { [log] in Tracked(log) }.lifetime(lifetime))
        _ = property()
        locator.register(.lazy { Tracked(other) })
        child.unregisterService(Tracked.self)
        _ = property()
        #expect(log.alive == 0 && other.alive == 1)
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
