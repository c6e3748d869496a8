/// The one ending of instances: of a close, a reset, an unregistration, a replacement, a scope, a resolve, and of the last
/// reference to a locator.
///
/// First, the cells end, so that nothing is created in them any more. Then the disposers run in reverse order of creation,
/// while all instances can still be read. Then the instances are released in reverse order of creation, each unreadable only
/// once it is itself released: so a `deinit` can read its dependencies.
enum Ending {
    /// A cell that has ended with an instance, and its store.
    typealias Member = (cell: Cell, store: CellStore)

    /// Ends cells at once. Async disposers, and all after them, run in a task, in order.
    ///
    /// - Parameter end: Ends cells, and returns those with an instance. A closure, so that no caller retains them.
    static func run(_ end: () -> [Member]) {
        var members = inOrder(end())
        var rest: [(instance: AnyInstance, cell: Cell)] = []
        for (cell, _) in members.reversed() {
            guard let instance = owned(by: cell) else { continue }
            if rest.isEmpty, instance.disposal?.runHere(on: instance, disownedBy: cell) != false { continue }
            rest.append((instance, cell))
        }
        release(&members)
        if rest.isEmpty { return }
        Task { [rest] in
            for (instance, cell) in rest { _ = await instance.disposal?.run(on: instance, disownedBy: cell) }
        }
    }

    /// Ends cells, and awaits their disposers. Returns the errors of these.
    static func run(_ end: () -> [Member]) async -> [InjectleError] {
        var members = inOrder(end())
        var errors: [InjectleError] = []
        for (cell, _) in members.reversed() {
            guard let instance = owned(by: cell) else { continue }
            errors += await instance.disposal?.run(on: instance, disownedBy: cell, areReturned: true) ?? []
        }
        release(&members)
        return errors
    }

    /// Disposes of an instance whose cell has ended while it was created.
    static func disposeUnkept(_ instance: AnyInstance, of cell: Cell) {
        guard let disposal = instance.disposal, !disposal.runHere(on: instance, disownedBy: cell) else { return }
        Task { _ = await disposal.run(on: instance, disownedBy: cell) }
    }

    /// The members in order of creation.
    private static func inOrder(_ members: [Member]) -> [Member] {
        if members.count < 2 { return members }
        let orders = members.map { member in member.cell.state.withLock { $0.instance?.order ?? 0 } }
        return orders.indices.sorted { orders[$0] < orders[$1] }.map { members[$0] }
    }

    /// The instance of a cell, if it has disposers. The cell owns it until its turn comes: the services that were created later
    /// have been disposed of then.
    private static func owned(by cell: Cell) -> AnyInstance? {
        cell.record.traits.hasDisposers ? cell.state.withLock { $0.instance } : nil
    }

    /// Releases the instances, the last one first. No other variable retains them.
    private static func release(_ members: inout [Member]) {
        while let (cell, store) = members.popLast() {
            let instance = cell.state.withLock { $0.release() }
            let forms = cell.record.core.hide(cell.record)
            store.remove(cell)
            withExtendedLifetime((instance, forms)) {}
        }
    }
}
