import Foundation
import Injectle
import InjectleTestSupport
import Testing

private protocol Store: AnyObject, Sendable {}

private final class Account: Store {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

private final class Prototype: NSCopying, Sendable {
    let generation: Int
    let tracked: Tracked?

    init(_ generation: Int, _ tracked: Tracked? = nil) {
        self.generation = generation
        self.tracked = tracked
    }

    func copy(with zone: NSZone? = nil) -> Any { Prototype(generation) }
}

/// Releasing an instance without removing its registration.
@Suite struct ResetInstanceTests {
    private let locator = Locator("reset instance", mainActorTimeout: .seconds(600))
    private let log = Tracked.Log()

    @Test func `A lazy service is created again`() throws {
        locator.register(.lazy { [log] in Account(log) })
        for count in 1...3 {
            _ = try locator.resolve(Account.self)
            _ = try locator.resolve(Account.self)
            #expect(log.created == count)
            #expect(log.alive == 1)
            try locator.resetInstance(of: Account.self)
            #expect(log.alive == 0)
        }
    }

    @Test func `Inject follows a reset and Injected keeps its instance`() throws {
        locator.register(.lazy { [log] in Account(log) })
        let (followed, kept) = Locator.$shared.withValue(locator) {
            (Inject<Account>(), Injected<Account>(resolve: .lazy))
        }
        let old = followed()
        #expect(kept() === old)
        for _ in 0..<3 { #expect(followed() === old) }
        try locator.resetInstance(of: Account.self)
        let new = followed()
        #expect(new !== old)
        for _ in 0..<3 { #expect(followed() === new) }
        #expect(try locator.resolve(Account.self) === new)
        // An Injected property keeps its first instance.
        #expect(kept() === old)
    }

    @Test func `All identities return the new instance`() throws {
        locator.register(
            .lazy { [log] in Account(log) }.as((any Store).self).asSelf().asSelf(key: "key")
        )
        let property = Locator.$shared.withValue(locator) { Inject<any Store>() }
        let old = try locator.resolve(Account.self, key: "key")
        #expect(property() === old)
        #expect(try locator.resolve(Account.self) === old)
        // Resolves by key alone.
        #expect(try locator.resolve((any Sendable).self, key: "key") as? Account === old)
        try locator.resetInstance(of: (any Store).self)
        let new = property()
        #expect(new !== old)
        #expect(try locator.resolve((any Store).self) === new)
        #expect(try locator.resolve(Account.self) === new)
        #expect(try locator.resolve(Account.self, key: "key") === new)
        #expect(try locator.resolve((any Sendable).self, key: "key") as? Account === new)
        #expect(log.created == 2)
    }

    @Test func `A key selects the instance to reset`() throws {
        for key in ["a", "b"] { locator.register(.lazy { [log] in Account(log) }, key: key) }
        let (a, b) = (try locator.resolve(Account.self, key: "a"), try locator.resolve(Account.self, key: "b"))
        try locator.resetInstance(of: Account.self, key: "a")
        #expect(try locator.resolve(Account.self, key: "a") !== a)
        #expect(try locator.resolve(Account.self, key: "b") === b)
    }

    @Test func `A key alone selects none where the identity is registered for other arguments`() throws {
        locator.register(.lazy { [log] in Account(log) }.as((any Store).self, key: "a"))
        locator.register(.lazy { [log] (_, _: String) in Account(log) }, key: "a")
        let store = try locator.resolve((any Store).self, key: "a")
        #expect(thrown { try locator.resetInstance(of: Account.self, key: "a", arguments: 7) } == .missing)
        #expect(try locator.resolve((any Store).self, key: "a") === store)
    }

    @Test func `A child resets the instance of its parent`() throws {
        locator.register(.lazy { [log] in Account(log) })
        let child = locator.child()
        let old = try child.resolve(Account.self)
        try child.resetInstance(of: Account.self)
        let new = try locator.resolve(Account.self)
        #expect(new !== old)
        #expect(try child.resolve(Account.self) === new)
    }

    // MARK: Other lifetimes

    @Test func `The prototype of a factory is created again`() throws {
        let generation = Counter()
        locator.register(
            .factory(Prototype(generation.increment(), Tracked(log)))
        )
        let property = Locator.$shared.withValue(locator) { Inject<Prototype>() }
        let own = property()
        #expect([try locator.resolve(Prototype.self).generation, own.generation] == [1, 1])
        #expect(log.alive == 1)
        try locator.resetInstance(of: Prototype.self)
        #expect(log.alive == 0)
        #expect(try locator.resolve(Prototype.self).generation == 2)
        // The property keeps its own copy.
        #expect(property() === own)
    }

    @Test func `A property keeps its copy after a reset of the prototype, and needs none`() throws {
        let generation = Counter()
        locator.register(.factory(Prototype(generation.increment())))
        let property = Locator.$shared.withValue(locator) { Inject<Prototype>() }
        let copy = property()
        try locator.resetInstance(of: Prototype.self)
        #expect(property() === copy)
        #expect(generation.value == 1)
    }

    @Test func `A weak service is created again although a caller holds it`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.weak))
        let old = try locator.resolve(Account.self)
        try locator.resetInstance(of: Account.self)
        let new = try locator.resolve(Account.self)
        #expect(new !== old)
        #expect(try locator.resolve(Account.self) === new)
    }

    @Test func `A reset in a child keeps the instance of its parent`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.composite(.weak, .perLocator)))
        let account = try locator.resolve(Account.self).tracked
        try locator.child().resetInstance(of: Account.self)
        #expect(try locator.resolve(Account.self).tracked === account)
    }

    @Test func `A property that holds a weak instance keeps it`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.weak))
        let (first, second) = Locator.$shared.withValue(locator) { (Inject<Account>(), Inject<Account>()) }
        let old = first()
        try locator.resetInstance(of: Account.self)
        #expect(second() !== old)
        #expect(first() === old)
    }

    @Test func `A perLocator reset affects the requested locator only`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.perLocator))
        let child = locator.child()
        let (own, childs) = (try locator.resolve(Account.self), try child.resolve(Account.self))
        try child.resetInstance(of: Account.self)
        #expect(try child.resolve(Account.self) !== childs)
        #expect(try locator.resolve(Account.self) === own)
        #expect(log.created == 3)
    }

    @Test func `A custom lifetime resets the current scope only`() throws {
        struct FixedScopeLifetime: Locator.CustomLifetime {
            let scopes = [Locator.Scope(), Locator.Scope()]
            let turn: Guarded<Int>
            func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scopes[turn.value] }
        }
        let turn = Guarded(0)
        locator.register(.lazy { [log] in Account(log) }.lifetime(FixedScopeLifetime(turn: turn)))
        let first = try locator.resolve(Account.self)
        turn.withLock { $0 = 1 }
        let second = try locator.resolve(Account.self)
        try locator.resetInstance(of: Account.self)
        #expect(try locator.resolve(Account.self) !== second)
        turn.withLock { $0 = 0 }
        #expect(try locator.resolve(Account.self) === first)
    }

    @Test func `Resetting a volatile service has no effect`() throws {
        locator.register(.volatile { [log] in Account(log) })
        let property = Locator.$shared.withValue(locator) { Inject<Account>() }
        let own = property()
        try locator.resetInstance(of: Account.self)
        #expect(property() === own)
    }

    // MARK: Errors

    @Test func `Resetting an unregistered service throws missing`() {
        let error = #expect(throws: InjectleError.self) { try locator.resetInstance(of: Account.self, key: "key") }
        #expect(error == .missing)
        #expect(error?.description.contains("Account under the key \"key\"") == true)
        #expect(error?.description.contains("resetInstance in InjectleTests/ResetInstanceTests.swift:") == true)
    }

    @Test func `Resetting an eager service keeps it`() throws {
        let account = Account(log)
        locator.register(.eager(account))
        try locator.resetInstance(of: Account.self)
        #expect(try locator.resolve(Account.self) === account)
    }

    // MARK: During creation

    @Test func `An instance reset during creation is returned and not cached`() async throws {
        let (locator, log) = (locator, log)
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { () -> Account in
                begun.set()
                goOn.wait()
                return Account(log)
            }
        )
        async let asked = onAnotherThread { (try? locator.resolve(Account.self)) != nil }
        await begun.reached()
        try locator.resetInstance(of: Account.self)
        goOn.set()
        #expect(await asked)
        #expect(log.alive == 0)
        #expect(try locator.resolve(Account.self) === locator.resolve(Account.self))
        #expect(log.created == 2)
    }

    @Test @MainActor func `A waiter that joins after a reset gets the new instance`() async throws {
        let (locator, log) = (locator, log)
        let (begun, goOn) = (Signal(), Signal())
        let attempts = Counter()
        // The main thread serves this request only while it waits, so the first creation cannot end earlier.
        locator.register(.lazy(.main) { 7 })
        locator.register(
            .lazy(.anywhere) { locator -> Account in
                if attempts.increment() == 1 {
                    begun.set()
                    goOn.wait()
                    _ = try locator.resolve(Int.self)
                }
                return Account(log)
            }
            .asSelf()
            .as((any Store).self)
        )
        async let asked = onAnotherThread { try? locator.resolve(Account.self) }
        await begun.reached()
        try locator.resetInstance(of: Account.self)
        goOn.set()
        let waited = try locator.resolve(Account.self)
        let next = try locator.resolve(Account.self)
        let first = await asked
        #expect(first != nil)
        // A caller after the reset gets the new instance although the old creation was still running.
        #expect(waited === next)
        #expect(next !== first)
        #expect(try locator.resolve((any Store).self) === next)
        #expect(log.created == 2)
    }

    @Test func `A list is reset by its element type`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.perLocator).contributing(to: (any Store).self))
        locator.register(.lazy { [log] in Account(log) }.contributing(to: (any Store).self))
        _ = try locator.resolveAll((any Store).self)
        #expect(log.alive == 2)
        try locator.resetInstance(of: (any Store).self)
        #expect(log.alive == 0)
    }
}
