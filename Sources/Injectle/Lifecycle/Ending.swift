/// The one ending of instances: of a close, a reset, an unregistration, a replacement, a scope, a resolve, and of the last
/// reference to a locator.
///
/// First, the cells end, so that nothing is created in them any more. Then the disposers run in reverse order of creation,
/// while all instances can still be read. Then the instances are released in reverse order of creation, each unreadable only
/// once it is itself released: so a `deinit` can read its dependencies.
enum Ending {
    /// A cell that has ended with an instance, or a registration that has ended.
    struct Member {
        let record: AnyRecord
        /// The order of creation; 0 if there is no instance.
        let order: UInt
        /// The cell and its holder. Nil for a registration without one, as of an eager value, whose instance it has itself.
        var cell: Cell?
        var holder: (any CellHolder)?
        /// Whether the registration leaves its entries, after all of its instances.
        var emptiesEntries = false
    }

    /// An instance whose disposers do not run at once.
    private struct Deferred {
        let instance: AnyInstance
        let cell: Cell
    }

    /// Ends cells at once. Async disposers, and all after them, run in a task, in order.
    ///
    /// - Parameter end: Ends cells, and adds those with an instance. A closure, so that no caller retains them.
    static func run(_ end: (inout [Member]) -> Void) {
        var members: [Member] = []
        end(&members)
        if members.isEmpty { return }
        sort(&members)
        let deferred = dispose(of: members)
        release(&members)
        if deferred.isEmpty { return }
        Task {
            for item in deferred { _ = await item.instance.disposal?.run(on: item.instance, disownedBy: item.cell) }
        }
    }

    /// Runs disposers in reverse order of creation, up to the first one that has to run elsewhere. Returns the rest.
    private static func dispose(of members: [Member]) -> [Deferred] {
        var deferred: [Deferred] = []
        for member in members.reversed() {
            guard let cell = member.cell, let instance = owned(by: cell) else { continue }
            if deferred.isEmpty, instance.disposal?.runHere(on: instance, disownedBy: cell) != false { continue }
            deferred.append(Deferred(instance: instance, cell: cell))
        }
        return deferred
    }

    /// Ends cells, and awaits their disposers. Returns the errors of these.
    static func run(_ end: (inout [Member]) -> Void) async -> [InjectleError] {
        var members: [Member] = []
        end(&members)
        sort(&members)
        var errors: [InjectleError] = []
        for member in members.reversed() {
            guard let cell = member.cell, let instance = owned(by: cell) else { continue }
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

    /// Sorts members in order of creation, unless they are.
    private static func sort(_ members: inout [Member]) {
        for index in members.indices.dropFirst() where members[index].order < members[index - 1].order {
            return members.sort { $0.order < $1.order }
        }
    }

    /// The instance of a cell, if it has disposers. The cell owns it until its turn comes: the services that were created later
    /// have been disposed of then.
    private static func owned(by cell: Cell) -> AnyInstance? {
        let instance = cell.state.withLock { $0.owned }
        return instance?.disposal == nil ? nil : instance
    }

    /// Releases the instances, the last one first. No other variable retains them.
    private static func release(_ members: inout [Member]) {
        while let member = members.popLast() {
            let core: LocatorCore = member.record.core
            var (hidden, emptied) = ([AnyInstance](), LocatorCore.Emptied())
            let instance = member.cell?.state.withLock { $0.release() }
            if member.emptiesEntries {
                emptied = core.empty(member.record)
            } else {
                if member.record.traits.lifetime.isShown { hidden = core.hide(member.record) }
                if let cell = member.cell { member.holder?.remove(cell) }
            }
            withExtendedLifetime((instance, hidden, emptied)) {}
        }
    }
}
