/// What has cells of registrations: a locator, a scope, one resolve, or a property.
///
/// Invariant: each cell that has not ended is in one holder, by its record and, where these distinguish instances, by
/// its arguments. No user code runs under the lock: arguments are compared without it.
protocol CellHolder: AnyObject, Sendable {
    /// Calls `body` under the lock with the cells of a record.
    ///
    /// - Parameter body: Also receives whether the holder has ended, and accepts no new cells.
    func withCells(of record: AnyRecord, _ body: (_ cells: inout CellSet, _ isEnded: Bool) -> Void)
}

extension CellHolder {
    /// The cell of a record, which is created if there is none. Nil if the record or the holder has ended.
    func cell(of record: AnyRecord, for key: CellSet.Key) -> Cell? {
        guard key.arguments != nil else {
            var cell: Cell?
            withCells(of: record) { cells, isEnded in
                cell = cells.withoutArguments(isWeak: key.isWeak) ?? add(Cell(for: record, key), to: &cells, isEnded)
            }
            return cell
        }
        while true {
            let alike = cellsAlike(key, of: record)
            if let cell = alike.first(where: { $0.key == key }) { return cell }
            // Another thread can have added a cell while arguments were compared.
            var isCurrent = false
            var cell = Cell?.none
            withCells(of: record) { cells, isEnded in
                isCurrent = cells.alike(key).elementsEqual(alike, by: ===)
                if isCurrent { cell = add(Cell(for: record, key), to: &cells, isEnded) }
            }
            if isCurrent { return cell }
        }
    }

    /// Adds a cell, unless the record or the holder has ended. An ending of the record that follows finds it, since it
    /// acquires the lock of the holder. The lock is held.
    private func add(_ cell: Cell, to cells: inout CellSet, _ isEnded: Bool) -> Cell? {
        if isEnded || cell.record.isEnded { return nil }
        cells.add(cell)
        return cell
    }

    private func cellsAlike(_ key: CellSet.Key, of record: AnyRecord) -> [Cell] {
        var found: [Cell] = []
        withCells(of: record) { cells, _ in found = cells.alike(key) }
        return found
    }

    /// The present cell of a record without arguments.
    func presentCell(of record: AnyRecord) -> Cell? {
        var cell: Cell?
        withCells(of: record) { cells, _ in cell = cells.single }
        return cell
    }

    /// The cells of a record.
    func cells(of record: AnyRecord) -> [Cell] {
        var all: [Cell] = []
        withCells(of: record) { cells, _ in all = cells.all }
        return all
    }

    /// Removes a cell, so that the next request gets another one. The caller retains it.
    func remove(_ cell: Cell) { withCells(of: cell.record) { cells, _ in cells.remove(cell) } }

    /// Ends the cells of a record. Returns those with an instance, which can still be read.
    func endCells(of record: AnyRecord) -> [EndingItem] { cells(of: record).compactMap(endCell) }

    /// Ends the cells of a record with a key. A key without arguments ends the cells of all arguments.
    func endCells(of record: AnyRecord, for key: CellSet.Key) -> [EndingItem] {
        let cells = key.arguments == nil ? cells(of: record) : cellsAlike(key, of: record)
        return cells.filter { $0.key.isWeak == key.isWeak && (key.arguments == nil || $0.key == key) }
            .compactMap(endCell)
    }

    func endCell(_ cell: Cell) -> EndingItem? {
        let ended = cell.state.withLock { $0.end() }
        if ended.isInCreation { LocatorCore.owner(of: cell.record, in: self).add(lateCreation: cell) }
        guard let instance = ended.instance else {
            remove(cell)
            return nil
        }
        return ended.isFirst ? EndingItem(record: cell.record, order: instance.order, cell: cell, holder: self) : nil
    }
}

/// The cells of a scope, of one resolve, or of a property.
final class CellList: CellHolder {
    private struct State {
        var cells = CellTable()
        var isEnded = false
    }

    private let state = Mutex(State())
    /// Whether it adds itself to the scopes of a record, so that an ending of the record finds its cells.
    private let isScope: Bool
    /// The locator that creates the instances of a resolve.
    let core: LocatorCore?

    init(isScope: Bool = false, createdBy core: LocatorCore? = nil) {
        self.isScope = isScope
        self.core = core
    }

    func withCells(of record: AnyRecord, _ body: (inout CellSet, Bool) -> Void) {
        state.withLock { state in
            let isEnded = state.isEnded
            state.cells.withCells(of: record) { cells in
                // Before `body` checks whether the record has ended: an ending marks that first, and then reads the
                // list.
                if cells.isEmpty { list(in: record, true) }
                body(&cells, isEnded)
                if cells.isEmpty { list(in: record, false) }
            }
        }
    }

    /// Adds it to the scopes of a record, or removes it. The lock is held, so that no other thread changes the cells.
    private func list(in record: AnyRecord, _ hasCells: Bool) {
        if isScope { record.scopes?.withLock { $0[ObjectIdentifier(self)] = hasCells ? self : nil } }
    }

    /// Whether it has an instance.
    var hasInstance: Bool { all.contains { $0.state.withLock { $0.instance != nil } } }

    var all: [Cell] { state.withLock { $0.cells.all } }

    /// Ends all cells, and what they have.
    func end(forGood: Bool = false) { CellList.end([self], forGood: forGood) }

    /// Ends all cells of some lists, and what they have, in reverse order of creation.
    static func end(_ lists: [CellList], forGood: Bool) {
        Ending.endNow { items in
            if forGood { for list in lists { list.state.withLock { $0.isEnded = true } } }
            let cells = lists.map(\.all)
            let holders = zip(lists, cells).flatMap { list, cells in cells.map { (record: $0.record, holder: list) } }
            let ending = Ending.add(forDisposersOf: holders)
            for (list, cells) in zip(lists, cells) { items += cells.compactMap(list.endCell) }
            return ending
        }
    }
}
