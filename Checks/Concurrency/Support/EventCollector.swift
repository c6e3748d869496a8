public import Injectle

/// A behavior that collects the events of a locator.
public final class EventCollector: Locator.Behavior {
    private let collected = Guarded<[Locator.Event]>([])
    private let action: @Sendable (Locator.Event) -> Void

    /// - Parameter action: Runs for each event, after the collector stored it.
    public init(_ action: @escaping @Sendable (Locator.Event) -> Void = { _ in }) { self.action = action }

    public var events: [Locator.Event] { collected.value }
    public var kinds: [Locator.Event.Kind] { events.map(\.kind) }

    /// Returns the events of one kind.
    public func events(_ kind: Locator.Event.Kind) -> [Locator.Event] { events.filter { $0.kind == kind } }

    /// Returns the identities of the events of one kind.
    public func identities(_ kind: Locator.Event.Kind) -> [Locator.Identity] { events(kind).map(\.identity) }

    /// Removes all events.
    public func clear() { collected.withLock { $0 = [] } }

    public func handle(_ event: Locator.Event) {
        collected.withLock { $0.append(event) }
        action(event)
    }
}
