/// The cells of a locator, of a scope, of one resolve, or of a property.
///
/// Invariant: each cell that has not ended is in one store, by its record and, where these distinguish instances, by its
/// arguments. No user code runs under the lock: arguments are compared without it.
final class CellStore: Sendable {
    /// What tells the cells of a record apart: the arguments, and whether the cell has a weak reference.
    typealias Key = (arguments: Arguments.Key?, isWeak: Bool)
    /// The cells of a record, by the hash of the arguments. Most records have one.
    private typealias Cells = [Int: [(key: Key, cell: Cell)]]

    /// The cells by their records, and whether the store has ended, and gets no other cell.
    private typealias State = (cells: [ObjectIdentifier: Cells], isEnded: Bool)

    private let state = Mutex<State>(([:], false))
    /// Whether each record lists it, which has to find its cells.
    private let listsRecords: Bool

    init(listsRecords: Bool = false) {
        self.listsRecords = listsRecords
    }

    /// The cell of a record, which is created if there is none. Nil if the record or the store has ended.
    func cell(of record: AnyRecord, for key: Key) -> Cell? {
        let id = ObjectIdentifier(record)
        while true {
            let alike = alike(key, of: id)
            if let found = alike.first(where: { CellStore.areEqual($0.key, key) }) { return found.cell }
            // Another thread can have added a cell while arguments were compared.
            let (isCurrent, cell) = state.withLock { state in
                let present = state.cells[id]?[key.arguments?.hash ?? 0] ?? []
                let isCurrent = present.elementsEqual(alike) { $0.cell === $1.cell }
                return (isCurrent, isCurrent ? add(record, key, to: &state) : nil)
            }
            if isCurrent { return cell }
        }
    }

    /// The cells of a record whose arguments have the hash of a key.
    private func alike(_ key: Key, of record: ObjectIdentifier) -> [(key: Key, cell: Cell)] {
        state.withLock { $0.cells[record]?[key.arguments?.hash ?? 0] ?? [] }
    }

    private static func areEqual(_ left: Key, _ right: Key) -> Bool {
        left.isWeak == right.isWeak && Arguments.areEqual(left.arguments?.arguments, right.arguments?.arguments)
    }

    private func add(_ record: AnyRecord, _ key: Key, to state: inout State) -> Cell? {
        // An ending of the record that follows finds the cell, since it takes the lock of the store.
        if state.isEnded || record.isEnded { return nil }
        if listsRecords { record.scopes?.withLock { $0[ObjectIdentifier(self)] = self } }
        let cell = Cell(for: record)
        state.cells[ObjectIdentifier(record), default: [:]][key.arguments?.hash ?? 0, default: []].append((key, cell))
        return cell
    }

    /// Adds the cell of an eager registration.
    func add(_ cell: Cell) {
        state.withLock { state in
            if state.isEnded || cell.record.isEnded { return }
            state.cells[ObjectIdentifier(cell.record)] = [0: [((nil, false), cell)]]
        }
    }

    /// The present cell of a record without arguments.
    func presentCell(of record: AnyRecord) -> Cell? {
        state.withLock { state in
            let cells = state.cells[ObjectIdentifier(record)]?[0] ?? []
            return
                (cells.first { !$0.key.isWeak && $0.key.arguments == nil } ?? cells.first { $0.key.arguments == nil })?
                .cell
        }
    }

    /// The cells of a record, or all.
    func cells(of record: AnyRecord? = nil) -> [Cell] {
        state.withLock { state in
            if let record { return (state.cells[ObjectIdentifier(record)] ?? [:]).values.flatMap { $0.map(\.cell) } }
            return state.cells.values.flatMap { $0.values.flatMap { $0.map(\.cell) } }
        }
    }

    /// Whether it has an instance.
    var hasInstance: Bool { cells().contains { $0.state.withLock { $0.instance != nil } } }

    /// Whether it has cells.
    var isEmpty: Bool { state.withLock { $0.cells.isEmpty } }

    /// Removes a cell, so that the next request gets another one.
    func remove(_ cell: Cell) {
        let id = ObjectIdentifier(cell.record)
        // What was here is released without the lock.
        let former = state.withLock { state -> Cells? in
            guard let cells = state.cells[id] else { return nil }
            for (hash, list) in cells where list.contains(where: { $0.cell === cell }) {
                let rest = list.filter { $0.cell !== cell }
                state.cells[id]?[hash] = rest.isEmpty ? nil : rest
            }
            guard state.cells[id]?.isEmpty == true else { return cells }
            state.cells[id] = nil
            // Before another thread adds a cell, which the record has to list.
            if listsRecords { cell.record.scopes?.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
            return cells
        }
        withExtendedLifetime(former) {}
    }

    /// Ends the cells of a record, or all. Returns those with an instance, which can still be read.
    func end(_ record: AnyRecord? = nil, forGood: Bool = false) -> [Ending.Member] {
        if forGood { state.withLock { $0.isEnded = true } }
        return cells(of: record).compactMap(end)
    }

    /// Ends the cells of some records. Returns those with an instance.
    func end(where isIncluded: (AnyRecord) -> Bool) -> [Ending.Member] {
        cells().filter { isIncluded($0.record) }.compactMap(end)
    }

    /// Ends one cell of a record. Returns it if it has an instance.
    func end(_ record: AnyRecord, for key: Key) -> Ending.Member? {
        alike(key, of: ObjectIdentifier(record)).first { CellStore.areEqual($0.key, key) }.flatMap { end($0.cell) }
    }

    private func end(_ cell: Cell) -> Ending.Member? {
        if cell.state.withLock({ $0.end() }) { return (cell, self) }
        remove(cell)
        return nil
    }
}
