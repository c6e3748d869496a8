import Injectle
import InjectleTestSupport
import Testing

private final class Service: Sendable {
    let attempt: Int
    let wasCancelled: Bool
    init(_ attempt: Int, wasCancelled: Bool = false) {
        self.attempt = attempt
        self.wasCancelled = wasCancelled
    }
}

private struct Owner: Sendable { let service: Service }

private struct Failure: Error {}

/// A making that can be held up, and that tells when it is cancelled.
private struct Making: Sendable {
    let attempts = Counter()
    let ended = Counter()
    let begun = Signal()
    let goOn = Signal()
    let cancelled = Signal()

    /// Goes on when it is told to, and not before, cancelled or not.
    func make() async -> Service {
        let attempt = attempts.increment()
        begun.set()
        await goOn.reached()
        ended.increment()
        return Service(attempt, wasCancelled: Task.isCancelled)
    }

    /// The first time goes on when it is cancelled, and not before.
    func makeUnlessCancelled() async throws -> Service {
        let attempt = attempts.increment()
        if attempt == 1 {
            begun.set()
            await isCancelled()
            try Task.checkCancellation()
        }
        return Service(attempt)
    }

    func isCancelled() async {
        await withTaskCancellationHandler {
            await cancelled.reached()
        } onCancel: {
            cancelled.set()
        }
    }
}

/// Who is cancelled leaves, and harms nobody.
@Suite(.timeLimit(.minutes(10))) struct AsyncCancellationTests {
    private let locator = Locator("cancellation")
    private let making = Making()

    private func ask() async -> Task<Service, any Error> {
        await Desk.begin { [locator] _ in try await locator.resolveAsync(Service.self) }
    }

    private func expectCancelled<Value>(_ task: Task<Value, any Error>) async {
        let error = await #expect(throws: InjectleError.self) { _ = try await task.value }
        #expect(error?.code == InjectleError.cancelled)
        #expect(error?.underlying is CancellationError)
    }

    @Test(arguments: [0, 1])
    func `Cancelling one waiter affects no other waiter`(index: Int) async throws {
        locator.register(.lazy { [making] in await making.make() })
        let tasks = [await ask(), await ask()]
        await making.begun.reached()
        tasks[index].cancel()
        await expectCancelled(tasks[index])
        // It has not waited for the making, which is still going on.
        #expect(making.ended.value == 0)
        making.goOn.set()
        let service = try await tasks[1 - index].value
        #expect(!service.wasCancelled)
        #expect(try locator.resolve(Service.self) === service)
        #expect(making.attempts.value == 1)
    }

    @Test func `A cancelled waiter does not wait for a creating thread`() async throws {
        let (locator, making) = (locator, making)
        locator.register(
            .lazy(.anywhere) {
                making.begun.set()
                making.goOn.wait()
                return Service(making.ended.increment())
            }
        )
        async let thread = onAnotherThread { try? locator.resolve(Service.self) }
        await making.begun.reached()
        let task = await ask()
        task.cancel()
        await expectCancelled(task)
        #expect(making.ended.value == 0)
        making.goOn.set()
        let service = await thread
        #expect(service?.attempt == 1)
        #expect(try locator.resolve(Service.self) === service)
    }

    @Test func `The factory task is cancelled once all waiters are cancelled`() async throws {
        locator.register(.lazy { [making] in try await making.makeUnlessCancelled() })
        let tasks = [await ask(), await ask()]
        await making.begun.reached()
        for task in tasks { task.cancel() }
        await making.cancelled.reached()
        for task in tasks { await expectCancelled(task) }
        // Nothing of it stays, and the next asker gets a new one.
        let service = try await locator.resolveAsync(Service.self)
        #expect(service.attempt == 2)
        #expect(try locator.resolve(Service.self) === service)
    }

    @Test func `Cancelling the last waiter cancels its dependency as well`() async throws {
        let making = making
        locator.register(.lazy { try await making.makeUnlessCancelled() })
        locator.register(.lazy { locator in Owner(service: try await locator.resolveAsync()) })
        let other = await Desk.begin { [locator] _ in try await locator.resolveAsync(Owner.self) }
        await making.begun.reached()
        other.cancel()
        await making.cancelled.reached()
        await expectCancelled(other)
        #expect(try await locator.resolveAsync(Owner.self).service.attempt == 2)
    }

    @Test func `A dependency with another waiter is not cancelled`() async throws {
        let making = making
        locator.register(.lazy { await making.make() })
        locator.register(.lazy { locator in Owner(service: try await locator.resolveAsync()) })
        let outer = await Desk.begin { [locator] _ in try await locator.resolveAsync(Owner.self) }
        await making.begun.reached()
        let inner = await ask()
        outer.cancel()
        await expectCancelled(outer)
        making.goOn.set()
        #expect(try await !inner.value.wasCancelled)
        #expect(making.attempts.value == 1)
    }

    enum Ending: CaseIterable { case byCancellation, byAnotherError, byAnInstance }

    @Test(arguments: Ending.allCases)
    func `A caller that joins a cancelled creation gets an instance`(ends ending: Ending) async throws {
        let (making, isEnding) = (making, Signal())
        locator.register(
            .lazy {
                let attempt = making.attempts.increment()
                guard attempt == 1 else { return Service(attempt) }
                making.begun.set()
                await making.isCancelled()
                isEnding.set()
                await making.goOn.reached()
                switch ending {
                case .byCancellation: throw CancellationError()
                case .byAnotherError: throw Failure()
                case .byAnInstance: return Service(attempt)
                }
            }
        )
        let first = await ask()
        await making.begun.reached()
        first.cancel()
        await isEnding.reached()
        let second = await ask()
        making.goOn.set()
        await expectCancelled(first)
        #expect(try await second.value.attempt == (ending == .byAnInstance ? 1 : 2))
        #expect(try await locator.resolveAsync(Service.self) === second.value)
    }

    static let lifetimes: [Locator.Lifetime] = [.lazy, .volatile, .weak, .graph, .perLocator, .perArgument]

    @Test(arguments: lifetimes)
    func `A factory that throws CancellationError yields a cancelled error`(lifetime: Locator.Lifetime) async {
        locator.register(.lazy { () async throws -> Service in throw CancellationError() }.lifetime(lifetime))
        let task = Task { [locator] in try await locator.resolveAsync(Service.self) }
        await expectCancelled(task)
    }

    @Test func `A waiter runs the factory again after the first was cancelled`() async throws {
        let making = making
        locator.register(
            .lazy {
                let service = await making.make()
                if service.attempt == 1 { throw CancellationError() }
                return service
            }
        )
        let (first, second) = (await ask(), await ask())
        await making.begun.reached()
        making.goOn.set()
        // It is an error of that making, and of who began it.
        await expectCancelled(first)
        #expect(try await second.value.attempt == 2)
    }

    @Test(arguments: [Locator.Lifetime.volatile, .graph, .lazy])
    func `The factory closure observes the cancellation of its caller`(lifetime: Locator.Lifetime) async throws {
        locator.register(.lazy { [making] in try await making.makeUnlessCancelled() }.lifetime(lifetime))
        let task = await ask()
        await making.begun.reached()
        task.cancel()
        await making.cancelled.reached()
        await expectCancelled(task)
        #expect(try await locator.resolveAsync(Service.self).attempt == 2)
    }

    @Test(arguments: lifetimes)
    func `A cancelled caller does not start a factory`(lifetime: Locator.Lifetime) async {
        locator.register(.lazy { [making] in await making.make() }.lifetime(lifetime))
        let task = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await locator.resolveAsync(Service.self)
        }
        await expectCancelled(task)
        #expect(making.attempts.value == 0)
    }

    @Test(arguments: [Locator.Lifetime.lazy, .weak, .perLocator, .perArgument])
    func `A cancelled caller gets an existing instance`(lifetime: Locator.Lifetime) async throws {
        locator.register(.lazy { [making] in await making.make() }.lifetime(lifetime))
        making.goOn.set()
        let service = try await locator.resolveAsync(Service.self)
        let task = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await locator.resolveAsync(Service.self)
        }
        #expect(try await task.value === service)
        #expect(making.attempts.value == 1)
    }

    @Test func `A cancelled caller does not join a running creation`() async throws {
        locator.register(.lazy { [making] in await making.make() })
        let first = await ask()
        await making.begun.reached()
        let second = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await locator.resolveAsync(Service.self)
        }
        await expectCancelled(second)
        #expect(making.ended.value == 0)
        making.goOn.set()
        #expect(try await first.value.attempt == 1)
    }

    @Test func `Cancellation stops the creation of a list`() async throws {
        let making = making
        locator.register(.lazy { try await making.makeUnlessCancelled() }.contributing(to: Service.self))
        locator.register(.lazy { await making.make() }.contributing(to: Service.self))
        let task = await Desk.begin { [locator] _ in try await locator.resolveAllAsync(Service.self) }
        await making.begun.reached()
        task.cancel()
        await expectCancelled(task)
        #expect(making.attempts.value == 1)
    }
}
