import Foundation
import GRDB
import Logging

/// The SQLite database of the server.
package final class TodoDatabase: Sendable {
    let pool: DatabasePool
    private let logger: Logger

    private init(pool: DatabasePool, logger: Logger) {
        (self.pool, self.logger) = (pool, logger)
    }

    /// Opens the file, or creates it, and brings its tables up to date.
    package static func open(settings: Settings, logger: Logger) async throws -> TodoDatabase {
        let pool = try DatabasePool(path: settings.databasePath)
        try await withCheckedThrowingContinuation { continuation in
            migrator.asyncMigrate(pool) { result in continuation.resume(with: result.map { _ in }) }
        }
        logger.info("database opened", metadata: ["path": "\(settings.databasePath)"])
        return TodoDatabase(pool: pool, logger: logger)
    }

    /// Closes the file. It throws if something still uses the database.
    package func close() throws {
        try pool.close()
        logger.info("database closed")
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("todos") { database in
            try database.create(table: TodoRow.databaseTableName) { table in
                table.primaryKey("id", .text)
                table.column("owner", .text).notNull()
                table.column("title", .text).notNull()
                table.column("createdAt", .datetime).notNull()
                table.column("completedAt", .datetime)
            }
            try database.create(index: "todoByOwner", on: TodoRow.databaseTableName, columns: ["owner", "createdAt"])
        }
        return migrator
    }
}

/// A row of the table of todos.
struct TodoRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "todo"
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }

    let id: UUID
    let owner: String
    let title: String
    let createdAt: Date
    let completedAt: Date?

    init(_ todo: Todo, owner: User) {
        (id, title, createdAt, completedAt) = (todo.id, todo.title, todo.createdAt, todo.completedAt)
        self.owner = owner.name
    }

    var todo: Todo { Todo(id: id, title: title, createdAt: createdAt, completedAt: completedAt) }
}
