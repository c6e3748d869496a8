internal import Injectle

// The services that a request of Examples/TodoServer resolves, as types without behavior.

struct User: Sendable { let name: String }
struct RequestID: Sendable { let text: String }
struct Logger: Sendable { let label: String }

protocol DateSource: Sendable {}
struct SystemDates: DateSource {}

extension ServiceKey<any DateSource> {
    static let dates = Self("dates", default: .lazy { SystemDates() })
}

final class Database: Sendable {}

final class UnitOfWork: Sendable {
    let database: Database
    init(database: Database) { self.database = database }
}

protocol TodoStore: Sendable {}

struct SQLiteTodoStore: TodoStore {
    let user: User
    let unit: UnitOfWork
    let database: Database
}

struct RequestLog: Sendable {
    let logger: Logger
    let id: RequestID
    let user: User
}

struct TodoController: Sendable {
    let todos: any TodoStore
    let dates: any DateSource
    let log: RequestLog
}

let requestScope: Locator.Name = "request"
