/// The cells of a locator, of a scope, of one resolve, or of a property.
///
/// Invariant: each cell that has not ended is in one store, by its record and, where these distinguish instances, by its
/// arguments. No user code runs under the lock: arguments are compared without it.
final class CellStore: Sendable {
    /// What tells the cells of a record apart: the arguments, and whether the cell has a weak reference.
    typealias Key = (arguments: Arguments.Key?, isWeak: Bool)

    /// The cells of a record. Most records have one, without arguments.
    private struct Cells {
        private(set) var strong: Cell?
        private(set) var weak: Cell?
        /// Those with arguments, by the hash of these.
        private(set) var alike: [Int: [Cell]] = [:]

        var all: [Cell] {
            var all: [Cell] = []
            if let strong { all.append(strong) }
            if let weak { all.append(weak) }
            return alike.isEmpty ? all : all + alike.values.joined()
        }
        var isEmpty: Bool { strong == nil && weak == nil && alike.isEmpty }

        mutating func add(_ cell: Cell) {
            if let arguments = cell.key.arguments {
                alike[arguments.hash, default: []].append(cell)
            } else if cell.key.isWeak {
                weak = cell
            } else {
                strong = cell
            }
        }

        mutating func remove(_ cell: Cell) {
            if let hash = cell.key.arguments?.hash {
                alike[hash]?.removeAll { $0 === cell }
                if alike[hash]?.isEmpty == true { alike[hash] = nil }
            }
            if strong === cell { strong = nil }
            if weak === cell { weak = nil }
        }
    }

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
        guard let arguments = key.arguments else {
            return state.withLock { state in
                let cells = state.cells[id]
                return (key.isWeak ? cells?.weak : cells?.strong) ?? add(Cell(for: record, key), to: &state)
            }
        }
        while true {
            let alike = alike(arguments, of: id)
            if let cell = alike.first(where: { CellStore.areEqual($0.key, key) }) { return cell }
            // Another thread can have added a cell while arguments were compared.
            let (isCurrent, cell) = state.withLock { state in
                let isCurrent = (state.cells[id]?.alike[arguments.hash] ?? []).elementsEqual(alike, by: ===)
                return (isCurrent, isCurrent ? add(Cell(for: record, key), to: &state) : nil)
            }
            if isCurrent { return cell }
        }
    }

    /// The cells of a record whose arguments have the hash of some others.
    private func alike(_ arguments: Arguments.Key, of record: ObjectIdentifier) -> [Cell] {
        state.withLock { $0.cells[record]?.alike[arguments.hash] ?? [] }
    }

    private static func areEqual(_ left: Key, _ right: Key) -> Bool {
        left.isWeak == right.isWeak && Arguments.areEqual(left.arguments?.arguments, right.arguments?.arguments)
    }

    /// Adds a cell, unless the record or the store has ended. An ending of the record that follows finds it, since it acquires
    /// the lock of the store. The lock is held.
    private func add(_ cell: Cell, to state: inout State) -> Cell? {
        if state.isEnded || cell.record.isEnded { return nil }
        if listsRecords { cell.record.scopes?.withLock { $0[ObjectIdentifier(self)] = self } }
        state.cells[ObjectIdentifier(cell.record), default: Cells()].add(cell)
        return cell
    }

    /// Adds the cell of an eager registration.
    func add(_ cell: Cell) { state.withLock { _ = add(cell, to: &$0) } }

    /// The present cell of a record without arguments.
    func presentCell(of record: AnyRecord) -> Cell? {
        state.withLock { state in
            let cells = state.cells[ObjectIdentifier(record)]
            return cells?.strong ?? cells?.weak
        }
    }

    /// The cells of a record, or all.
    func cells(of record: AnyRecord? = nil) -> [Cell] {
        state.withLock { state in
            if let record { return state.cells[ObjectIdentifier(record)]?.all ?? [] }
            return state.cells.values.flatMap(\.all)
        }
    }

    /// Whether it has an instance.
    var hasInstance: Bool { cells().contains { $0.state.withLock { $0.instance != nil } } }

    /// Whether it has cells.
    /// Removes a cell, so that the next request gets another one. The caller retains it.
    func remove(_ cell: Cell) {
        let id = ObjectIdentifier(cell.record)
        state.withLock { state in
            state.cells[id]?.remove(cell)
            guard state.cells[id]?.isEmpty == true else { return }
            state.cells[id] = nil
            // Before another thread adds a cell, which the record has to list.
            if listsRecords { cell.record.scopes?.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
        }
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

    /// Ends the cells of a record with a key. A key without arguments ends the cells of all arguments.
    func end(_ record: AnyRecord, for key: Key) -> [Ending.Member] {
        let cells = key.arguments.map { alike($0, of: ObjectIdentifier(record)) } ?? cells(of: record)
        return cells.filter { $0.key.isWeak == key.isWeak && (key.arguments == nil || CellStore.areEqual($0.key, key)) }
            .compactMap(end)
    }

    private func end(_ cell: Cell) -> Ending.Member? {
        let (isDue, isEmpty) = cell.state.withLock { ($0.end(), $0.instance == nil) }
        if isEmpty { remove(cell) }
        return isDue ? (cell, self) : nil
    }
}
