/// Waits each of which is part of the creation that the one before waits for.
struct WaitCircle {
    struct Part {
        let wait: WaitState.Wait
        let number: Int
        /// The node that the part before waits for, and that this wait is part of.
        let creation: UInt

        /// That creation. Nil if the node is none.
        var link: CallingCode.Link? { wait.code.position(of: creation).map { wait.code.links[$0] } }
        /// The cells of that creation and of those within it that the waiting code is part of.
        var creations: [Cell] {
            guard let position = wait.code.position(of: creation) else { return [] }
            return wait.code.links[position...].compactMap(\.cell)
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
            part.wait.code.links[(part.wait.code.position(of: part.creation) ?? 0)...].map(\.identity)
        }
        if let identity = own.link?.identity { services.append(identity) }
        return CircularWait(position: own.wait.code.position(of: own.creation) ?? 0, services: services)
    }
}

/// A circular dependency through creations of other threads or tasks.
struct CircularWait {
    /// The position of the creation in the code of the waiting code.
    let position: Int
    /// The services from the requested one back to that creation.
    let services: [Locator.Identity]
}
