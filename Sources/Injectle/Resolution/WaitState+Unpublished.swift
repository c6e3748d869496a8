// The instances that are used before they are complete. As in the search for strongly connected components (Tarjan,
// SIAM Journal on Computing 1(2), 1972), a group of creations that use the instances of each other ends when its last
// one is finished.

extension WaitState {
    /// A creation whose instance others use before it is published, or that uses such an instance.
    struct Unpublished {
        /// The first cell of the creation.
        let cell: Cell
        /// The instance that others use.
        var used: AnyInstance?
        /// The creations whose instances it uses, unless they are published.
        var needs: Set<UInt> = []
        /// The instance, once its closure and its hooks have returned.
        var finished: Finished?
        /// Whether it is discarded or repeated, since it has used an instance whose creation has failed, or got an
        /// error that its request does not get alone.
        var isSpoiled = false
        /// The first cells of creations after which it is repeated.
        var predecessors: [Cell] = []
    }

    /// An instance that cannot be published yet.
    struct Finished: Sendable {
        let acquisition: Acquisition
        let claims: CellClaims
        let instance: AnyInstance
        fileprivate(set) var number = 0

        init(_ acquisition: Acquisition, _ claims: CellClaims, _ instance: AnyInstance) {
            self.acquisition = acquisition
            self.claims = claims
            self.instance = instance
        }
    }

    /// The end of a creation that is part of a circle.
    enum Publication {
        /// Publish these instances, in order of creation, with the finished one.
        case published([Finished])
        /// Wait for the instance, which is not published yet.
        case unpublished
        /// Discard these instances, in order of creation, and repeat the creation after others.
        case discarded([Finished], after: [Cell])
    }

    /// The cells of the finished instances, by node.
    var cellsOfFinished: [UInt: [Cell]] {
        unpublished.compactMapValues(\.finished?.claims).mapValues { claims in
            (0..<claims.count).map { claims[$0].cell }
        }
    }

    /// The creations in progress that have to end before a node does: itself, or if it is finished, those that it
    /// needs.
    func running(for node: UInt) -> [UInt] {
        guard unpublished[node]?.finished != nil else { return [node] }
        var running: [UInt] = []
        var seen: Set<UInt> = [node]
        var pending: [UInt] = [node]
        while let next = pending.popLast() {
            guard let creation = unpublished[next], creation.finished != nil else {
                running.append(next)
                continue
            }
            pending += creation.needs.filter { seen.insert($0).inserted }
        }
        return running
    }

    /// Records that creations use an instance that is not published.
    ///
    /// - Parameter lender: The first cell of the creation whose instance it is, unless it is known.
    mutating func use(
        _ instance: AnyInstance,
        of node: UInt,
        lentBy lender: Cell?,
        _ users: [Cell],
        _ actions: inout Actions
    ) {
        if let lender { add(lender, &actions) }
        if unpublished[node]?.used == nil { unpublished[node]?.used = instance }
        for cell in users where cell.nodeID != node {
            add(cell, &actions)
            unpublished[cell.nodeID]?.needs.insert(node)
        }
    }

    private mutating func add(_ cell: Cell, _ actions: inout Actions) {
        if unpublished[cell.nodeID] != nil { return }
        unpublished[cell.nodeID] = Unpublished(cell: cell)
        actions.inCircle.append(cell)
    }

    private mutating func remove(_ node: UInt, _ actions: inout Actions) {
        if let removed = unpublished.removeValue(forKey: node) { actions.released.append(removed) }
    }

    /// The instance that code waits for, if a creation that it is part of uses that already.
    mutating func usedAgain(_ wait: Wait, _ actions: inout Actions) -> AnyInstance? {
        let node = wait.target.id
        guard let creation = unpublished[node], let instance = creation.finished?.instance ?? creation.used,
            let user = wait.code.creations.firstIndex(where: { link in
                link.cell.flatMap { unpublished[$0.nodeID] }?.needs.contains(node) ?? false
            })
        else { return nil }
        use(instance, of: node, lentBy: nil, wait.code.creations[user...].compactMap(\.cell), &actions)
        return instance
    }

    // MARK: Ending

    /// Lets a creation be discarded and repeated after others.
    private mutating func repeatCreation(_ cell: Cell, after others: [Cell], _ actions: inout Actions) {
        add(cell, &actions)
        unpublished[cell.nodeID]?.isSpoiled = true
        unpublished[cell.nodeID]?.predecessors += others
    }

    /// Ends the creation of a node with an instance.
    mutating func finish(_ node: UInt, with finished: Finished, _ actions: inout Actions) -> Publication {
        lastFinished += 1
        var numbered = finished
        numbered.number = lastFinished
        if let creation = unpublished[node], creation.isSpoiled {
            remove(node, &actions)
            return .discarded(discard(usersOf: [node], &actions) + [numbered], after: creation.predecessors)
        }
        unpublished[node]?.finished = numbered
        let ready = unpublished.keys.filter { running(for: $0).isEmpty }
        let all = ready.compactMap { unpublished[$0]?.finished }.sorted { $0.number < $1.number }
        for node in ready { remove(node, &actions) }
        for node in unpublished.keys { unpublished[node]?.needs.subtract(ready) }
        answerClosedWaits(&actions)
        return ready.contains(node) ? .published(all) : .unpublished
    }

    /// The end of a creation without an instance.
    struct Failure {
        /// The instances that were created with its early one, in order of creation.
        let discarded: [Finished]
        /// Whether it is repeated, after the creations with these first cells.
        let isRepeated: Bool
        let predecessors: [Cell]
    }

    /// Ends a creation, within others, without an instance.
    ///
    /// It is repeated where it may succeed: if it is spoiled, or has used an early instance of another thread, since
    /// its own request would have completed that. Of nested creations, only the outermost such one is repeated, also if
    /// its code has handled the error.
    ///
    /// - Parameter node: Nil for a creation that is not in the graph.
    mutating func fail(_ node: UInt?, within outer: [UInt], _ actions: inout Actions) -> Failure {
        func lenders(_ node: UInt) -> [UInt] {
            let needs = unpublished[node]?.needs ?? []
            return needs.flatMap { running(for: $0) }.filter { $0 != node && !outer.contains($0) }
        }
        func isAffected(_ node: UInt) -> Bool { unpublished[node]?.isSpoiled ?? false || !lenders(node).isEmpty }
        if let affected = outer.first(where: isAffected), let cell = unpublished[affected]?.cell {
            repeatCreation(cell, after: lenders(affected).compactMap { unpublished[$0]?.cell }, &actions)
        }
        guard let node else { return Failure(discarded: [], isRepeated: false, predecessors: []) }
        let predecessors = lenders(node).compactMap { unpublished[$0]?.cell } + (unpublished[node]?.predecessors ?? [])
        let isRepeated = isAffected(node) && !outer.contains(where: isAffected)
        let discarded = discard(usersOf: node, &actions)
        return Failure(discarded: discarded, isRepeated: isRepeated, predecessors: predecessors)
    }

    /// Ends the use of the early instance of a creation that has failed. Returns the instances that were created with
    /// it, in order of creation.
    mutating func discard(usersOf node: UInt, _ actions: inout Actions) -> [Finished] {
        remove(node, &actions)
        return discard(usersOf: [node], &actions)
    }

    private mutating func discard(usersOf nodes: Set<UInt>, _ actions: inout Actions) -> [Finished] {
        var failed: Set<UInt> = nodes
        var discarded: [Finished] = []
        while let (node, creation) = unpublished.first(where: { _, creation in
            creation.finished != nil && !creation.needs.isDisjoint(with: failed)
        }) {
            if let finished = creation.finished { discarded.append(finished) }
            remove(node, &actions)
            failed.insert(node)
        }
        for node in unpublished.keys where unpublished[node]?.needs.isDisjoint(with: failed) == false {
            unpublished[node]?.needs.subtract(failed)
            unpublished[node]?.isSpoiled = true
        }
        return discarded.sorted { $0.number < $1.number }
    }
}
