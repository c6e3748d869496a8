import Dispatch
import InjectleTestSupport
import Testing

@testable import InjectleRuntime

/// Which actor runs the calling code.
@Suite struct CurrentActorTests {
    private actor Counter {
        var isCurrentHere: Bool { isCurrent }

        func isCurrent(_ other: any Actor) -> Bool { other.isCurrent }

        func isCurrentAround(_ call: @Sendable () async -> Void) async -> [Bool] {
            let before = isCurrent
            await call()
            return [before, isCurrent]
        }

        @concurrent func isCurrentConcurrently() async -> Bool { isCurrent }

        nonisolated(nonsending) func isCurrentWhereItsCallerIs() async -> Bool { isCurrent }

        func isCurrentInItsCallees() async -> [Bool] {
            [await isCurrentConcurrently(), await isCurrentWhereItsCallerIs(), askedOnQueue()]
        }

        /// A block that a queue runs on the thread that waits for it.
        nonisolated func askedOnQueue() -> Bool { DispatchQueue(label: "queue").sync { isCurrent } }
    }

    /// Runs its jobs on a queue.
    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "executor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private actor Worker {
        let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        init(_ executor: QueueExecutor) { self.executor = executor }

        func isCurrent(_ other: any Actor) -> Bool { other.isCurrent }
    }

    /// Runs its jobs on another thread, as jobs of the main actor.
    private final class MainExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "main executor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: MainActor.sharedUnownedExecutor) }
        }
    }

    private actor MainWorker {
        let executor = MainExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        func areCurrent() -> (main: Bool, own: Bool) { (MainActor.shared.isCurrent, isCurrent) }
    }

    @Test func `An actor is current in its functions`() async {
        #expect(await Counter().isCurrentHere)
    }

    @Test func `Another actor is not current`() async {
        let counter = Counter()
        #expect(await !counter.isCurrent(Counter()))
        #expect(await !counter.isCurrent(MainActor.shared))
    }

    @Test func `An actor is current again after it has awaited`() async {
        let counter = Counter()
        let isCurrent = await counter.isCurrentAround { await Task.yield() }
        #expect(isCurrent == [true, true])
    }

    @Test func `A function that runs where its caller does is on the actor, and a concurrent one is not`() async {
        #expect(await Counter().isCurrentInItsCallees() == [false, true, true])
    }

    @Test func `No actor is current outside of a job`() async {
        let counter = Counter()
        let isCurrent = await onAnotherThread { [counter.isCurrent, MainActor.shared.isCurrent] }
        #expect(isCurrent == [false, false])
    }

    @Test func `No actor is current in a task without one`() async {
        let counter = Counter()
        let isCurrent = await Task.detached { [counter.isCurrent, MainActor.shared.isCurrent] }.value
        #expect(isCurrent == [false, false])
    }

    @Test @MainActor func `The main actor is current in its jobs`() {
        let isCurrent = [MainActor.shared.isCurrent, Counter().isCurrent]
        #expect(isCurrent == [true, false])
    }

    @Test func `The main actor is current in its jobs on any thread`() async {
        #expect(await MainWorker().areCurrent().main)
    }

    @Test func `An actor whose executor passes its jobs to another one is not current`() async {
        #expect(await !MainWorker().areCurrent().own)
    }

    @Test func `Actors with one executor are current together`() async {
        let executor = QueueExecutor()
        let worker = Worker(executor)
        #expect(await worker.isCurrent(worker))
        #expect(await worker.isCurrent(Worker(executor)))
        #expect(await !worker.isCurrent(Worker(QueueExecutor())))
    }

    @Test func `A block on the queue of an executor is no job of it`() {
        let executor = QueueExecutor()
        let worker = Worker(executor)
        #expect(!executor.queue.sync { worker.isCurrent })
    }
}
