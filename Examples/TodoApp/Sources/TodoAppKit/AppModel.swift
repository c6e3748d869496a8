import Injectle
import Observation

/// What the app shows: its start, the login, or the session of a user.
@Observable public final class AppModel {
    public private(set) var isStarted = false
    public private(set) var session: Session?
    public private(set) var errors: [String] = []
    private let locator: Locator

    public init(locator: Locator = .shared) {
        self.locator = locator
    }

    /// Creates the async services, so that no property needs an `await`.
    public func start() async {
        do {
            try await locator.start(timeout: .seconds(10))
            isStarted = true
        } catch {
            errors.append(error.description)
        }
    }

    /// Begins a session: a child locator with the user.
    public func logIn(as user: User) {
        session = Session(user: user, parent: locator)
    }

    /// Ends the session, and waits until its services are disposed of.
    public func logOut() async {
        guard let session else { return }
        self.session = nil
        for error in await session.locator.close() { errors.append(error.description) }
    }
}

/// The time from a login to the logout.
public final class Session: Identifiable {
    public static nonisolated let locatorName: Locator.Name = "session"
    /// Retained by the session, since no service retains its locator.
    public let locator: Locator

    init(user: User, parent: Locator) {
        locator = parent.child(Self.locatorName) { locator in locator.register(.eager(user)) }
    }
}
