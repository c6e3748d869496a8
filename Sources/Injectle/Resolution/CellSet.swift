/// The cells of one registration in one holder. Most registrations have one, without arguments.
struct CellSet {
    /// What tells the cells of a registration apart.
    struct Key: Sendable {
        /// The arguments that distinguish instances.
        var arguments: Arguments?
        /// Their hash. Hashing and comparing run user code, so cells are searched by the hash under the lock, and
        /// compared without it.
        var hash = 0
        /// Whether the cell has a weak reference.
        var isWeak = false

        static func == (left: Key, right: Key) -> Bool {
            left.isWeak == right.isWeak && Arguments.areEqual(left.arguments, right.arguments)
        }
    }

    private(set) var strong: Cell?
    private var weak: Cell?
    /// The cells with arguments, by the hash of these.
    private var byHash: [Int: [Cell]]?

    var isEmpty: Bool { strong == nil && weak == nil && byHash == nil }

    /// The cell without arguments, or the one with a weak reference.
    var single: Cell? { strong ?? weak }

    var all: [Cell] {
        var all: [Cell] = []
        if let strong { all.append(strong) }
        if let weak { all.append(weak) }
        return byHash.map { all + $0.values.joined() } ?? all
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
        guard let byHash else { return }
        for cell in byHash.values.joined() { body(cell) }
    }

    /// The cell with this key. Of a key with arguments, all whose arguments have the same hash.
    func alike(_ key: Key) -> [Cell] {
        if key.arguments != nil { return byHash?[key.hash] ?? [] }
        return (key.isWeak ? weak : strong).map { [$0] } ?? []
    }

    /// The cell without arguments.
    func withoutArguments(isWeak: Bool) -> Cell? { isWeak ? weak : strong }

    mutating func add(_ cell: Cell) {
        if cell.key.arguments != nil {
            var cells = byHash ?? [:]
            byHash = nil
            cells[cell.key.hash, default: []].append(cell)
            byHash = cells
        } else if cell.key.isWeak {
            weak = cell
        } else {
            strong = cell
        }
    }

    mutating func remove(_ cell: Cell) {
        if cell.key.arguments != nil {
            let hash = cell.key.hash
            byHash?[hash]?.removeAll { $0 === cell }
            if byHash?[hash]?.isEmpty == true { byHash?[hash] = nil }
            if byHash?.isEmpty == true { byHash = nil }
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
    /// Most holders that have cells have some.
    private static let firstCapacity = 4

    private var rows: [Row] = []
    /// The positions of the registrations, once there are many.
    private var positions: [ObjectIdentifier: Int]?

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }
    var all: [Cell] { rows.flatMap(\.cells.all) }

    func forEach(_ body: (Cell) -> Void) {
        // A copy of a row would retain its cells.
        for index in rows.indices { rows[index].cells.forEach(body) }
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
        if rows.isEmpty { rows.reserveCapacity(CellTable.firstCapacity) }
        rows.append(row)
        if positions != nil {
            positions?[row.record] = rows.count - 1
        } else if rows.count > CellTable.indexLimit {
            positions = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.record, $0) })
        }
    }

    /// Removes a row, whose place the last one gets.
    private mutating func remove(at position: Int) {
        positions?[rows[position].record] = nil
        let last = rows.removeLast()
        if position == rows.count { return }
        rows[position] = last
        positions?[last.record] = position
    }
}
