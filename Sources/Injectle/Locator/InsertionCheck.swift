/// The check of an insertion, which runs before it, and again if the registrations have changed meanwhile. Its own
/// changes repeat it once: a check that registers the same identity each time would otherwise never end.
final class InsertionCheck: Sendable {
    /// The check that the calling code is part of.
    @TaskLocal static var current: InsertionCheck?

    let record: AnyRecord
    private let core: LocatorCore
    // Called on the thread of the insertion only.
    private let check: UncheckedBox<(Locator.Listing) throws -> Void>

    private struct State {
        /// For each identity, the orders of the registrations for which the check has run.
        var checked: [[Int]?]
        /// The revision of the locator before the present run.
        var revision = 0
        /// The changes that the check itself has made during the present run.
        var ownChanges = 0
        /// Whether its own changes have repeated it.
        var hasRepeated = false
        /// The identity for which it runs.
        var listing: Locator.Listing?
    }
    private let state: Mutex<State>

    init(of record: AnyRecord, in core: LocatorCore, _ check: @escaping (Locator.Listing) throws -> Void) {
        self.record = record
        self.core = core
        self.check = UncheckedBox(check)
        state = Mutex(State(checked: record.traits.listings.map { _ in nil }))
        core.state.withLock { $0.checks += 1 }
    }

    func end() { core.state.withLock { $0.checks -= 1 } }

    /// The identity for which it runs.
    var listing: Locator.Listing? { state.withLock { $0.listing } }

    func countChange(in core: LocatorCore) { if core === self.core { state.withLock { $0.ownChanges += 1 } } }

    /// Whether the locator still has the revision of the last run. Its own changes count only once they have repeated
    /// it.
    func accepts(_ revision: Int) -> Bool {
        state.withLock { state in
            revision == state.revision + (state.hasRepeated ? state.ownChanges : 0)
        }
    }

    /// Runs the check for each identity whose registrations have changed since it ran.
    func run() throws {
        let revision = core.state.withLock { $0.revision }
        state.withLock { state in
            if state.ownChanges > 0 { state.hasRepeated = true }
            state.revision = revision
            state.ownChanges = 0
        }
        for (index, listing) in record.traits.listings.enumerated() where !listing.isContribution {
            let present = core.registrations(concerning: record, at: listing).map(\.record.order)
            let isChecked = state.withLock { state in
                defer { (state.checked[index], state.listing) = (present, listing) }
                return state.checked[index] == present
            }
            if isChecked { continue }
            try InsertionCheck.$current.withValue(self) { try check.value(listing) }
        }
    }
}
