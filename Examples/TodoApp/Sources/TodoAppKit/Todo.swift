import Foundation

/// A person who logs in.
public nonisolated struct User: Hashable, Codable, Sendable {
    public let name: String
    public init(name: String) { self.name = name }
}

/// An entry of a user's list.
public nonisolated struct Todo: Identifiable, Hashable, Codable, Sendable {
    public let id: UUID
    public let title: String
    public let created: Date
    public var isDone = false
}
