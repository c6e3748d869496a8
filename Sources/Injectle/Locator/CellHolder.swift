/// What has cells of registrations: a locator, a scope, one resolve, or a property.
///
/// Invariant: each cell that has not ended is in one holder, by its record and, where these distinguish instances, by its
/// arguments. No user code runs under the lock: arguments are compared without it.
protocol CellHolder: AnyObject, Sendable {
    /// Calls `body` under the lock with the cells of a record, and whether the holder gets no other cell.
    func withCells(of record: AnyRecord, _ body: (_ cells: inout CellSet, _ isEnded: Bool) -> Void)
}

/// The cells of one registration in one holder. Most registrations have one, without arguments.
struct CellSet {
    /// What tells the cells of a registration apart.
    struct Key: Sendable {
        /// The arguments that distinguish instances.
        var arguments: Arguments.Key?
        /// Whether the cell has a weak reference.
        var isWeak = false

        static func == (left: Key, right: Key) -> Bool {
            left.isWeak == right.isWeak && Arguments.areEqual(left.arguments?.arguments, right.arguments?.arguments)
        }
    }

    private(set) var strong: Cell?
    private var weak: Cell?
    /// Those with arguments, by the hash of these.
    private var alike: [Int: [Cell]]?

    var isEmpty: Bool { strong == nil && weak == nil && alike == nil }

    /// The cell without arguments, or the one with a weak reference.
    var single: Cell? { strong ?? weak }

    var all: [Cell] {
        var all: [Cell] = []
        if let strong { all.append(strong) }
        if let weak { all.append(weak) }
        return alike.map { all + $0.values.joined() } ?? all
    }

    /// Whether one of them is in creation.
    var isInCreation: Bool {
        var isInCreation = false
        forEach { if $0.isInCreation { isInCreation = true } }
        return isInCreation
    }

    func forEach(_ body: (Cell) -> Void) {
        if let strong { body(strong) }
        if let weak { body(weak) }
        guard let alike else { return }
        for cell in alike.values.joined() { body(cell) }
    }

    /// The cell with this key. Of a key with arguments, all whose arguments have the same hash.
    func candidates(for key: Key) -> [Cell] {
        if let arguments = key.arguments { return alike?[arguments.hash] ?? [] }
        return (key.isWeak ? weak : strong).map { [$0] } ?? []
    }

    /// The cell without arguments.
    func plain(isWeak: Bool) -> Cell? { isWeak ? weak : strong }

    mutating func add(_ cell: Cell) {
        if let arguments = cell.key.arguments {
            var cells = alike ?? [:]
            alike = nil
            cells[arguments.hash, default: []].append(cell)
            alike = cells
        } else if cell.key.isWeak {
            weak = cell
        } else {
            strong = cell
        }
    }

    mutating func remove(_ cell: Cell) {
        if let hash = cell.key.arguments?.hash {
            alike?[hash]?.removeAll { $0 === cell }
            if alike?[hash]?.isEmpty == true { alike?[hash] = nil }
            if alike?.isEmpty == true { alike = nil }
        }
        if strong === cell { strong = nil }
        if weak === cell { weak = nil }
    }
}

/// The cells of several registrations, by registration. A cell retains its registration.
struct CellTable {
    private struct Row {
        let record: ObjectIdentifier
        var cells: CellSet
    }

    /// The number of registrations up to which a search through all is faster than an index.
    private static let indexLimit = 8

    private var rows: [Row] = []
    /// The positions of the registrations, once there are many.
    private var positions: [ObjectIdentifier: Int]?

    var isEmpty: Bool { rows.isEmpty }
    var all: [Cell] { rows.flatMap(\.cells.all) }

    func forEach(_ body: (Cell) -> Void) {
        for row in rows { row.cells.forEach(body) }
    }

    /// Calls `body` with the cells of a registration, and keeps these unless there are none.
    mutating func withCells(of record: AnyRecord, _ body: (inout CellSet) -> Void) {
        let id = ObjectIdentifier(record)
        guard let position = position(of: id) else {
            var cells = CellSet()
            body(&cells)
            if !cells.isEmpty { append(Row(record: id, cells: cells)) }
            return
        }
        body(&rows[position].cells)
        if rows[position].cells.isEmpty { remove(at: position) }
    }

    private func position(of id: ObjectIdentifier) -> Int? {
        if let positions { return positions[id] }
        return rows.firstIndex { $0.record == id }
    }

    private mutating func append(_ row: Row) {
        rows.append(row)
        if positions != nil {
            positions?[row.record] = rows.count - 1
        } else if rows.count > CellTable.indexLimit {
            positions = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.record, $0) })
        }
    }

    /// Removes a row, whose place the last one gets.
    private mutating func remove(at position: Int) {
        let removed = rows[position].record
        rows.swapAt(position, rows.count - 1)
        rows.removeLast()
        positions?[removed] = nil
        if position < rows.count { positions?[rows[position].record] = position }
    }
}

extension CellHolder {
    /// The cell of a record, which is created if there is none. Nil if the record or the holder has ended.
    func cell(of record: AnyRecord, for key: CellSet.Key) -> Cell? {
        guard key.arguments != nil else {
            var cell: Cell?
            withCells(of: record) { cells, isEnded in
                cell = cells.plain(isWeak: key.isWeak) ?? add(Cell(for: record, key), to: &cells, isEnded)
            }
            return cell
        }
        while true {
            let alike = candidates(of: record, for: key)
            if let cell = alike.first(where: { $0.key == key }) { return cell }
            // Another thread can have added a cell while arguments were compared.
            var isCurrent = false
            var cell = Cell?.none
            withCells(of: record) { cells, isEnded in
                isCurrent = cells.candidates(for: key).elementsEqual(alike, by: ===)
                if isCurrent { cell = add(Cell(for: record, key), to: &cells, isEnded) }
            }
            if isCurrent { return cell }
        }
    }

    /// Adds a cell, unless the record or the holder has ended. An ending of the record that follows finds it, since it acquires
    /// the lock of the holder. The lock is held.
    private func add(_ cell: Cell, to cells: inout CellSet, _ isEnded: Bool) -> Cell? {
        if isEnded || cell.record.isEnded { return nil }
        cells.add(cell)
        return cell
    }

    private func candidates(of record: AnyRecord, for key: CellSet.Key) -> [Cell] {
        var found: [Cell] = []
        withCells(of: record) { cells, _ in found = cells.candidates(for: key) }
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
    func endCells(of record: AnyRecord) -> [Ending.Member] { cells(of: record).compactMap(endCell) }

    /// Ends the cells of a record with a key. A key without arguments ends the cells of all arguments.
    func endCells(of record: AnyRecord, for key: CellSet.Key) -> [Ending.Member] {
        let cells = key.arguments == nil ? cells(of: record) : candidates(of: record, for: key)
        return cells.filter { $0.key.isWeak == key.isWeak && (key.arguments == nil || $0.key == key) }
            .compactMap(endCell)
    }

    func endCell(_ cell: Cell) -> Ending.Member? {
        let ended = cell.state.withLock { $0.end() }
        guard let instance = ended.instance else {
            remove(cell)
            return nil
        }
        return ended.isFirst ? Ending.Member(record: cell.record, order: instance.order, cell: cell, holder: self) : nil
    }
}

/// The cells of a scope, of one resolve, or of a property.
final class CellList: CellHolder {
    private struct State {
        var cells = CellTable()
        var isEnded = false
    }

    private let state = Mutex(State())
    /// Whether each record lists it, which has to find its cells.
    private let isScope: Bool

    init(isScope: Bool = false) {
        self.isScope = isScope
    }

    func withCells(of record: AnyRecord, _ body: (inout CellSet, Bool) -> Void) {
        state.withLock { state in
            let isEnded = state.isEnded
            state.cells.withCells(of: record) { cells in
                // Before `body` checks whether the record has ended: an ending marks that first, and then reads the list.
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

    private var all: [Cell] { state.withLock { $0.cells.all } }

    /// Ends all cells. Returns those with an instance, which can still be read.
    func endAll(forGood: Bool = false) -> [Ending.Member] {
        if forGood { state.withLock { $0.isEnded = true } }
        return all.compactMap(endCell)
    }
}
