/// New instances whose cells have ended before their creation did, so that no request finds them: after a reset, or
/// with another creation that has failed.
///
/// The creation ends them as any ending does. A close of their locators waits for the creation first
/// (`LocatorCore.lateCreations`), and from `add` on for this ending.
struct LateInstances {
    private var items: [EndingItem] = []
    private var ending: Ending?

    /// Adds the instance of a cell whose creation has returned. Those that have waited for it wake before its disposers
    /// run: they create other instances, or close the locator.
    mutating func add(
        _ cell: Cell,
        in holder: any CellHolder,
        _ instance: AnyInstance,
        _ ended: CellState.EndedCreation
    ) {
        let item = EndingItem(record: cell.record, order: instance.order, cell: cell, holder: holder)
        let core = item.core
        items.append(item)
        let ending = ending ?? Ending(of: core)
        self.ending = ending
        ending.add(to: core)
        core.removeLateCreation(in: cell)
        ended.wake(with: .ended)
    }

    /// Disposes of the instances, once no creation of them is in progress, which their disposers could request.
    func end() {
        guard let ending else { return }
        Ending.endNow { items in
            items = self.items
            return ending
        }
    }
}
