/// Waits each of which is part of the creation that the one before waits for.
struct WaitCircle {
    struct Part {
        let wait: WaitState.Wait
        let number: Int
        /// What the part before waits for, and this wait is part of.
        let node: UInt

        /// The creation that is the node. Nil if the node is none.
        var creation: CallingCode.Creation? { wait.code.position(of: node).map { wait.code.creations[$0] } }
        /// The cells of that creation and of those within it that the waiting code is part of.
        var cells: [Cell] {
            guard let position = wait.code.position(of: node) else { return [] }
            return wait.code.creations[position...].compactMap(\.cell)
        }
    }

    /// The part that closes the circle comes first.
    let parts: [Part]

    init(closedBy wait: WaitState.Wait, in node: UInt, through others: [Part]) {
        parts = [Part(wait: wait, number: 0, node: node)] + others
    }

    /// The circle as the wait at an index is part of it.
    func path(at index: Int) -> CirclePath {
        let own = parts[index]
        let others = (1..<parts.count).map { parts[(index + $0) % parts.count] }
        var services = others.flatMap { part in
            part.wait.code.creations[(part.wait.code.position(of: part.node) ?? 0)...].map(\.identity)
        }
        if let identity = own.creation?.identity { services.append(identity) }
        return CirclePath(position: own.wait.code.position(of: own.node) ?? 0, services: services)
    }
}

/// The services of a circular dependency through creations of other threads or tasks, for its error.
struct CirclePath {
    /// The index of the creation among the creations of the waiting code.
    let position: Int
    /// The services from the requested one back to that creation.
    let services: [Locator.Identity]
}
