internal import CInjectle

/// What code is part of: the creations on the way to it, and a close or a call that applies modules.
struct CallingCode: Sendable {
    /// A creation that the code is part of.
    struct Creation: Sendable {
        let identity: Locator.Identity
        /// The first of the cells that the creation has claimed. Nil if it has none.
        let cell: Cell?
        /// The instance while its hooks run, if the service is shared.
        let early: AnyInstance?
    }

    /// The creations, outermost first.
    let creations: [Creation]
    /// The nodes that wait if the code does.
    let nodes: [UInt]

    init(_ creations: [Creation] = [], besides others: [UInt] = []) {
        self.creations = creations
        var nodes = creations.compactMap(\.cell?.nodeID)
        for node in others where !nodes.contains(node) { nodes.append(node) }
        self.nodes = nodes
    }

    /// Whether one of the creations ends in the wait-for graph.
    var isInCircle: Bool { creations.contains { $0.cell?.state.withLock { $0.isInCircle } ?? false } }

    /// The position of the creation that is a node. Nil if the node is none.
    func position(of node: UInt) -> Int? { creations.firstIndex { $0.cell?.nodeID == node } }
}

extension CallingCode {
    /// What the calling code is part of.
    static var current: CallingCode {
        var creations: [Creation] = []
        var next = Frame.Link.current
        while let frame = next {
            // A transient service has no instance for other requests.
            let isTransient = frame.record?.traits.lifetime.isTransient ?? true
            let early = isTransient ? nil : frame.early
            creations.append(Creation(identity: frame.identity, cell: frame.cell, early: early))
            next = frame.outer
        }
        var others = Ending.currentNodes
        let moduleCall = injectle_module_call()
        if moduleCall != 0 { others.append(moduleCall) }
        return CallingCode(creations.reversed(), besides: others)
    }
}
