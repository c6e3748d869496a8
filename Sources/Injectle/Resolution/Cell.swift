/// Where one shared instance is made and kept.
///
/// The state machine with what it needs here: strands make, threads wait. Guarded by the lock that whoever holds the
/// cell uses for it, which also excludes what a check of exclusive access would look for.
final class Cell {
    typealias State = CreationState<Strand, Waiter, Instance>
    typealias Outcome = Result<Instance, InjectleError>

    /// What the cell makes. Held so that the cell can be found by it for as long as there is the cell.
    let record: Record
    @exclusivity(unchecked) var state: State

    /// - Parameter given: What there is already, and need not be made.
    init(for record: Record, given: Instance? = nil) {
        self.record = record
        state = given.map(State.init(made:)) ?? State()
    }

    /// Somebody who waits for the making, and what became of it.
    final class Waiter: @unchecked Sendable {
        // Sound to share: `outcome` is written once, before the gate opens, and read after.
        let gate = Gate()
        let strand: Strand?
        let maker: Strand
        /// What became of it. Nil if the making was given up, and is to be asked for again.
        private(set) var outcome: Outcome?

        /// - Parameter strand: what the waiting thread itself is making, if anything.
        init(strand: Strand?, maker: Strand) {
            self.strand = strand
            self.maker = maker
        }

        func finish(with outcome: Outcome?) {
            // Before the maker goes on: else it could meet, as if it were still there, the edge of a wait that is over.
            strand?.end(waitingFor: maker)
            self.outcome = outcome
            gate.open()
        }
    }
}

/// Who keeps cells: a locator those of its shared services, a property that of a service made for it alone.
protocol CellHolder: AnyObject {
    /// Calls `body` with the cell of what a record makes for a locator, under the lock that guards it. False if the
    /// holder has none for that any more.
    ///
    /// Not generic, since a generic function of any holder would be called without being specialized.
    ///
    /// - Parameter key: What tells its instances of one record apart.
    func withCell(
        of record: Record,
        for asking: Core,
        given key: Arguments.Key?,
        _ body: (Cell) -> Void
    ) -> Bool

    /// Ends a making in `cell` and lets readers see the instance. Returns who waited for it, and who is to ask again.
    func succeed(_ cell: Cell, with instance: Instance) -> (waiters: [Cell.Waiter], others: [Cell.Waiter])

    /// Ends a making in `cell` without an instance. Returns who waited for it, and who is to ask again.
    func fail(_ cell: Cell) -> (waiters: [Cell.Waiter], others: [Cell.Waiter])

    /// Lets go of what a record made, or of that which was made with some arguments.
    func drop(_ record: Record, given key: Arguments.Key?)
}
