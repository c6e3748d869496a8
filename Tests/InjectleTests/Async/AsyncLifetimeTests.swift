import Injectle
import InjectleTestSupport
import Testing

private final class Account: Sendable {
    let name: String
    private let tracked: Tracked
    init(_ log: Tracked.Log, _ name: String = "") {
        self.name = name
        tracked = Tracked(log)
    }
}

/// Two instances of one resolve.
private struct Pair: Sendable {
    let first: Account
    let second: Account
    var isSame: Bool { first === second }
}

private struct Left: Sendable { let account: Account }
private struct Right: Sendable { let account: Account }

/// A lifetime whose scope a closure returns.
private struct ClosureLifetime: Locator.CustomLifetime {
    let ask: @Sendable () -> Locator.Scope?
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { ask() }
}

/// Each lifetime with an async factory.
@Suite(.timeLimit(.minutes(10))) struct AsyncLifetimeTests {
    private let locator = Locator("lifetimes")
    private let log = Tracked.Log()

    private func register(_ lifetime: some Locator.LifetimeConvertible) {
        locator.register(
            .lazy { [log] locator in
                await Task.yield()
                return Account(log, try await locator.resolveAsync(String?.self) ?? "")
            }.lifetime(lifetime)
        )
    }

    // MARK: Volatile and weak

    @Test func `A volatile service is created for each resolve`() async throws {
        register(.volatile)
        #expect(try await locator.resolveAsync(Account.self) !== locator.resolveAsync(Account.self))
        #expect(log.created == 2)
        #expect(await log.becomesEmpty())
    }

    @Test func `A volatile service resolves dependencies from the requesting locator`() async throws {
        register(.volatile)
        locator.register(.eager("parent"))
        let child = locator.child { $0.register(.eager("child")) }
        #expect(try await locator.resolveAsync(Account.self).name == "parent")
        #expect(try await child.resolveAsync(Account.self).name == "child")
    }

    @Test func `A weak service is shared while an instance is alive`() async throws {
        register(.weak)
        do {
            let account = try await locator.resolveAsync(Account.self)
            #expect(try await locator.resolveAsync(Account.self) === account)
            #expect(try locator.resolve(Account.self) === account)
            #expect(log.created == 1)
        }
        #expect(await log.becomesEmpty())
        #expect(throws: InjectleError.self) { try locator.resolve(Account.self) }
        let account = try await locator.resolveAsync(Account.self)
        #expect(try locator.resolve(Account.self) === account)
        #expect(log.created == 2)
    }

    @Test func `A weak value type throws notAnObject`() async {
        locator.register(
            .lazy {
                await Task.yield()
                return 7
            }.lifetime(.weak)
        )
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Int.self) }
        #expect(error == .invalidRegistration)
    }

    // MARK: One resolve

    private func registerPair(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy { locator in Left(account: try await locator.resolveAsync()) }.lifetime(lifetime))
        locator.register(.lazy { locator in Right(account: try await locator.resolveAsync()) }.lifetime(lifetime))
        locator.register(
            .lazy { locator in
                let left = try await locator.resolveAsync(Left.self)
                return Pair(first: left.account, second: try await locator.resolveAsync(Right.self).account)
            }.lifetime(lifetime)
        )
    }

    @Test(arguments: [Locator.Lifetime.volatile, .lazy, .perLocator])
    func `One resolve shares a graph instance across a chain`(lifetime: Locator.Lifetime) async throws {
        register(.graph)
        registerPair(lifetime)
        #expect(try await locator.resolveAsync(Pair.self).isSame)
        #expect(log.created == 1)
        #expect(try await locator.resolveAsync(Account.self) !== locator.resolveAsync(Account.self))
        #expect(log.created == 3)
    }

    @Test func `One resolve shares a graph instance among concurrent callers`() async throws {
        register(.graph)
        locator.register(
            .volatile { locator in
                async let first = locator.resolveAsync(Account.self)
                async let second = locator.resolveAsync(Account.self)
                return Pair(first: try await first, second: try await second)
            }
        )
        for round in 1...20 {
            #expect(try await locator.resolveAsync(Pair.self).isSame)
            #expect(log.created == round)
        }
        #expect(await log.becomesEmpty())
    }

    @Test func `A synchronous graph service is shared as well`() async throws {
        locator.register(.lazy { [log] in Account(log) }.lifetime(.graph))
        registerPair(.volatile)
        #expect(try await locator.resolveAsync(Pair.self).isSame)
        #expect(log.created == 1)
        #expect(await log.becomesEmpty())
    }

    @Test func `List elements share a graph instance`() async throws {
        register(.graph)
        for key in 0..<2 {
            locator.register(
                .volatile { locator in Left(account: try await locator.resolveAsync()) }.contributing(to: Left.self)
                    .asSelf(key: key)
            )
        }
        let list = try await locator.resolveAllAsync(Left.self)
        #expect(list.count == 2)
        #expect(list.first?.account === list.last?.account)
        #expect(log.created == 1)
    }

    @Test func `A graph instance is released although a task escapes its resolve`() async throws {
        let (goOn, isInIt) = (Signal(), Signal())
        let escaped = Guarded<[Task<Bool, Never>]>([])
        register(.graph)
        locator.register(
            .volatile { locator in
                _ = try await locator.resolveAsync(Account.self)
                let task = Task {
                    isInIt.set()
                    await goOn.reached()
                    // The resolve has ended, so each call starts its own.
                    let pair = try? await (
                        locator.resolveAsync(Account.self, key: nil), locator.resolveAsync(Account.self, key: nil)
                    )
                    return pair.map { $0.0 !== $0.1 } ?? false
                }
                escaped.withLock { $0.append(task) }
                await isInIt.reached()
                return 1
            }
        )
        #expect(try await locator.resolveAsync(Int.self) == 1)
        #expect(log.created == 1)
        #expect(await log.becomesEmpty())
        goOn.set()
        #expect(await escaped.value[0].value)
        #expect(log.created == 3)
    }

    // MARK: Caches

    @Test func `A perLocator service has one instance in each locator`() async throws {
        register(.perLocator)
        locator.register(.eager("parent"))
        let child = locator.child { $0.register(.eager("child")) }
        let (account, own) = (try await locator.resolveAsync(Account.self), try await child.resolveAsync(Account.self))
        #expect([account.name, own.name] == ["parent", "child"])
        for _ in 0..<3 {
            #expect(try locator.resolve(Account.self) === account)
            #expect(try child.resolve(Account.self) === own)
            #expect(try await child.resolveAsync(Account.self) === own)
        }
        child.reset()
        locator.unregisterService(Account.self)
        #expect(log.created == 2)
    }

    @Test func `A named perLocator service lives in the nearest matching ancestor`() async throws {
        register(.perLocator(named: "session"))
        let session = locator.child("session") { $0.register(.eager("session")) }
        let request = session.child { $0.register(.eager("request")) }
        let account = try await request.resolveAsync(Account.self)
        #expect(account.name == "session")
        #expect(try session.resolve(Account.self) === account)
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Account.self) }
        #expect(error == .locatorNotFound)
    }

    @Test func `A perArgument service has one instance per argument`() async throws {
        locator.register(
            .lazy { [log] (_, name: String) in
                await Task.yield()
                return Account(log, name)
            }.lifetime(.perArgument)
        )
        let one = try await locator.resolveAsync(Account.self, arguments: "one")
        let two = try await locator.resolveAsync(Account.self, arguments: "two")
        #expect([one.name, two.name] == ["one", "two"])
        #expect(try await locator.resolveAsync(Account.self, arguments: "one") === one)
        #expect(try locator.resolve(Account.self, arguments: "two") === two)
        #expect(throws: InjectleError.self) { try locator.resolve(Account.self, arguments: "three") }
        #expect(log.created == 2)
    }

    @Test func `A custom scope caches an async instance`() async throws {
        let scope = Locator.Scope()
        register(ClosureLifetime { scope })
        let account = try await locator.resolveAsync(Account.self)
        #expect(try await locator.child().resolveAsync(Account.self) === account)
        #expect(try locator.resolve(Account.self) === account)
        scope.reset()
        #expect(try await locator.resolveAsync(Account.self) !== account)
        #expect(log.created == 2)
    }

    @Test func `A scope that is reset during creation caches nothing`() async throws {
        let (locator, log, scope) = (locator, log, Locator.Scope())
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy {
                begun.set()
                await goOn.reached()
                return Account(log)
            }.lifetime(ClosureLifetime { scope })
        )
        let asked = await ProbeActor.startTask { _ in try await locator.resolveAsync(Account.self).name }
        await begun.reached()
        scope.reset()
        goOn.set()
        #expect(try await asked.value.isEmpty)
        #expect(await log.becomesEmpty())
        _ = try await locator.resolveAsync(Account.self)
        #expect(log.created == 2)
        #expect(log.alive == 1)
    }

    @Test func `A composite lifetime caches in several places`() async throws {
        register(.composite(.perLocator, .weak))
        let account = try await locator.resolveAsync(Account.self)
        let child = locator.child()
        // The child has no instance of its own and finds the weak one.
        #expect(try await child.resolveAsync(Account.self) === account)
        locator.reset()
        #expect(log.created == 1)
    }

    @Test func `All waiters of a composite lifetime get one instance`() async throws {
        let (locator, log, goOn) = (locator, log, Signal())
        let child = locator.child()
        locator.register(
            .lazy {
                await goOn.reached()
                return Account(log)
            }.lifetime(.composite(.perLocator, .weak))
        )
        let tasks = [
            await ProbeActor.startTask { _ in try await locator.resolveAsync(Account.self) },
            await ProbeActor.startTask { _ in try await locator.resolveAsync(Account.self) },
            await ProbeActor.startTask { _ in try await child.resolveAsync(Account.self) },
        ]
        goOn.set()
        let account = try await tasks[0].value
        for task in tasks { #expect(try await task.value === account) }
        #expect(try child.resolve(Account.self) === account)
        #expect(log.created == 1)
    }
}
