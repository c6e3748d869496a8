import Injectle
import InjectleTestSupport
import Testing

private final class Session: Sendable {
    let services = Locator.Scope()
}

private final class Account: Sendable {}

/// Contains the instance of the next level.
private final class Level: Sendable {
    @TaskLocal static var current = 0
    let inner: Level?
    init(inner: Level?) { self.inner = inner }
}

/// A lifetime whose scope a closure returns.
private struct ClosureLifetime: Locator.CustomLifetime {
    let ask: @Sendable (Locator.Resolver) throws -> Locator.Scope?
    func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? { try ask(resolver) }
}

/// The scope of the locator's session.
private let sessionLifetime = ClosureLifetime { try $0.resolve(Session.self).services }

private actor Bank {
    func register(in locator: Locator) {
        locator.register(
            .lazy {
                self.preconditionIsolated()
                return Session()
            }
        )
        locator.register(.lazy { Account() }.lifetime(sessionLifetime))
    }

    func isThere(in locator: Locator) throws -> Bool {
        _ = try locator.resolve(Session.self)
        return try locator.resolve(Account.self) === locator.resolve(Account.self)
    }
}

/// Custom lifetimes that resolve their scope: isolation and cycles.
@Suite struct ScopeTests {
    private let locator = Locator("scopes", mainActorTimeout: .seconds(600))

    // MARK: Isolation

    @Test func `A scope resolves main actor services on the main actor`() async {
        let locator = locator
        locator.register(
            .lazy(.main) {
                MainActor.preconditionIsolated()
                return Session()
            }
        )
        locator.register(
            .lazy(.main) {
                MainActor.preconditionIsolated()
                return Account()
            }.lifetime(sessionLifetime)
        )
        let isKept = await onAnotherThread { () -> Bool in
            guard let account = try? locator.resolve(Account.self) else { return false }
            return (try? locator.resolve(Account.self)) === account
        }
        #expect(isKept)
    }

    @Test func `A scope resolves services of an actor on that actor only`() async throws {
        let locator = locator
        let bank = Bank()
        await bank.register(in: locator)
        let code = await onAnotherThread { thrown { _ = try locator.resolve(Account.self) } }
        #expect(code == .wrongIsolation)
        #expect(try await bank.isThere(in: locator))
    }

    // MARK: Cycles

    @Test func `A lifetime that resolves its service in new children is a cycle`() {
        let scope = Locator.Scope()
        let lifetime = ClosureLifetime { resolver in
            _ = try resolver.child().resolve(Account.self)
            return scope
        }
        locator.register(.lazy { Account() }.lifetime(lifetime))
        #expect(thrown { _ = try locator.resolve(Account.self) } == .circularDependency)
    }

    @Test func `Recursion through different scopes is not a cycle`() throws {
        let scopes = (0..<4).map { _ in Locator.Scope() }
        locator.register(
            .lazy { locator in
                guard Level.current < 3 else { return Level(inner: nil) }
                let inner = try Level.$current.withValue(Level.current + 1) { try locator.resolve(Level.self) }
                return Level(inner: inner)
            }.lifetime(ClosureLifetime { _ in scopes[Level.current] })
        )
        let outermost = try locator.resolve(Level.self)
        #expect(outermost.inner?.inner?.inner != nil)
        #expect(outermost.inner?.inner?.inner?.inner == nil)
        let third = try Level.$current.withValue(2) { try locator.resolve(Level.self) }
        #expect(outermost.inner?.inner === third)
    }
}
