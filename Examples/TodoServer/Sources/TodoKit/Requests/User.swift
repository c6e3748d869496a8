import Hummingbird

/// The user that a request names.
package struct User: Equatable, Sendable {
    package let name: String

    package init(name: String) {
        self.name = name
    }
}

extension User {
    /// Reads the user's name from `Authorization: Bearer NAME`.
    ///
    /// This is not authentication: a client can name any user. A real server verifies a token here.
    init(of request: Request) throws {
        guard let field = request.headers[.authorization], field.hasPrefix("Bearer "), field.count > 7 else {
            throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: "The request names no user.")
        }
        self.init(name: String(field.dropFirst(7)))
    }
}
