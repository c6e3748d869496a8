import Foundation
import GRDB

/// The todos of one user in the database.
package struct SQLiteTodoStore: TodoStore {
    let user: User
    let unit: UnitOfWork
    let database: TodoDatabase

    package init(user: User, unit: UnitOfWork, database: TodoDatabase) {
        (self.user, self.unit, self.database) = (user, unit, database)
    }

    package func todos(limit: Int, offset: Int) async throws -> [Todo] {
        try await database.pool.read { [user] connection in
            try own(user).order { [$0.createdAt, $0.id] }.limit(limit, offset: offset).fetchAll(connection).map(\.todo)
        }
    }

    package func todo(_ id: UUID) async throws -> Todo? {
        try await database.pool.read { [user] connection in
            try own(user).filter { $0.id == id.uuidString }.fetchOne(connection)?.todo
        }
    }

    package func insert(_ todo: Todo) throws {
        try unit.add { [user] connection in try TodoRow(todo, owner: user).insert(connection) }
    }

    package func update(_ todo: Todo) throws {
        try unit.add { [user] connection in try TodoRow(todo, owner: user).update(connection) }
    }

    package func delete(_ id: UUID) throws {
        try unit.add { [user] connection in try own(user).filter { $0.id == id.uuidString }.deleteAll(connection) }
    }
}

private func own(_ user: User) -> QueryInterfaceRequest<TodoRow> {
    TodoRow.filter { $0.owner == user.name }
}

extension TodoRow {
    enum Columns {
        static let id = Column("id")
        static let owner = Column("owner")
        static let createdAt = Column("createdAt")
        static let completedAt = Column("completedAt")
    }
}
