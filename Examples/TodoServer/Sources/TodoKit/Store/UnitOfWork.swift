import GRDB
import Synchronization

/// The changes that one request makes. `commit()` writes all of them in one transaction, or none.
package final class UnitOfWork: Sendable {
    typealias Change = @Sendable (Database) throws -> Void

    private let database: TodoDatabase
    private let changes = Mutex<[Change]>([])

    package init(database: TodoDatabase) {
        self.database = database
    }

    /// Adds a change, which runs when the unit commits.
    func add(_ change: @escaping Change) {
        changes.withLock { $0.append(change) }
    }

    /// Runs all changes in a transaction; without changes, does nothing. If one of them throws, SQLite rolls back the others.
    package func commit() async throws {
        let changes = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        guard !changes.isEmpty else { return }
        try await database.pool.write { connection in
            for change in changes { try change(connection) }
        }
    }
}
