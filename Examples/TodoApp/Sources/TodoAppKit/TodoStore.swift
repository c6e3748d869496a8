import Foundation

/// Loads and saves the lists of users, on any thread.
public nonisolated protocol TodoStore: Sendable {
    func todos(of user: User) async throws -> [Todo]
    func save(_ todos: [Todo], of user: User) async throws
}

/// A store with a JSON file, read once when the store opens.
public actor FileTodoStore: TodoStore {
    private let file: URL
    private var lists: [String: [Todo]]

    /// Opens a store, and reads its file if it exists.
    public init(file: URL) async throws {
        self.file = file
        let exists = FileManager.default.fileExists(atPath: file.path)
        lists = exists ? try JSONDecoder().decode([String: [Todo]].self, from: Data(contentsOf: file)) : [:]
    }

    public func todos(of user: User) -> [Todo] { lists[user.name] ?? [] }

    public func save(_ todos: [Todo], of user: User) throws {
        lists[user.name] = todos
        try JSONEncoder().encode(lists).write(to: file, options: .atomic)
    }
}

/// A store for previews and tests.
public actor MemoryTodoStore: TodoStore {
    private var lists: [User: [Todo]]

    public init(_ lists: [User: [Todo]] = [:]) { self.lists = lists }
    public func todos(of user: User) -> [Todo] { lists[user] ?? [] }
    public func save(_ todos: [Todo], of user: User) { lists[user] = todos }
}

/// A store whose disk is full, for previews and tests.
public nonisolated struct FullTodoStore: TodoStore {
    public struct DiskFull: Error {}

    public init() {}
    public func todos(of user: User) async throws -> [Todo] { throw DiskFull() }
    public func save(_ todos: [Todo], of user: User) async throws { throw DiskFull() }
}
