import Dispatch
import Injectle
import InjectleTestSupport
import Testing

private final class Record {
    init() {}
}

/// Runs jobs on a queue, and says whether code runs there.
private final class QueueExecutor: SerialExecutor {
    static let isHere = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "executor")

    init() { queue.setSpecific(key: QueueExecutor.isHere, value: true) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
    func isIsolatingCurrentContext() -> Bool? { DispatchQueue.getSpecific(key: QueueExecutor.isHere) == true }
}

private actor Archive {
    nonisolated let executor = QueueExecutor()
    nonisolated let locator: Locator
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ locator: Locator) { self.locator = locator }

    func register() {
        locator.register(
            .lazy {
                self.preconditionIsolated()
                return Record()
            }
        )
        locator.register(.volatile { Record() }, key: "volatile")
    }

    func resolve(_ key: String? = nil) throws { _ = try locator.resolve(Record.self, key: key) }
}

/// An actor whose executor is a queue.
@Suite struct QueueActorTests {
    private let locator = Locator("queue")

    @Test(arguments: [nil, "volatile"])
    func `Code on the queue of an actor creates its services`(_ key: String?) async {
        let archive = Archive(locator)
        await archive.register()
        // Outside of a task, the runtime knows the actor only by its executor.
        let error = archive.executor.queue.sync {
            archive.assumeIsolated { archive in thrown { try archive.resolve(key) } }
        }
        #expect(error == nil)
    }

    @Test func `Code on another queue does not create its services`() async {
        let archive = Archive(locator)
        await archive.register()
        let error = DispatchQueue(label: "other").sync { [locator] in thrown { try locator.resolve(Record.self) } }
        #expect(error == .wrongIsolation)
    }

    @Test func `Code of the actor creates its services`() async throws {
        let archive = Archive(locator)
        await archive.register()
        try await archive.resolve()
    }
}
