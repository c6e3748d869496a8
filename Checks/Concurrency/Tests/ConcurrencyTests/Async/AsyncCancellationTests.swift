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

/// A factory that waits for a signal and reports its cancellation.
private struct ControlledFactory: Sendable {
    let attempts = Counter()
    let ended = Counter()
    let begun = Signal()
    let goOn = Signal()
    let cancelled = Signal()

    /// Waits for `goOn`, cancelled or not.
    func make() async -> Service {
        let attempt = attempts.increment()
        begun.set()
        await goOn.reached()
        ended.increment()
        return Service(attempt, wasCancelled: Task.isCancelled)
    }

    /// The first attempt waits for its cancellation.
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

/// Cancelling a caller affects no other caller.
@Suite(.timeLimit(.minutes(10))) struct AsyncCancellationTests {
    private let locator = Locator("cancellation")
    private let factory = ControlledFactory()

    private func resolveInTask() async -> Task<Service, any Error> {
        await ProbeActor.startTask { [locator] _ in try await locator.resolveAsync(Service.self) }
    }

    private func expectCancelled<Value>(_ task: Task<Value, any Error>) async {
        let error = await #expect(throws: InjectleError.self) { _ = try await task.value }
        #expect(error == .cancelled)
        #expect(error?.underlying is CancellationError)
    }

    @Test(arguments: [0, 1])
    func `Cancelling one waiter affects no other waiter`(index: Int) async throws {
        locator.register(.lazy { [factory] in await factory.make() })
        let tasks = [await resolveInTask(), await resolveInTask()]
        await factory.begun.reached()
        tasks[index].cancel()
        await expectCancelled(tasks[index])
        // The cancelled waiter left while the factory still runs.
        #expect(factory.ended.value == 0)
        factory.goOn.set()
        let service = try await tasks[1 - index].value
        #expect(!service.wasCancelled)
        #expect(try locator.resolve(Service.self) === service)
        #expect(factory.attempts.value == 1)
    }

    @Test func `A cancelled waiter does not wait for a creating thread`() async throws {
        let (locator, factory) = (locator, factory)
        locator.register(
            .lazy(.anywhere) {
                factory.begun.set()
                factory.goOn.wait()
                return Service(factory.ended.increment())
            }
        )
        async let thread = onAnotherThread { try? locator.resolve(Service.self) }
        await factory.begun.reached()
        let task = await resolveInTask()
        task.cancel()
        await expectCancelled(task)
        #expect(factory.ended.value == 0)
        factory.goOn.set()
        let service = await thread
        #expect(service?.attempt == 1)
        #expect(try locator.resolve(Service.self) === service)
    }

    @Test func `The factory task is cancelled once all waiters are cancelled`() async throws {
        locator.register(.lazy { [factory] in try await factory.makeUnlessCancelled() })
        let tasks = [await resolveInTask(), await resolveInTask()]
        await factory.begun.reached()
        for task in tasks { task.cancel() }
        await factory.cancelled.reached()
        for task in tasks { await expectCancelled(task) }
        // Nothing remains, and the next caller starts a new creation.
        let service = try await locator.resolveAsync(Service.self)
        #expect(service.attempt == 2)
        #expect(try locator.resolve(Service.self) === service)
    }

    @Test func `Cancelling the last waiter cancels its dependency as well`() async throws {
        let factory = factory
        locator.register(.lazy { try await factory.makeUnlessCancelled() })
        locator.register(.lazy { locator in Owner(service: try await locator.resolveAsync()) })
        let other = await ProbeActor.startTask { [locator] _ in try await locator.resolveAsync(Owner.self) }
        await factory.begun.reached()
        other.cancel()
        await factory.cancelled.reached()
        await expectCancelled(other)
        #expect(try await locator.resolveAsync(Owner.self).service.attempt == 2)
    }

    @Test func `A dependency with another waiter is not cancelled`() async throws {
        let factory = factory
        locator.register(.lazy { await factory.make() })
        locator.register(.lazy { locator in Owner(service: try await locator.resolveAsync()) })
        let outer = await ProbeActor.startTask { [locator] _ in try await locator.resolveAsync(Owner.self) }
        await factory.begun.reached()
        let inner = await resolveInTask()
        outer.cancel()
        await expectCancelled(outer)
        factory.goOn.set()
        #expect(try await !inner.value.wasCancelled)
        #expect(factory.attempts.value == 1)
    }

    enum Ending: CaseIterable { case byCancellation, byAnotherError, byAnInstance }

    @Test(arguments: Ending.allCases)
    func `A caller that joins a cancelled creation gets an instance`(ends ending: Ending) async throws {
        let (factory, isEnding) = (factory, Signal())
        locator.register(
            .lazy {
                let attempt = factory.attempts.increment()
                guard attempt == 1 else { return Service(attempt) }
                factory.begun.set()
                await factory.isCancelled()
                isEnding.set()
                await factory.goOn.reached()
                switch ending {
                case .byCancellation: throw CancellationError()
                case .byAnotherError: throw Failure()
                case .byAnInstance: return Service(attempt)
                }
            }
        )
        let first = await resolveInTask()
        await factory.begun.reached()
        first.cancel()
        await isEnding.reached()
        let second = await resolveInTask()
        factory.goOn.set()
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

    @Test(arguments: [Locator.Lifetime.volatile, .graph, .lazy])
    func `The factory closure observes the cancellation of its caller`(lifetime: Locator.Lifetime) async throws {
        locator.register(.lazy { [factory] in try await factory.makeUnlessCancelled() }.lifetime(lifetime))
        let task = await resolveInTask()
        await factory.begun.reached()
        task.cancel()
        await factory.cancelled.reached()
        await expectCancelled(task)
        #expect(try await locator.resolveAsync(Service.self).attempt == 2)
    }

    @Test(arguments: lifetimes)
    func `A cancelled caller does not start a factory`(lifetime: Locator.Lifetime) async {
        locator.register(.lazy { [factory] in await factory.make() }.lifetime(lifetime))
        let task = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await locator.resolveAsync(Service.self)
        }
        await expectCancelled(task)
        #expect(factory.attempts.value == 0)
    }

    @Test(arguments: [Locator.Lifetime.lazy, .weak, .perLocator, .perArgument])
    func `A cancelled caller gets an existing instance`(lifetime: Locator.Lifetime) async throws {
        locator.register(.lazy { [factory] in await factory.make() }.lifetime(lifetime))
        factory.goOn.set()
        let service = try await locator.resolveAsync(Service.self)
        let task = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await locator.resolveAsync(Service.self)
        }
        #expect(try await task.value === service)
        #expect(factory.attempts.value == 1)
    }

    @Test func `A cancelled caller does not join a running creation`() async throws {
        locator.register(.lazy { [factory] in await factory.make() })
        let first = await resolveInTask()
        await factory.begun.reached()
        let second = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await locator.resolveAsync(Service.self)
        }
        await expectCancelled(second)
        #expect(factory.ended.value == 0)
        factory.goOn.set()
        #expect(try await first.value.attempt == 1)
    }

    @Test func `Cancellation stops the creation of a list`() async throws {
        let factory = factory
        locator.register(.lazy { try await factory.makeUnlessCancelled() }.contributing(to: Service.self))
        locator.register(.lazy { await factory.make() }.contributing(to: Service.self))
        let task = await ProbeActor.startTask { [locator] _ in try await locator.resolveAllAsync(Service.self) }
        await factory.begun.reached()
        task.cancel()
        await expectCancelled(task)
        #expect(factory.attempts.value == 1)
    }
}
