import Injectle

protocol Store: Sendable {}
final class Disk: Sendable, Store {}
final class Repository: Sendable {
    init(disk: Disk) {}
}
final class Office: Sendable {
    init(roster: Roster) {}
}
final class Roster: Sendable {}
struct Badge: Sendable {
    let roster: Roster
}
final class Chicken: Sendable {
    init(egg: Egg) {}
}
final class Egg: Sendable {
    init(chicken: Chicken) {}
}
final class LazyEgg: Sendable {
    init(chicken: Locator.Lazy<LazyChicken>) {}
}
final class LazyChicken: Sendable {
    init(egg: LazyEgg) {}
}
@MainActor final class ViewModel { nonisolated init() {} }
final class Printer {
    init(model: ViewModel) {}
}
final class Pool: Sendable {}
final class Query: Sendable {
    init(pool: Pool) {}
}

/// Counts the services that closures create. Validation must not.
func neverCreated<Service>(_: Service.Type) throws -> Service { throw WasCreated() }
struct WasCreated: Error {}
