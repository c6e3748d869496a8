import Injectle

// The services that the fixtures use. They are compiled with each of them.

protocol API: Sendable {
    func load() -> [String]
}

final class HTTPClient: API {
    func load() -> [String] { [] }
}

final class Database: Sendable {
    func open() {}
    func close() {}
}

final class Repository {
    let database: Database
    var cache: Cache?
    init(database: Database) { self.database = database }
    static func cached(database: Database, cache: Cache) -> Repository { Repository(database: database) }
}

/// A class that is not `Sendable`.
final class Cache {
    var entries: [String] = []
}

struct User: Sendable {
    let name: String
}

struct Session: Sendable {
    let user: User
}

@MainActor final class ViewModel {
    init() {}
}

func loadUser() async throws -> User { User(name: "Ada") }
