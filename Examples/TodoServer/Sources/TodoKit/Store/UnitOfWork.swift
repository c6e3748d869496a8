import GRDB
import Synchronization

/// The changes that one request makes. `commit()` writes all of them in one transaction, or none.
package final class UnitOfWork: Sendable {
    /// A change of a unit that has been committed.
    struct Ended: Error {}

    typealias Change = @Sendable (Database) throws -> Void

    private let database: TodoDatabase
    /// `nil` once the unit has been committed.
    private let changes = Mutex<[Change]?>([])

    package init(database: TodoDatabase) {
        self.database = database
    }

    /// Adds a change, which runs when the unit commits.
    ///
    /// - Throws: ``Ended`` if the unit has been committed, as in a task that outlives its request: nobody would write
    ///   the change.
    func add(_ change: @escaping Change) throws {
        try changes.withLock { changes in
            if changes == nil { throw Ended() }
            changes?.append(change)
        }
    }

    /// Runs all changes in a transaction; without changes, does nothing. If one of them throws, SQLite rolls back the
    /// others.
    package func commit() async throws {
        let changes = changes.withLock { $0.take() }
        guard let changes, !changes.isEmpty else { return }
        try await database.pool.write { connection in
            for change in changes { try change(connection) }
        }
    }
}
