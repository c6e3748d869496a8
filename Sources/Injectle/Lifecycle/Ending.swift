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
        if members.isEmpty { return }
        var rest = disposingHere(due(members)) + disposingHere(disowned(members))
        release(&members)
        if rest.isEmpty { return }
        rest.sort { $0.order > $1.order }
        Task { [rest] in for instance in rest { _ = await instance.disposal?.run(on: instance, areReturned: false) } }
    }

    /// Disposes of instances, the last one first, up to the first one with an async disposer. Returns the others.
    private static func disposingHere(_ due: [AnyInstance]) -> [AnyInstance] {
        var rest = due
        while let instance = rest.last, instance.disposal?.runHere(on: instance) ?? true { rest.removeLast() }
        return rest
    }

    /// Ends cells, and awaits their disposers. Returns the errors of these.
    static func run(_ end: () -> [Member]) async -> [InjectleError] {
        var members = inOrder(end())
        var errors: [InjectleError] = []
        for instance in due(members).reversed() {
            errors += await instance.disposal?.run(on: instance, areReturned: true) ?? []
        }
        for instance in disowned(members).reversed() {
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

    /// The instances with disposers that the cells own, each with these cells, in order of creation.
    private static func owned(_ members: [Member]) -> [(instance: AnyInstance, disposal: Disposal, cells: [Cell])] {
        var owned: [(instance: AnyInstance, disposal: Disposal, cells: [Cell])] = []
        var positions: [ObjectIdentifier: Int] = [:]
        for (cell, _) in members where cell.record.traits.hasDisposers {
            guard let instance = cell.state.withLock({ $0.instance }), let disposal = instance.disposal,
                instance.type != WeakReference.self
            else { continue }
            if let position = positions[ObjectIdentifier(disposal)] {
                owned[position].cells.append(cell)
            } else {
                positions[ObjectIdentifier(disposal)] = owned.count
                owned.append((instance, disposal, [cell]))
            }
        }
        return owned
    }

    /// The instances of which nothing but these cells is an owner. From now on, these are disposed of.
    private static func due(_ members: [Member]) -> [AnyInstance] {
        owned(members).filter { $0.disposal.claim(ending: $0.cells) }.map(\.instance)
    }

    /// Gives the ownership up. Returns the instances that have lost their other owners meanwhile.
    private static func disowned(_ members: [Member]) -> [AnyInstance] {
        owned(members).filter { _, disposal, cells in cells.contains { disposal.release(by: $0) } }.map(\.instance)
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
