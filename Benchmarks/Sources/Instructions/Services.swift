internal import Injectle

// The services of the rows, of protocols that are not class-bound, as most programs use them.

protocol Store: Sendable {}
protocol Clock: Sendable {}
protocol Report: Sendable {}

final class LiveStore: Store {}
final class LiveClock: Clock {}
final class LiveReport: Report {}

final class Theme: Sendable {}

/// A service that needs another.
final class Page: Sendable {
    let theme: Theme
    init(theme: Theme) { self.theme = theme }
}

extension ServiceKey<any Store> {
    static let archive = Self("archive")
}

/// An object with an injected property.
final class Screen {
    @Inject var store: any Store
}

// The services of a request.

protocol Session: Sendable {}
protocol Planner: Sendable {}
protocol Handler: Sendable {}

final class LiveSession: Session {
    let store: any Store
    init(store: any Store) { self.store = store }
}

final class LivePlanner: Planner {
    let session: any Session
    let clock: any Clock
    init(session: any Session, clock: any Clock) { (self.session, self.clock) = (session, clock) }
}

final class LiveHandler: Handler {
    let planner: any Planner
    let session: any Session
    init(planner: any Planner, session: any Session) { (self.planner, self.session) = (planner, session) }
}
