import GRDB

/// Counts the todos of a user. It needs no unit of work, so no request's locator either.
package struct TodoCount: Sendable {
    let user: User
    let database: TodoDatabase

    func count() async throws -> Int {
        try await database.pool.read { [user] connection in
            try TodoRow.filter { $0.owner == user.name }.fetchCount(connection)
        }
    }
}
