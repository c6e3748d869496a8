/// Which code waits for which creations, and which instances are used before they are complete.
///
/// A state machine that takes no lock, runs no closure and wakes nothing: each call returns what its caller has to do.
/// It finds circles in the wait-for graph of Coffman, Elphick and Shoshani ("System Deadlocks", ACM Computing Surveys
/// 3(2), 1971) before they close.
///
/// A wait closes a circle if its target waits, itself or through others, for a creation that the waiting code is part
/// of: a thread creates A and waits for B, and another creates B and waits for A. Alone, the first thread would create
/// B itself, and come back to its own creation of A. If A has an early instance then, the request succeeds; otherwise
/// it is a circular dependency. So each wait whose own creation has no early instance gets this error. If all have one,
/// the wait that closes the circle gets the early instance of its target.
///
/// Invariants: the waits form no circle. An instance that was created with others that are not complete stays in its
/// creation until these are finished, too; then all of them are published (`WaitState+Unpublished`).
struct WaitState {
    /// A wait of all that code is part of.
    struct Wait: Sendable {
        let code: CallingCode
        let target: Node
        /// Nil for a wait that only ends by itself.
        let waiter: Waiter?
        /// Whether it is refused, since a thread cannot wait for a task: then it only looks for an instance.
        var isRefused = false
    }

    /// A wait and its number.
    struct Numbered {
        let number: Int
        let wait: Wait
    }

    /// What the caller of `begin` has to do.
    enum Answer {
        /// Wait, and then end the wait with this number. Code that is part of nothing has none: it can close no circle.
        case wait(Int?)
        /// Use an instance that is not published.
        case use(AnyInstance)
        /// Throw: the request would be a circle alone.
        case circular(CirclePath)
        /// Throw: the wait would never end.
        case deadlock
        /// Throw: the wait was refused.
        case refused
    }

    /// What the caller also has to do: some of it with the lock of the graph, and some of it after releasing the lock.
    struct Actions {
        /// The cells whose creations have to end here. Marked with the lock.
        var inCircle: [Cell] = []
        /// The waits of others that have ended. Woken without the lock.
        var ended: [EndedWait] = []
        /// Released without the lock: they can be the last references to objects of the program.
        var released: [any Sendable] = []
    }

    /// The waits in progress, by number. It is empty while nothing waits.
    private var waits: [Int: Wait] = [:]
    /// The numbers of the waits of each node.
    private var numbers: [UInt: [Int]] = [:]
    private var lastNumber = 0
    /// The creations whose instances are used before they are complete, and those that use them, by node.
    var unpublished: [UInt: Unpublished] = [:]
    var lastFinished = 0

    /// Begins a wait, unless it would never end.
    mutating func begin(_ wait: Wait, _ actions: inout Actions) -> Answer {
        if let instance = usedAgain(wait, &actions) { return .use(instance) }
        while let circle = circle(closedBy: wait) {
            // Alone, it would not reach creations of others.
            if wait.isRefused, circle.parts.count > 1 { break }
            guard let answer = answer(to: circle, &actions) else { continue }
            answerClosedWaits(&actions)
            return answer
        }
        if wait.isRefused { return .refused }
        let nodes = wait.code.nodes
        if nodes.isEmpty { return .wait(nil) }
        lastNumber += 1
        waits[lastNumber] = wait
        for node in nodes { numbers[node, default: []].append(lastNumber) }
        return .wait(lastNumber)
    }

    /// Ends a wait. Returns it, to be released without a lock.
    mutating func endWait(_ number: Int) -> Wait? {
        guard let wait = waits.removeValue(forKey: number) else { return nil }
        for node in wait.code.nodes {
            numbers[node]?.removeAll { $0 == number }
            if numbers[node]?.isEmpty == true { numbers[node] = nil }
        }
        return wait
    }

    /// The nodes that one waits for.
    func awaited(by node: Node) -> [Node] { waits(of: node.id).map(\.wait.target) }

    /// Whether a node can continue only after one of some others: it is that, or waits for it, itself or through
    /// others.
    func depends(_ node: Node, onOneOf others: [UInt]) -> Bool {
        let running = reached(from: node).running
        return others.contains { running.contains($0) }
    }

    /// The creations in tasks that a node waits for, itself or through others, and its own. Those behind a finished
    /// instance that is not published are not included: only the numbers of their nodes are known.
    func tasks(for node: Node) -> [TaskCreation] { reached(from: node).targets.compactMap(\.task) }

    /// The nodes that a node waits for, itself or through others, and itself; and those that run for them.
    private func reached(from node: Node) -> (targets: [Node], running: Set<UInt>) {
        var targets = [node]
        var pending = running(for: node.id)
        var seen = Set(pending)
        while let next = pending.popLast() {
            for target in waits(of: next).map(\.wait.target) {
                targets.append(target)
                pending += running(for: target.id).filter { seen.insert($0).inserted }
            }
        }
        return (targets, seen)
    }

    private func waits(of node: UInt) -> [Numbered] {
        (numbers[node] ?? []).compactMap { number in waits[number].map { Numbered(number: number, wait: $0) } }
    }

    // MARK: Circles

    /// The circle that a wait closes, the shortest one.
    ///
    /// - Complexity: O(*n*) in the number of waits: visits each once, however many paths lead to it.
    private func circle(closedBy start: Wait) -> WaitCircle? {
        var steps = [Step(wait: start, number: 0, node: start.target.id, previous: 0)]
        var seen: Set<Int> = []
        var index = 0
        while index < steps.count {
            for node in running(for: steps[index].wait.target.id) {
                if start.code.nodes.contains(node) {
                    return WaitCircle(closedBy: start, in: node, through: path(to: index, in: steps))
                }
                for next in waits(of: node) where seen.insert(next.number).inserted {
                    steps.append(Step(wait: next.wait, number: next.number, node: node, previous: index))
                }
            }
            index += 1
        }
        return nil
    }

    /// A wait that the search for a circle has reached.
    private struct Step {
        let wait: Wait
        let number: Int
        /// What the wait before waits for, and this wait is part of.
        let node: UInt
        /// The position of the wait before.
        let previous: Int
    }

    private func path(to last: Int, in steps: [Step]) -> [WaitCircle.Part] {
        var parts: [WaitCircle.Part] = []
        var index = last
        while index > 0 {
            let step = steps[index]
            parts.append(WaitCircle.Part(wait: step.wait, number: step.number, node: step.node))
            index = step.previous
        }
        return parts.reversed()
    }

    /// Answers the wait that closes a circle. Nil if the circle was broken elsewhere.
    private mutating func answer(to circle: WaitCircle, _ actions: inout Actions) -> Answer? {
        if circle.parts.contains(where: { $0.creation == nil }) { return .deadlock }
        // The waits that are circular dependencies also alone.
        let circular = circle.parts.indices.filter { circle.parts[$0].creation?.early == nil }
        // A wait without a waiter cannot get an error.
        if circular.contains(where: { $0 > 0 && circle.parts[$0].wait.waiter == nil }) { return .deadlock }
        for index in circular where index > 0 {
            endWait(circle.parts[index].number, with: .circular(circle.path(at: index)), &actions)
        }
        if circular.first == 0 { return .circular(circle.path(at: 0)) }
        if !circular.isEmpty { return nil }
        let wait = circle.parts[0].wait
        let lender = circle.parts[1 % circle.parts.count]
        guard let instance = unpublished[wait.target.id]?.finished?.instance ?? lender.creation?.early else {
            return .deadlock
        }
        use(instance, of: wait.target.id, lentBy: lender.creation?.cell, circle.parts[0].cells, &actions)
        return .use(instance)
    }

    private mutating func endWait(_ number: Int, with answer: Answer, _ actions: inout Actions) {
        guard let wait = endWait(number) else { return }
        actions.ended.append(EndedWait(wait: wait, answer: answer))
    }

    /// Answers the waits for finished instances that close a circle since more of them are finished or used.
    mutating func answerClosedWaits(_ actions: inout Actions) {
        while let (number, circle) = closedWait {
            // A circle that was broken elsewhere leaves the wait.
            guard let answer = answer(to: circle, &actions) else { continue }
            endWait(number, with: answer, &actions)
        }
    }

    private var closedWait: (number: Int, circle: WaitCircle)? {
        for (number, wait) in waits where wait.waiter != nil && unpublished[wait.target.id]?.finished != nil {
            if let circle = circle(closedBy: wait) { return (number, circle) }
        }
        return nil
    }
}

/// A wait that has ended with the answer that it would have got from `begin`.
struct EndedWait {
    let wait: WaitState.Wait
    let answer: WaitState.Answer
}
