/// A holder whose cell can have the instance of a creation.
final class Candidate: Sendable {
    let holder: any CellHolder
    /// What tells its cell apart from others of the registration.
    let key: CellSet.Key
    /// The scope of the holder, retained until the instance is delivered.
    let scope: Locator.Scope?
    /// Whether the holder ends with the current resolve.
    let isGraph: Bool
    /// Whether the holder is the property that the instance is injected into.
    let isProperty: Bool

    init(
        holder: any CellHolder,
        key: CellSet.Key = CellSet.Key(),
        scope: Locator.Scope? = nil,
        isGraph: Bool = false,
        isProperty: Bool = false
    ) {
        self.holder = holder
        self.key = key
        self.scope = scope
        self.isGraph = isGraph
        self.isProperty = isProperty
    }

    /// Whether ending the cell disposes of the instance. A property's instance belongs to the code that reads it.
    var ownsInstance: Bool { !key.isWeak && !isProperty }
}

/// The candidates of a creation, in order. Most creations have one.
struct Candidates: Sendable {
    private var first: Candidate?
    private var others: [Candidate] = []
    /// Whether a custom lifetime chose a scope.
    private(set) var hasScope = false

    init(_ first: Candidate? = nil) {
        self.first = first
    }

    var count: Int { first == nil ? 0 : 1 + others.count }
    var all: [Candidate] { first.map { [$0] + others } ?? [] }

    subscript(index: Int) -> Candidate {
        if index == 0, let first { return first }
        return others[index - 1]
    }

    /// Whether one of them keeps the instance after the resolve.
    var outliveResolve: Bool {
        guard let first else { return false }
        return !first.key.isWeak && !first.isGraph || others.contains { !$0.key.isWeak && !$0.isGraph }
    }

    /// Appends a candidate, unless another one has the same cell: two parts of a composite can.
    mutating func append(_ candidate: Candidate) {
        if candidate.scope != nil { hasScope = true }
        guard let first else {
            first = candidate
            return
        }
        func isSame(_ other: Candidate) -> Bool {
            other.holder === candidate.holder && other.key.isWeak == candidate.key.isWeak
        }
        if !isSame(first), !others.contains(where: isSame) { others.append(candidate) }
    }

    mutating func insertFirst(_ candidate: Candidate) {
        if let first { others.insert(first, at: 0) }
        first = candidate
    }
}

/// The cells that a creation has claimed, in order. Most creations claim one.
struct CellClaims: Sendable {
    struct Claim: Sendable {
        let cell: Cell
        /// The position of its candidate.
        let index: Int
    }

    private var first: Claim?
    private var others: [Claim] = []

    var count: Int { first == nil ? 0 : 1 + others.count }

    /// The cell that was claimed first, whose address is the identifier of the node.
    var firstCell: Cell? { first?.cell }

    /// Whether the creation ends in the wait-for graph.
    var areInCircle: Bool { firstCell?.state.withLock { $0.isInCircle } ?? false }

    subscript(index: Int) -> Claim {
        if index == 0, let first { return first }
        return others[index - 1]
    }

    mutating func append(_ cell: Cell, of index: Int) {
        let claim = Claim(cell: cell, index: index)
        if first == nil { first = claim } else { others.append(claim) }
    }

    /// Ends the claims without an instance.
    func fail(with outcome: Waiter.Outcome, in candidates: Candidates, from start: Int = 0) {
        for index in 0..<count where index >= start {
            let claim = self[index]
            claim.cell.fail(with: outcome, in: candidates[claim.index].holder)
        }
    }
}
