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
    private(set) var list: Few<Candidate>
    /// Whether a custom lifetime chose a scope.
    private(set) var hasScope = false

    init(_ first: Candidate? = nil) {
        list = Few(first)
    }

    var count: Int { list.count }
    var all: [Candidate] { list.all }

    subscript(index: Int) -> Candidate { list[index] }

    /// Whether one of them keeps the instance after the resolve.
    var outliveResolve: Bool { list.contains { !$0.key.isWeak && !$0.isGraph } }

    /// Appends a candidate, unless another one has the same cell: two parts of a composite can.
    mutating func append(_ candidate: Candidate) {
        if candidate.scope != nil { hasScope = true }
        let isPresent = list.contains { $0.holder === candidate.holder && $0.key.isWeak == candidate.key.isWeak }
        if !isPresent { list.append(candidate) }
    }

    mutating func insertFirst(_ candidate: Candidate) { list.insertFirst(candidate) }
}

/// The cells that a creation has claimed, in order. Most creations claim one.
struct CellClaims: Sendable {
    struct Claim: Sendable {
        let cell: Cell
        /// The position of its candidate.
        let index: Int
    }

    private var claims = Few<Claim>()

    var count: Int { claims.count }

    /// The cell that was claimed first, whose address is the identifier of the node.
    var firstCell: Cell? { claims.first?.cell }

    /// Whether the creation ends in the wait-for graph.
    var areInCircle: Bool { firstCell?.state.withLock { $0.isInCircle } ?? false }

    subscript(index: Int) -> Claim { claims[index] }

    mutating func append(_ cell: Cell, of index: Int) { claims.append(Claim(cell: cell, index: index)) }

    /// Ends the claims without an instance.
    func fail(with outcome: Waiter.Outcome, in candidates: Candidates, from start: Int = 0) {
        var discarded: [WaitState.Finished] = []
        for index in 0..<count where index >= start {
            let claim = self[index]
            discarded += claim.cell.failed(with: outcome, in: candidates[claim.index].holder)
        }
        // Their disposers can request the services of all claims.
        Acquisition.discard(discarded)
    }
}
