import Injectle
import InjectleTestSupport
import Testing

private final class Session: Sendable {
    @TaskLocal static var current: Session?
    let services = Locator.Scope()
}

/// The scope of the current session.
private struct SessionLifetime: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { Session.current?.services }
}

/// A lifetime whose scope a closure returns.
private struct ClosureLifetime: Locator.CustomLifetime {
    let ask: @Sendable (Locator.Resolver) throws -> Locator.Scope?
    func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? { try ask(resolver) }
}

private final class Account: Sendable {
    let name: String
    let tracked: Tracked

    init(_ log: Tracked.Log, name: String = "") {
        self.name = name
        tracked = Tracked(log)
    }
}

/// Custom lifetimes and their scopes.
@Suite struct CustomLifetimeTests {
    private let locator = Locator("custom")
    private let log = Tracked.Log()

    @Test func `Local lifetimes of the same name differ`() {
        func one() -> Locator.Lifetime {
            struct Hourly: Locator.CustomLifetime {
                func scope(for locator: Locator.Resolver) -> Locator.Scope? { nil }
            }
            return .custom(Hourly())
        }
        func other() -> Locator.Lifetime {
            struct Hourly: Locator.CustomLifetime {
                func scope(for locator: Locator.Resolver) -> Locator.Scope? { nil }
            }
            return .custom(Hourly())
        }
        #expect(one() == one())
        #expect(one() != other())
        #expect(Locator.Lifetime.composite(one(), .weak) == .composite(one(), .weak))
        #expect(Locator.Lifetime.composite(one(), .weak) != .composite(other(), .weak))
        #expect(Locator.Lifetime.perLocator(named: "a") != .perLocator(named: "b"))
    }

    private func account(of session: Session, from locator: Locator? = nil) throws -> Account {
        try Session.$current.withValue(session) { try (locator ?? self.locator).resolve(Account.self) }
    }

    @Test func `A scope shares one instance`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(SessionLifetime()))
        let (first, second) = (Session(), Session())
        let account = try account(of: first)
        #expect(try self.account(of: first) === account)
        #expect(try self.account(of: first, from: locator.child()) === account)
        let other = try self.account(of: second)
        #expect(other !== account)
        #expect(try self.account(of: second) === other)
        #expect(log.created == 2)
    }

    @Test func `Releasing the scope frees its instance`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(SessionLifetime()))
        do {
            let session = Session()
            _ = try account(of: session)
            #expect(log.alive == 1)
            withExtendedLifetime(session) {}
        }
        #expect(log.alive == 0)
        #expect(log.created == 1)
    }

    @Test func `A reset scope frees its instance and caches the next`() throws {
        let scope = Locator.Scope()
        locator.register(.lazy { [log] in Account(log) }.lifetime(ClosureLifetime { _ in scope }))
        _ = try locator.resolve(Account.self)
        #expect(log.alive == 1)
        scope.reset()
        #expect(log.alive == 0)
        let account = try locator.resolve(Account.self)
        #expect(try locator.resolve(Account.self) === account)
        #expect(log.created == 2)
    }

    @Test func `Without a scope each caller gets its own instance`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(SessionLifetime()))
        do {
            #expect(try locator.resolve(Account.self) !== locator.resolve(Account.self))
            #expect(log.alive == 0)
            let (first, second) = Locator.$shared.withValue(locator) { (Inject<Account>(), Inject<Account>()) }
            let account = first()
            for _ in 0..<3 { #expect(first() === account) }
            #expect(second() !== account)
            #expect(log.created == 4)
        }
        #expect(log.alive == 0)
    }

    @Test func `Properties follow the current scope`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(SessionLifetime()))
        let property = Locator.$shared.withValue(locator) { Inject<Account>() }
        let sessions = [Session(), Session()]
        let accounts = try sessions.map { try account(of: $0) }
        for _ in 0..<2 {
            for (session, account) in zip(sessions, accounts) {
                Session.$current.withValue(session) { #expect(property() === account) }
            }
            let own = property()
            #expect(!accounts.contains { $0 === own })
            #expect(property() === own)
        }
    }

    @Test func `An error of the lifetime is a factory failure`() throws {
        struct NoSession: Error {}
        let attempts = Counter()
        let scope = Locator.Scope()
        locator.register(
            .lazy { [log] in
                Account(log)
            }.lifetime(ClosureLifetime { _ in if attempts.increment() == 1 { throw NoSession() } else { scope } })
        )
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Account.self) }
        #expect(error == .factoryFailed)
        #expect(error?.underlying is NoSession)
        #expect(error?.description.contains("InjectleTests/CustomLifetimeTests.swift:") == true)
        #expect(log.created == 0)
        #expect(try locator.resolve(Account.self) === locator.resolve(Account.self))
    }

    @Test func `A scope caches one instance per registration`() throws {
        let scope = Locator.Scope()
        let lifetime = ClosureLifetime { _ in scope }
        locator.register(.lazy { [log] in Account(log, name: "a") }.lifetime(lifetime), key: "a")
        locator.register(.lazy { [log] in Account(log, name: "b") }.lifetime(lifetime), key: "b")
        for _ in 0..<2 {
            #expect(try locator.resolve(Account.self, key: "a").name == "a")
            #expect(try locator.resolve(Account.self, key: "b").name == "b")
        }
        #expect(log.created == 2)
        locator.unregisterService(withKey: "a")
        #expect(log.alive == 1)
        scope.reset()
        #expect(log.alive == 0)
    }

    @Test func `A scope that nothing retains caches nothing`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(ClosureLifetime { _ in Locator.Scope() }))
        for count in 1...2 {
            _ = try locator.resolve(Account.self)
            #expect(log.created == count)
            #expect(log.alive == 0)
        }
    }

    @Test func `A scope reset during creation does not cache the instance`() async throws {
        let (log, scope) = (log, Locator.Scope())
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        locator.register(
            .lazy(.anywhere) {
                begun.set()
                goOn.wait()
                return Account(log)
            }.lifetime(ClosureLifetime { _ in scope })
        )
        async let asked = onAnotherThread { (try? locator.resolve(Account.self)) != nil }
        await begun.reached()
        scope.reset()
        goOn.set()
        #expect(await asked)
        #expect(log.alive == 0)
        #expect(try locator.resolve(Account.self) === locator.resolve(Account.self))
        #expect(log.created == 2)
    }

    @Test func `A lifetime that resolves its own service is a cycle`() {
        let scope = Locator.Scope()
        locator.register(
            .lazy { [log] in Account(log) }.lifetime(
                ClosureLifetime { resolver in
                    _ = try resolver.resolve(Account.self)
                    return scope
                }
            )
        )
        for locator in [locator, locator.child()] {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Account.self) }
            #expect(error == .circularDependency)
            #expect(error?.description.contains("Account → InjectleTests.Account") == true)
        }
        #expect(log.created == 0)
    }

    @Test func `A lifetime may use the requesting locator and the arguments`() throws {
        let scopes = ["Ulm": Locator.Scope(), "Bonn": Locator.Scope()]
        let asked = Guarded<[String]>([])
        let lifetime = ClosureLifetime { resolver in
            let (city, name) = (try resolver.resolve(String.self), try resolver.resolve(Int.self, key: "name"))
            asked.withLock { $0.append("\(city) \(name)") }
            return scopes[city]
        }
        locator.register(.eager(1), key: "name")
        locator.register(.lazy { [log] (_, city: String) in Account(log, name: city) }.lifetime(lifetime))
        let child = locator.child()
        child.register(.eager(2), key: "name")
        let account = try locator.resolve(Account.self, arguments: "Ulm")
        #expect(try child.resolve(Account.self, arguments: "Ulm") === account)
        #expect(try child.resolve(Account.self, arguments: "Bonn").name == "Bonn")
        #expect(asked.value == ["Ulm 1", "Ulm 2", "Bonn 2"])
    }

    // MARK: Composite lifetimes

    @Test func `A composite returns the first cached instance to all parts`() throws {
        let scope = Locator.Scope()
        locator.register(
            .lazy { [log] in Account(log) }.lifetime(.composite(.custom(ClosureLifetime { _ in scope }), .weak))
        )
        do {
            let account = try locator.resolve(Account.self)
            scope.reset()
            #expect(log.alive == 1)
            // The weak cache still has the instance, and the scope caches it again.
            #expect(try locator.resolve(Account.self) === account)
        }
        #expect(log.created == 1)
        #expect(log.alive == 1)
        scope.reset()
        #expect(log.alive == 0)
        _ = try locator.resolve(Account.self)
        #expect(log.created == 2)
    }

    @Test func `A part without a cache is skipped`() throws {
        locator.register(
            .lazy { [log] in Account(log) }.lifetime(
                .composite(.custom(SessionLifetime()), .perLocator(named: "nobody"), .weak)
            )
        )
        do {
            let account = try locator.resolve(Account.self)
            #expect(try locator.resolve(Account.self) === account)
            let session = Session()
            // The session's scope caches the living instance.
            #expect(try self.account(of: session) === account)
            withExtendedLifetime(session) {}
        }
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A composite with an unsuitable part throws notAnObject`() {
        locator.register(.lazy { 7 }.lifetime(.composite(.perLocator, .weak)))
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Int.self) }
        #expect(error == .invalidRegistration)
        #expect(error?.description.contains("per locator and weak") == true)
    }

    @Test func `A weak and lazy composite stays alive`() throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.composite(.weak, .lazy)))
        _ = try locator.resolve(Account.self)
        // The lazy cache retains the instance as long as the locator lives.
        #expect(log.alive == 1)
    }

    @Test func `A composite finds the instance of equal arguments in a child`() throws {
        locator.register(
            .lazy { [log] (_, city: String) in Account(log, name: city) }.lifetime(
                .composite(.perLocator, .perArgument)
            )
        )
        let account = try locator.resolve(Account.self, arguments: "Ulm")
        // The child has no instance of its own; the perArgument cache has one.
        #expect(try locator.child().resolve(Account.self, arguments: "Ulm") === account)
    }
}
