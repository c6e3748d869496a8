/// What code is part of: the creations on the way to it, and a close or a call that applies modules.
struct Chain: Sendable {
    struct Link: Sendable {
        let identity: Locator.Identity
        /// The first of the cells that the creation has claimed. Nil if it has none.
        let cell: Cell?
        /// The instance while its hooks run, if the service is shared.
        let early: AnyInstance?
    }

    /// The creations, outermost first.
    let links: [Link]
    /// The nodes that wait if the code does.
    let nodes: [UInt]

    init(_ links: [Link] = [], besides others: [UInt] = []) {
        self.links = links
        var nodes = links.compactMap(\.cell?.node)
        for node in others where !nodes.contains(node) { nodes.append(node) }
        self.nodes = nodes
    }

    /// Whether one of the creations ends in the wait-for graph.
    var isInCircle: Bool { links.contains { $0.cell?.state.withLock { $0.isInCircle } ?? false } }

    /// The position of the creation that is a node. Nil if the node is none.
    func position(of node: UInt) -> Int? { links.firstIndex { $0.cell?.node == node } }
}

/// Waits each of which is part of the creation that the one before waits for.
struct WaitCircle {
    struct Part {
        let wait: WaitState.Wait
        let number: Int
        /// The node that the part before waits for, and that this wait is part of.
        let creation: UInt

        /// That creation. Nil if the node is none.
        var link: Chain.Link? { wait.chain.position(of: creation).map { wait.chain.links[$0] } }
        /// The cells of that creation and of those within it that the waiting code is part of.
        var creations: [Cell] {
            guard let position = wait.chain.position(of: creation) else { return [] }
            return wait.chain.links[position...].compactMap(\.cell)
        }
    }

    /// The part that closes the circle comes first.
    let parts: [Part]

    init(closedBy wait: WaitState.Wait, in creation: UInt, through others: [Part]) {
        parts = [Part(wait: wait, number: 0, creation: creation)] + others
    }

    /// The circle as the wait at an index is part of it.
    func error(at index: Int) -> CircularWait {
        let own = parts[index]
        let others = (1..<parts.count).map { parts[(index + $0) % parts.count] }
        var services = others.flatMap { part in
            part.wait.chain.links[(part.wait.chain.position(of: part.creation) ?? 0)...].map(\.identity)
        }
        if let identity = own.link?.identity { services.append(identity) }
        return CircularWait(position: own.wait.chain.position(of: own.creation) ?? 0, services: services)
    }
}

/// A circular dependency through creations of other threads or tasks.
struct CircularWait {
    /// The position of the creation in the chain of the waiting code.
    let position: Int
    /// The services from the requested one back to that creation.
    let services: [Locator.Identity]
}
