/// Which code waits for which, in the whole process. `WaitState` decides.
///
/// Its lock is taken after the one of an entry, and before the one of a cell. Waiters enter and leave cells with the
/// lock of the graph, so the waits for cells in `WaitState` are the waiters of the cells, and a circle of waits that it
/// finds exists at that moment.
enum WaitGraph {
    private static let state = Mutex(WaitState())

    /// A wait in progress, which `end` ends.
    struct Token {
        fileprivate let number: Int?
    }

    /// Begins the wait of code for a node. Nil if it would never end.
    static func begin(_ code: CallingCode, waitingFor target: Node) -> Token? {
        if code.nodes.isEmpty { return Token(number: nil) }
        let wait = WaitState.Wait(code: code, target: target, waiter: nil)
        guard case .wait(let number) = update({ $0.begin(wait, &$1) }) else { return nil }
        return Token(number: number)
    }

    static func end(_ token: Token?) {
        guard let number = token?.number else { return }
        let ended = state.withLock { $0.endWait(number) }
        withExtendedLifetime(ended) {}
    }

    /// The nodes that one waits for.
    static func awaited(by node: Node) -> [Node] { state.withLock { $0.awaited(by: node) } }

    /// Whether a node can continue only after one of some others: it is that, or waits for it, itself or through
    /// others.
    static func depends(_ node: Node, onOneOf others: [UInt]) -> Bool {
        state.withLock { $0.depends(node, onOneOf: others) }
    }

    // MARK: Creations

    /// What code does that needs an instance in creation.
    enum Joined {
        /// Wait, and then try again.
        case wait(Waiter)
        /// Try again at once: the creation has ended.
        case ended
        /// Use an instance that is not published.
        case use(AnyInstance)
        case circular(CirclePath)
        case deadlock
        /// Throw: a thread cannot wait for a task.
        case asynchronous
    }

    /// Begins to wait for the instance of a cell.
    static func join(_ cell: Cell, _ code: CallingCode, isTask: Bool) -> Joined {
        let joined = update { (state, actions) -> Joined in
            guard let claimant = cell.state.withLock({ $0.claimant }) else { return .ended }
            let waiter = Waiter(for: claimant, in: cell, isTask: isTask)
            let isRefused = !isTask && (claimant.task != nil || needsTask(claimant.id, state))
            let wait = WaitState.Wait(code: code, target: claimant, waiter: waiter, isRefused: isRefused)
            switch state.begin(wait, &actions) {
            case .use(let instance): return .use(instance)
            case .circular(let circle): return .circular(circle)
            case .deadlock: return .deadlock
            case .refused: return .asynchronous
            case .wait(let number):
                waiter.begin(number)
                // Without waiters, a creation ends without this lock.
                if cell.state.withLock({ $0.enter(waiter) }) {
                    if isTask { claimant.task?.addWaiter() }
                    return .wait(waiter)
                }
                if let wait = number.flatMap({ state.endWait($0) }) { actions.released.append(wait) }
                return .ended
            }
        }
        if isTask, case .wait(let waiter) = joined, waiter.awaited.task != nil {
            for creation in state.withLock({ $0.tasks(for: waiter.awaited) }) { creation.raisePriority() }
        }
        return joined
    }

    /// Ends the creation of a cell's instance that others wait for, and their waits.
    ///
    /// A creation within a cancelled one continues, and can use the early instance of that one until its cell has
    /// ended.
    static func endCreation(in cell: Cell, _ body: (inout CellState) -> CellState.EndedCreation)
        -> CellState.EndedCreation
    {
        update { state, actions in
            var (ended, hasFailed) = cell.state.withLock { cell in (body(&cell), cell.owned == nil) }
            if hasFailed { ended.discarded = state.discard(usersOf: cell.nodeID, &actions) }
            actions.released += ended.waiters.compactMap(\.number).compactMap { state.endWait($0) }
            return ended
        }
    }

    /// Ends the wait of one waiter. Returns false if it has ended before.
    static func leave(_ waiter: Waiter) -> Bool {
        let (hasLeft, wait) = state.withLock { state in
            guard waiter.cell.state.withLock({ $0.leave(waiter) }) else { return (false, WaitState.Wait?.none) }
            return (true, waiter.number.flatMap { state.endWait($0) })
        }
        withExtendedLifetime(wait) {}
        return hasLeft
    }

    /// Ends a creation that is part of a circle with an instance.
    static func finish(_ node: UInt, with finished: WaitState.Finished) -> WaitState.Publication {
        let (publication, refused) = update { state, actions in
            let publication = state.finish(node, with: finished, &actions)
            var refused: [Waiter] = []
            guard case .unpublished = publication else { return (publication, refused) }
            for (node, cells) in state.cellsOfFinished where needsTask(node, state) {
                for cell in cells { refused += cell.state.withLock { $0.leaveThreads() } }
            }
            actions.released += refused.compactMap(\.number).compactMap { state.endWait($0) }
            return (publication, refused)
        }
        for waiter in refused { waiter.finish(with: .ended) }
        return publication
    }

    /// Whether a finished instance is published only after a creation in a task. A thread cannot wait for that: all
    /// threads that run tasks could do so.
    private static func needsTask(_ node: UInt, _ state: WaitState) -> Bool {
        state.running(for: node).compactMap { state.unpublished[$0]?.cell }.contains { cell in
            cell.state.withLock { $0.claimant }?.task != nil
        }
    }

    /// Ends a creation that is part of a circle, and of the calling code, without an instance.
    static func fail(_ node: UInt?, within outer: CallingCode) -> WaitState.Failure {
        update { $0.fail(node, within: outer.nodes, &$1) }
    }

    /// Records that the calling code uses the early instance of a creation that it is part of, whose cell has ended.
    static func use(_ early: AnyInstance, lentBy cell: Cell) {
        let creations = CallingCode.current.creations
        let users = creations.firstIndex { $0.cell === cell }.map { creations[$0...].compactMap(\.cell) } ?? []
        update { $0.use(early, of: cell.nodeID, lentBy: cell, users, &$1) }
    }

    /// Updates the state, and performs the actions.
    private static func update<Value>(_ body: (inout WaitState, inout WaitState.Actions) -> Value) -> Value {
        let (value, actions) = state.withLock { state in
            var actions = WaitState.Actions()
            let value = body(&state, &actions)
            for cell in actions.inCircle { cell.state.withLock { $0.isInCircle = true } }
            for ended in actions.ended {
                // Woken below, and not by the end of the creation.
                if let waiter = ended.wait.waiter { waiter.cell.state.withLock { _ = $0.leave(waiter) } }
            }
            return (value, actions)
        }
        withExtendedLifetime(actions.released) {}
        for ended in actions.ended {
            guard let waiter = ended.wait.waiter else { continue }
            waiter.finish(with: ended.answer)
            if waiter.gate == nil { waiter.awaited.task?.removeWaiter() }
        }
        return value
    }
}
