import Injectle
import InjectleTestSupport
import Testing

private final class Account: @unchecked Sendable {
    // `@unchecked Sendable`: tests read it after all threads have ended.
    var isOpen = true
}

private final class Session: Sendable {
    @TaskLocal static var current: Session?
    let services = Locator.Scope()
}

private struct SessionLifetime: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { Session.current?.services }
}

@MainActor private final class Screen {}

struct DisposalEdgeCaseTests {
    private let locator = Locator()

    @Test func `A weak cache does not revive a disposed instance`() throws {
        let ended = Counter()
        let registration = Locator.Registration<Account>.lazy { Account() }.lifetime(
            .composite(.custom(SessionLifetime()), .weak)
        )
        locator.register(
            registration.onDispose { account in
                #expect(account.isOpen)
                account.isOpen = false
                ended.increment()
            }
        )
        let first = Session()
        let held = try Session.$current.withValue(first) { try locator.resolve(Account.self) }
        first.services.reset()
        #expect(!held.isOpen)
        let second = Session()
        let next = try Session.$current.withValue(second) { try locator.resolve(Account.self) }
        #expect(next.isOpen)
        #expect(next !== held)
        second.services.reset()
        #expect(ended.value == 2)
    }

    @Test func `An instance in two scopes is disposed with the last scope`() throws {
        let registration = Locator.Registration<Account>.lazy { Account() }.lifetime(
            .composite(.custom(SessionLifetime()), .weak)
        )
        locator.register(registration.onDispose { $0.isOpen = false })
        let (first, second) = (Session(), Session())
        let account = try Session.$current.withValue(first) { try locator.resolve(Account.self) }
        #expect(try Session.$current.withValue(second) { try locator.resolve(Account.self) } === account)
        first.services.reset()
        #expect(account.isOpen)
        second.services.reset()
        #expect(!account.isOpen)
    }

    @Test func `Reverse order holds across the main actor`() async throws {
        let names = Guarded<[String]>([])
        let done = Signal()
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { _ in
                names.withLock { $0.append("first") }
                done.set()
            }
        )
        await MainActor.run {
            locator.register(
                .lazy { locator in
                    _ = try locator.resolve(Int.self)
                    return Screen()
                }.onDispose { _ in names.withLock { $0.append("screen") } }
            )
            _ = try? locator.resolve(Screen.self)
        }
        await onAnotherThread { [locator] in locator.reset() }
        await done.reached()
        #expect(names.value == ["screen", "first"])
    }

    @Test func `A disposer and a factory may wait for each other`() async throws {
        let other = Locator()
        let (hasBegun, mayClose) = (Signal(), Signal())
        other.register(
            .lazy(.anywhere) { [weak locator] in
                hasBegun.set()
                await mayClose.reached()
                await locator?.close()
                return "made"
            }
        )
        locator.register(
            .eager(1).onDispose { _ in
                mayClose.set()
                _ = try await other.resolveAsync(String.self)
            }
        )
        let asker = Task { try await other.resolveAsync(String.self) }
        await hasBegun.reached()
        _ = await locator.close()
        #expect(try await asker.value == "made")
    }
}
