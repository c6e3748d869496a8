internal import CInjectle

/// The one ending of instances: of a close, a reset, an unregistration, a replacement, a scope, a resolve, and of the
/// last reference to a locator.
///
/// First, the cells end, so that nothing is created in them any more. Then the disposers run in reverse order of
/// creation, while all instances can still be read. Then the instances are released in reverse order of creation, each
/// unreadable only once it is itself released: so a `deinit` can read its dependencies.
///
/// An async disposer, and a disposer or an instance of another actor, leave themselves and all that was created before
/// to a task, unless the caller waits for the ending. So does an ending for which the stack is too short: disposers and
/// a `deinit` can begin endings within endings, to any depth.
enum Ending {
    /// A cell that has ended with an instance, or a registration that has ended.
    struct Item: Sendable {
        let record: AnyRecord
        /// The order of creation; 0 if there is no instance.
        let order: UInt
        /// The cell and its holder. Nil for a registration without a cell, as of an eager value, which its record retains.
        var cell: Cell?
        var holder: (any CellHolder)?
        /// Whether the registration leaves its entries, after all of its instances.
        var emptiesEntries = false

        /// Whether it has an instance with disposers.
        var hasDisposers: Bool { cell != nil && record.traits.hasDisposers }

        /// Whether its instance was created on the main actor, and is released there.
        var isOfMainActor: Bool {
            guard let cell, order > 0, !cell.key.isWeak else { return false }
            return record.traits.isolation.isMainActor
        }

        /// The instance, if it has disposers. The cell owns it until its turn comes: the services that were created
        /// later have been disposed of then.
        var disposable: AnyInstance? {
            let instance = cell?.state.withLock { $0.instance }
            return instance?.disposal == nil ? nil : instance
        }
    }

    /// Ends cells at once, or as far as the calling thread can. A task does the rest.
    ///
    /// - Parameter end: Ends cells, and adds those with an instance. A closure, so that no caller retains them. Returns the
    ///   operation for which closes of the locators wait, if there are disposers.
    static func endNow(_ end: (inout [Item]) -> EndingOperation?) {
        var items: [Item] = []
        let operation = end(&items)
        guard let operation else {
            if items.isEmpty { return }
            return endItems(&items, in: nil)
        }
        operation.perform { endItems(&items, in: operation) }
    }

    private static func endItems(_ items: inout [Item], in operation: EndingOperation?) {
        sort(&items)
        var undisposed = items.count
        // A task has a stack of its own.
        if !injectle_stack_is_short() {
            undisposed = dispose(of: items)
            release(&items, downTo: undisposed)
        }
        if !items.isEmpty {
            EndingOperation.leaveToTask(EndingRest(items, undisposed: undisposed), in: operation)
        } else if let operation {
            operation.end()
            operation.decide(nil)
        }
    }

    /// Ends cells, and awaits their disposers and releases.
    static func endAwaiting(_ end: (inout [Item]) async -> Void) async -> [EndingRest.Failure] {
        var items: [Item] = []
        await end(&items)
        sort(&items)
        let rest = EndingRest(items, undisposed: items.count)
        items = []
        return await rest.finish(areReturned: true)
    }

    /// Sorts items in order of creation, unless they are.
    private static func sort(_ items: inout [Item]) {
        if items.count < 2 { return }
        for index in items.indices.dropFirst() where items[index].order < items[index - 1].order {
            return items.sort { $0.order < $1.order }
        }
    }

    /// Runs disposers in reverse order of creation, up to the first one that has to run elsewhere. Returns the number
    /// of items that are left.
    private static func dispose(of items: [Item]) -> Int {
        var count = items.count
        while count > 0 {
            if items[count - 1].hasDisposers, !disposeHere(of: items[count - 1]) { return count }
            count -= 1
        }
        return 0
    }

    /// Returns false if the disposers cannot all run here at once.
    private static func disposeHere(of item: Item) -> Bool {
        guard let cell = item.cell, let instance = item.disposable else { return true }
        return instance.disposal?.runHere(on: instance, disownedBy: cell) ?? true
    }

    /// Releases instances, the last one first, down to a number of items, or to the first one that belongs elsewhere.
    private static func release(_ items: inout [Item], downTo count: Int) {
        while items.count > count {
            if items[items.count - 1].isOfMainActor, !ClosureIsolation.mainActor.isHere { return }
            if let item = items.popLast() { release(item) }
        }
    }

    /// Releases an instance, which no other variable retains.
    static func release(_ item: Item) {
        let core: LocatorCore = item.record.core
        let instance = item.cell?.state.withLock { $0.release() }
        if item.emptiesEntries {
            let emptied = core.empty(item.record)
            return withExtendedLifetime((instance, emptied)) {}
        }
        let hidden = item.record.traits.lifetime.isShown ? core.hideInstance(of: item.record) : []
        if let cell = item.cell { item.holder?.remove(cell) }
        // Another ending has removed the registration meanwhile.
        let emptied = item.record.isEnded ? core.emptyIfLeft(item.record) : nil
        withExtendedLifetime((instance, hidden, emptied)) {}
    }
}
