/// One making in a task of its own, for all who wait for it.
///
/// Nobody who waits runs it, so each can leave; when the last has left, it is cancelled. Whoever asks for it while it
/// ends in vain is told to ask again.
///
/// Invariant: `claims` is filled before the task begins, and read by it alone. What changes besides is touched only
/// under `lock`.
final class TaskMaking: Strand, @unchecked Sendable {
    // Sound to share: see the invariant. What the request has is not changed.

    /// A cell in which the instance is claimed for this, and who holds it.
    struct Claim {
        let cell: Cell
        let keep: Plan.Keep
    }

    let slot: Slot
    private let request: Request
    private let asking: Core
    private let plan: Plan
    /// What was claimed, the innermost first.
    var claims: [Claim] = []
    /// The waiter of whoever asked first, whom the cell keeps.
    private(set) weak var requester: Cell.TaskWaiter?

    private let lock = Lock()
    private var waiting = 1
    private var isCancelled = false
    private var task: Task<Void, Never>?

    init(_ slot: Slot, _ request: Request, _ asking: Core, _ plan: Plan) {
        self.slot = slot
        self.request = request
        self.asking = asking
        self.plan = plan
    }

    /// The waiter of whoever claims a cell for this, to be entered there.
    func makeRequester(in cell: Cell, of holder: any CellHolder) -> Cell.TaskWaiter {
        let strand = TaskFrame.currentStrand ?? Closing.currentStrand
        // Nothing waits for anything on behalf of a making that has not begun, so this closes no circle.
        _ = strand?.begin(waitingFor: self)
        let waiter = Cell.TaskWaiter(for: cell, of: holder, strand: strand, maker: self)
        requester = waiter
        return waiter
    }

    /// Begins the task, which inherits what is bound to task-locals here. Returns the waiter of whoever asked first.
    func begin() -> Cell.TaskWaiter? {
        // Until here, nobody could tell it anything, so it is there.
        let requester = requester
        let task = Task { await run() }
        let isCancelled = lock.withLock {
            self.task = task
            return self.isCancelled
        }
        if isCancelled { task.cancel() }
        return requester
    }

    override func isWaitedFor() {
        lock.withLock { waiting += 1 }
    }

    override func isWaitedForNoMore() {
        let isUnwanted = lock.withLock {
            waiting -= 1
            return waiting == 0
        }
        if isUnwanted { cancel() }
    }

    /// Cancels the task, whoever waits.
    func cancel() {
        let task = lock.withLock {
            isCancelled = true
            return self.task
        }
        task?.cancel()
    }

    private func run() async {
        var outcome = await TaskMaking.make(slot, request, plan, as: self)
        // What a making that nobody wanted any more has failed by is nobody's error.
        if case .failure? = outcome, lock.withLock({ isCancelled }) { outcome = nil }
        let making = Making(slot: slot, request: request, asking: asking)
        for claim in claims { outcome = making.end(claim.cell, of: claim.keep, by: outcome) }
        claims = []
    }

    /// Calls the closure, as part of the task that this is called in. Nil if the registration has gone.
    static func make(
        _ slot: Slot,
        _ request: Request,
        _ plan: Plan,
        as strand: Strand? = nil
    ) async -> Result<Instance, InjectleError>? {
        let record = slot.record
        // The last registration of it may go between the claim and here, and takes the closure along.
        let closure = record.kind.isKept ? slot.core.makeInTask(of: record) : record.makeInTask
        guard let make = closure else { return nil }
        Startup.notes(record)
        do {
            let instance = try await TaskFrame.run(
                slot: slot,
                core: plan.maker,
                arguments: request.arguments,
                strand: strand
            ) {
                let began = plan.maker.willCreate(slot)
                do {
                    let instance = try await make(plan.maker, request.arguments)
                    plan.maker.didCreate(slot, since: began)
                    return instance
                } catch {
                    plan.maker.didCreate(slot, since: began, failure: error)
                    throw error
                }
            }
            return .success(instance)
        } catch {
            return .failure(.making(slot, threw: error, askedBy: request))
        }
    }
}
