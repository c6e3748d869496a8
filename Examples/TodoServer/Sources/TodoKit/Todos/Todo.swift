import Foundation
import Hummingbird

/// A task of a user.
package struct Todo: Codable, Equatable, Sendable, ResponseEncodable {
    package let id: UUID
    package var title: String
    package let createdAt: Date
    /// `nil` until the user completes the todo.
    package var completedAt: Date?
}

/// The body of a `POST`.
package struct NewTodo: Codable, Sendable {
    package let title: String

    package init(title: String) {
        self.title = title
    }
}

/// The body of a `PATCH`: the properties that it changes.
package struct TodoChange: Codable, Sendable {
    package let title: String?
    package let isCompleted: Bool?

    package init(title: String? = nil, isCompleted: Bool? = nil) {
        (self.title, self.isCompleted) = (title, isCompleted)
    }
}
