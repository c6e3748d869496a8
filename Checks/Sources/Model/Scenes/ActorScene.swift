import Dispatch
import Injectle
import InjectleTestSupport

/// Services of an actor whose executor is a queue, and creations that callers of several priorities await.
final class ActorScene: Sendable {
    final class Pool: Sendable {}

    private final class Record {}

    /// Runs jobs on a queue, and says whether code runs there.
    private final class QueueExecutor: SerialExecutor {
        static let isHere = DispatchSpecificKey<ObjectIdentifier>()
        let queue = DispatchQueue(label: "executor")

        init() { queue.setSpecific(key: QueueExecutor.isHere, value: ObjectIdentifier(queue)) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
        func isIsolatingCurrentContext() -> Bool? {
            DispatchQueue.getSpecific(key: QueueExecutor.isHere) == ObjectIdentifier(queue)
        }
    }

    private actor Archive {
        nonisolated let executor = QueueExecutor()
        nonisolated let locator: Locator
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ locator: Locator) { self.locator = locator }

        func register(_ lifetime: Locator.Lifetime) {
            locator.register(
                .lazy {
                    self.preconditionIsolated()
                    return Record()
                }
                .lifetime(lifetime)
            )
        }

        func resolve() throws { _ = try locator.resolve(Record.self) }
    }

    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) async {
        if Int.random(in: 0..<4, using: &random) == 0 { return await raise() }
        let lifetimes: [Locator.Lifetime] = [.lazy, .volatile, .perLocator, .weak]
        let archive = Archive(Locator("archive"))
        await archive.register(lifetimes[Int.random(in: 0..<lifetimes.count, using: &random)])
        do {
            // Outside of a task, the runtime knows the actor only by its executor.
            try archive.executor.queue.sync {
                try archive.assumeIsolated { archive in try archive.resolve() }
            }
        } catch {
            violations.add("a service on the queue of an actor: \(error)")
        }
    }

    /// A waiter of a higher priority raises the priority of a creation.
    private func raise() async {
        let (locator, begun, isRaised) = (Locator("priorities"), Signal(), Guarded(false))
        locator.register(
            .lazy(.anywhere) { () async in
                begun.set()
                while !Task.isCancelled, Task.currentPriority < .high { await Task.yield() }
                isRaised.withLock { $0 = !Task.isCancelled }
                return Pool()
            }
        )
        let low = Task(priority: .low) { try await locator.resolveAsync(Pool.self) }
        await begun.reached()
        let high = Task(priority: .high) { try await locator.resolveAsync(Pool.self) }
        _ = await inTime { _ = await high.result }
        low.cancel()
        high.cancel()
        _ = await low.result
        violations.require(isRaised.value, "a caller of a high priority waits for a creation of a low one")
    }
}
