/// One creation in a task of its own, for all who wait for it.
///
/// Nobody who waits runs it, so each can leave; when the last has left, it is cancelled. Whoever asks for it while it
/// ends in vain is told to ask again.
///
/// Invariant: `claims` is filled before the task begins, and read by it alone. What changes besides is touched only
/// under `lock`.
final class TaskCreation: WaitNode, @unchecked Sendable {
    // Sound to share: see the invariant. What the request has is not changed.

    /// A cell in which the instance is claimed for this, and who holds it.
    struct Claim {
        let cell: OnceCell
        let candidate: LifetimePlan.Candidate
    }

    let entry: Entry
    private let request: Request
    private let caller: LocatorCore
    private let plan: LifetimePlan
    /// What was claimed, the innermost first.
    var claims: [Claim] = []
    /// The waiter of whoever asked first, whom the cell candidates.
    private(set) weak var requester: OnceCell.TaskWaiter?

    private let lock = Lock()
    private var waiting = 1
    private var isCancelled = false
    private var task: Task<Void, Never>?

    init(_ entry: Entry, _ request: Request, _ caller: LocatorCore, _ plan: LifetimePlan) {
        self.entry = entry
        self.request = request
        self.caller = caller
        self.plan = plan
    }

    /// The waiter of whoever claims a cell for this, to be entered there.
    func makeRequester(in cell: OnceCell, of cache: any InstanceCache) -> OnceCell.TaskWaiter {
        let node = TaskFrame.currentNode ?? CloseOperation.currentNode
        // Nothing waits for anything on behalf of a creation that has not begun, so this closes no circle.
        _ = node?.begin(waitingFor: self)
        let waiter = OnceCell.TaskWaiter(node: node, creator: self) { cache.leave(cell, $0) }
        requester = waiter
        return waiter
    }

    /// Begins the task, which inherits what is bound to task-locals here. Returns the waiter of whoever asked first.
    func begin() -> OnceCell.TaskWaiter? {
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
        var outcome = await TaskCreation.make(entry, request, plan, as: self)
        // What a creation that nobody wanted any more has failed by is nobody's error.
        if case .failure? = outcome, lock.withLock({ isCancelled }) { outcome = nil }
        let creation = Creation(entry: entry, request: request, caller: caller)
        for claim in claims { outcome = creation.end(claim.cell, of: claim.candidate, by: outcome) }
        claims = []
    }

    /// Calls the closure, as part of the task that this is called in. Nil if the registration has gone.
    static func make(
        _ entry: Entry,
        _ request: Request,
        _ plan: LifetimePlan,
        as node: WaitNode? = nil
    ) async -> Result<Instance, InjectleError>? {
        let record = entry.record
        // The last registration of it may go between the claim and here, and takes the closure along.
        let closure = record.isSingleton ? entry.core.asyncFactory(of: record) : record.asyncFactory
        guard let make = closure else { return nil }
        StartOperation.notes(record)
        do {
            let instance = try await TaskFrame.run(
                entry: entry,
                core: plan.creator,
                arguments: request.arguments,
                node: node
            ) {
                let began = plan.creator.willCreate(entry)
                do {
                    let instance = try await make(plan.creator, request.arguments)
                    plan.creator.didCreate(entry, since: began)
                    return instance
                } catch {
                    plan.creator.didCreate(entry, since: began, failure: error)
                    throw error
                }
            }
            return .success(instance)
        } catch {
            return .failure(.creation(entry, threw: error, requestedBy: request))
        }
    }
}
