// The instances that are used before they are complete. As in the search for strongly connected components (Tarjan, SIAM Journal
// on Computing 1(2), 1972), a group of creations that use the instances of each other ends when its last one is finished.

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
        /// Whether a creation has failed whose instance it uses.
        var hasFailed = false
    }

    /// An instance that cannot be published yet.
    struct Finished: Sendable {
        let instance: AnyInstance
        /// Publishes the instance, or discards it, without a lock.
        let end: @Sendable (_ isPublished: Bool) -> Void
        fileprivate var number = 0

        init(_ instance: AnyInstance, end: @escaping @Sendable (_ isPublished: Bool) -> Void) {
            self.instance = instance
            self.end = end
        }
    }

    /// The end of a creation that is part of a circle.
    enum Ending {
        /// Publish these instances, the one that was finished among them.
        case published([Finished])
        /// Wait for the instance, which is not published yet.
        case unpublished
        /// Discard these instances: another one that they were created with is not created.
        case discarded([Finished])
    }

    /// The creations in progress that have to end before a node does: itself, or if it is finished, those that it needs.
    func running(for node: UInt) -> [UInt] {
        guard unpublished[node]?.finished != nil else { return [node] }
        var running: [UInt] = []
        var (seen, pending): (Set<UInt>, [UInt]) = ([node], [node])
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
    /// - Parameter lender: The first cell of the creation whose instance it is.
    mutating func use(
        _ instance: AnyInstance,
        of node: UInt,
        lentBy lender: Cell?,
        _ users: [Cell],
        _ actions: inout Actions
    ) {
        if let lender { add(lender, &actions) }
        unpublished[node]?.used = instance
        for cell in users where cell.node != node {
            add(cell, &actions)
            unpublished[cell.node]?.needs.insert(node)
        }
    }

    private mutating func add(_ cell: Cell, _ actions: inout Actions) {
        if unpublished[cell.node] != nil { return }
        unpublished[cell.node] = Unpublished(cell: cell)
        actions.inCircle.append(cell)
    }

    /// The instance that code waits for, if a creation that it is part of uses that already.
    mutating func usedAgain(_ wait: Wait, _ actions: inout Actions) -> AnyInstance? {
        let node = wait.target.id
        guard let creation = unpublished[node], let instance = creation.finished?.instance ?? creation.used,
            let user = wait.chain.links.firstIndex(where: { link in
                link.cell.flatMap { unpublished[$0.node] }?.needs.contains(node) ?? false
            })
        else { return nil }
        use(instance, of: node, lentBy: nil, wait.chain.links[user...].compactMap(\.cell), &actions)
        return instance
    }

    /// Ends the creation of a node with an instance.
    mutating func finish(_ node: UInt, with finished: Finished, _ actions: inout Actions) -> Ending {
        if unpublished[node]?.hasFailed ?? false {
            unpublished[node] = nil
            return .discarded([finished] + discard(usersOf: [node]))
        }
        lastFinished += 1
        var numbered = finished
        numbered.number = lastFinished
        unpublished[node]?.finished = numbered
        let ready = unpublished.keys.filter { running(for: $0).isEmpty }
        let all = ready.compactMap { unpublished.removeValue(forKey: $0)?.finished }.sorted { $0.number < $1.number }
        for node in unpublished.keys { unpublished[node]?.needs.subtract(ready) }
        answerClosedWaits(&actions)
        return ready.contains(node) ? .published(all) : .unpublished
    }

    /// The end of a creation without an instance.
    struct Failure {
        /// The instances that were created with its early one.
        let discarded: [Finished]
        /// Whether it is repeated, after these creations.
        let isRepeated: Bool
        let others: [Cell]
    }

    /// Ends the creation of a node, within others, without an instance.
    ///
    /// It is repeated where it may succeed: if it has used an instance whose creation has failed, or if it is a circle, and has
    /// used an early instance of another thread. Alone, its own request would have completed that. Of nested creations, only the
    /// outermost one is repeated.
    mutating func fail(_ node: UInt, within outer: [UInt], isCircle: Bool) -> Failure {
        func others(_ node: UInt) -> [UInt] {
            guard isCircle, let needs = unpublished[node]?.needs else { return [] }
            return needs.flatMap { running(for: $0) }.filter { $0 != node && !outer.contains($0) }
        }
        func isAffected(_ node: UInt) -> Bool { unpublished[node]?.hasFailed ?? false || !others(node).isEmpty }
        let cells = others(node).compactMap { unpublished[$0]?.cell }
        let isRepeated = isAffected(node) && !outer.contains(where: isAffected)
        unpublished[node] = nil
        return Failure(discarded: discard(usersOf: [node]), isRepeated: isRepeated, others: cells)
    }

    private mutating func discard(usersOf nodes: Set<UInt>) -> [Finished] {
        var (failed, discarded): (Set<UInt>, [Finished]) = (nodes, [])
        while let (node, finished) = unpublished.lazy
            .compactMap({ node, creation in creation.finished.map { (node, $0) } })
            .first(where: { !(unpublished[$0.0]?.needs.isDisjoint(with: failed) ?? true) })
        {
            unpublished[node] = nil
            failed.insert(node)
            discarded.append(finished)
        }
        for node in unpublished.keys where unpublished[node]?.needs.isDisjoint(with: failed) == false {
            unpublished[node]?.needs.subtract(failed)
            unpublished[node]?.hasFailed = true
        }
        return discarded
    }
}
