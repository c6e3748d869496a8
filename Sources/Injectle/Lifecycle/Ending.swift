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
        var rest: [AnyInstance] = []
        for member in members.reversed() {
            guard let instance = disowned(by: member) else { continue }
            if !rest.isEmpty || instance.disposal?.runHere(on: instance) == false { rest.append(instance) }
        }
        release(&members)
        if rest.isEmpty { return }
        Task { [rest] in for instance in rest { _ = await instance.disposal?.run(on: instance, areReturned: false) } }
    }

    /// Ends cells, and awaits their disposers. Returns the errors of these.
    static func run(_ end: () -> [Member]) async -> [InjectleError] {
        var members = inOrder(end())
        var errors: [InjectleError] = []
        for member in members.reversed() {
            guard let instance = disowned(by: member) else { continue }
            errors += await instance.disposal?.run(on: instance, areReturned: true) ?? []
        }
        release(&members)
        return errors
    }

    /// Disposes of an instance whose cell has ended while it was created.
    static func disposeUnkept(_ instance: AnyInstance, of cell: Cell) {
        guard let disposal = instance.disposal, disposal.release(by: cell), !disposal.runHere(on: instance) else {
            return
        }
        Task { _ = await disposal.run(on: instance, areReturned: false) }
    }

    /// The members in order of creation.
    private static func inOrder(_ members: [Member]) -> [Member] {
        if members.count < 2 { return members }
        let orders = members.map { member in member.cell.state.withLock { $0.instance?.order ?? 0 } }
        return orders.indices.sorted { orders[$0] < orders[$1] }.map { members[$0] }
    }

    /// The instance, if the cell was its last owner. The services that were created later have been disposed of.
    private static func disowned(by member: Member) -> AnyInstance? {
        guard member.cell.record.traits.hasDisposers,
            let instance = member.cell.state.withLock({ $0.instance }), let disposal = instance.disposal
        else { return nil }
        return disposal.release(by: member.cell) ? instance : nil
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
