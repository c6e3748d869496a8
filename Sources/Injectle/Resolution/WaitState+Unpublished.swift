// The instances that are used before they are complete. As in the search for strongly connected components (Tarjan, SIAM Journal
// on Computing 1(2), 1972), a group of creations that use the instances of each other ends when its last one is finished.

extension WaitState {
    /// A creation whose instance others use before it is published, or that uses such an instance.
    struct Unpublished {
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

    /// Records that code uses an instance that is not published: all creations from the one that closes the circle inward.
    mutating func use(_ used: UInt, lentBy lender: Cell?, in part: WaitCircle.Part, _ actions: inout Actions) {
        if unpublished[used] == nil {
            unpublished[used] = Unpublished()
            if let lender { actions.inCircle.append(lender) }
        }
        for cell in part.creations where cell.node != used {
            if unpublished[cell.node] == nil { actions.inCircle.append(cell) }
            unpublished[cell.node, default: Unpublished()].needs.insert(used)
        }
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
        unpublished[node, default: Unpublished()].finished = numbered
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
        /// Whether it has used an instance whose creation has failed, and so may succeed if it is repeated. Of nested creations,
        /// only the outermost one is repeated.
        let isRepeated: Bool
    }

    /// Ends the creation of a node, within others, without an instance.
    mutating func fail(_ node: UInt, within outer: [UInt]) -> Failure {
        func usesFailed(_ node: UInt) -> Bool { unpublished[node]?.hasFailed ?? false }
        let isRepeated = usesFailed(node) && !outer.contains(where: usesFailed)
        unpublished[node] = nil
        return Failure(discarded: discard(usersOf: [node]), isRepeated: isRepeated)
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
