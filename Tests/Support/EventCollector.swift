public import Injectle

/// A behavior that notes what it is told.
public final class Notes: Locator.Behavior {
    private let noted = Guarded<[Locator.Event]>([])
    private let act: @Sendable (Locator.Event) -> Void

    /// - Parameter act: What it does besides, each time.
    public init(_ act: @escaping @Sendable (Locator.Event) -> Void = { _ in }) { self.act = act }

    public var events: [Locator.Event] { noted.value }
    public var kinds: [Locator.Event.Kind] { events.map(\.kind) }

    /// The events of one kind.
    public func events(_ kind: Locator.Event.Kind) -> [Locator.Event] { events.filter { $0.kind == kind } }

    /// What was told of one kind, by what it was about.
    public func identities(_ kind: Locator.Event.Kind) -> [ServiceKey] { events(kind).map(\.identity) }

    /// Forgets what it was told.
    public func clear() { noted.withLock { $0 = [] } }

    private func note(_ event: Locator.Event) {
        noted.withLock { $0.append(event) }
        act(event)
    }

    public func didRegister(_ event: Locator.Event) { note(event) }
    public func willCreate(_ event: Locator.Event) { note(event) }
    public func didCreate(_ event: Locator.Event) { note(event) }
    public func didResolve(_ event: Locator.Event) { note(event) }
    public func didUnregister(_ event: Locator.Event) { note(event) }
    public func didDispose(_ event: Locator.Event) { note(event) }
    public func didWait(_ event: Locator.Event) { note(event) }
}
