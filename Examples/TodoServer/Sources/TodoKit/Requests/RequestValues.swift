import Hummingbird
import Injectle

/// The name of the locator of a request: in errors, in the validation at launch, and for the lifetime of a
/// ``UnitOfWork``.
package let requestScope: Locator.Name = "request"

/// The values that only a request has: its locator has them as services.
package struct RequestValues: Sendable {
    package let user: User
    package let id: RequestID

    package init(user: User, id: RequestID) {
        (self.user, self.id) = (user, id)
    }

    /// - Throws: An error that becomes a response of status 401 if the request names no user.
    package init(_ request: Request, _ context: some RequestContext) throws {
        self.init(user: try User(of: request), id: RequestID(context.id))
    }

    package func register(in locator: Locator) {
        locator.register(.eager(user))
        locator.register(.eager(id))
    }
}
