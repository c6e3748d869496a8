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
}
