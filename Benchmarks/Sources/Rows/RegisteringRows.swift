internal import Foundation
internal import Injectle

extension Row {
    /// Row 10: registering 1,000 services in a new locator. An operation is one registration. Creating the locator, or
    /// the dictionary, is part of it; dropping it is not, but in 10d. The closures of 10a, 10d and 10e capture their type.
    static let registering: [Row] = [
        Row("10a-register-distinct-types") {
            let registrars = Registrars(thousand).closures
            let inserters = Inserters(thousand).closures
            return (
                { count in timed(count) { fillDictionary(inserters) } },
                { count in timed(count) { fillLocator(registrars) } }
            )
        },
        Row("10b-register-int-keys") {
            let registrars = (0..<thousand).map { key in
                { (locator: Locator) in
                    _ = locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self, key: key)
                }
            }
            let inserters = (0..<thousand).map { key in insert(Implementation(), under: key) }
            return (
                { count in timed(count) { fillDictionary(inserters) } },
                { count in timed(count) { fillLocator(registrars) } }
            )
        },
        Row("10c-register-string-keys") {
            let keys = (0..<thousand).map { "key-\($0)" }
            let registrars = keys.map { key in
                { (locator: Locator) in
                    _ = locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self, key: key)
                }
            }
            let inserters = keys.map { key in insert(Implementation(), under: key) }
            return (
                { count in timed(count) { fillDictionary(inserters) } },
                { count in timed(count) { fillLocator(registrars) } }
            )
        },
        Row("10d-register-distinct-types-and-drop-all") {
            let registrars = Registrars(thousand).closures
            let inserters = Inserters(thousand).closures
            return (
                { count in timedWithDropping(count) { fillDictionary(inserters) } },
                { count in timedWithDropping(count) { fillLocator(registrars) } }
            )
        },
        Row("10e-register-distinct-types-to-by-hand") {
            let registrars = Registrars(thousand).closures
            let plainRegistrars = PlainRegistrars(thousand).closures
            return (
                { count in timed(count) { fillContainer(plainRegistrars) } },
                { count in timed(count) { fillLocator(registrars) } }
            )
        },
    ]
}

/// A container by hand: a closure for each type, behind a lock.
private final class Container: @unchecked Sendable {
    // Guarded by the lock.
    private var factories: [ObjectIdentifier: @Sendable () -> AnyObject] = [:]
    private let lock = NSLock()

    func register<Made: AnyObject>(_ type: Made.Type, _ make: @escaping @Sendable () -> Made) {
        lock.withLock { factories[ObjectIdentifier(type)] = make }
    }
}

private let thousand = 1000

/// Repeats a body of a thousand operations, and releases its result outside the measured time.
private func timed<Made>(_ count: Int, _ body: () -> Made) -> Duration {
    let rounds = rounds(count)
    var sum = Duration.zero
    for _ in 0..<rounds {
        let start = ContinuousClock.now
        let made = body()
        let end = ContinuousClock.now
        sum += start.duration(to: end)
        withExtendedLifetime(made) {}
    }
    return sum * count / (rounds * thousand)
}

/// Repeats a body of a thousand operations, and releases its result within the measured time.
private func timedWithDropping<Made>(_ count: Int, _ body: () -> Made) -> Duration {
    let rounds = rounds(count)
    let start = ContinuousClock.now
    for _ in 0..<rounds { _ = body() }
    return start.duration(to: .now) * count / (rounds * thousand)
}

// What calls these divides by the count, so that is rounded to whole rounds and the time scaled back.
private func rounds(_ count: Int) -> Int { max(1, count / thousand) }

@inline(never)
private func fillLocator(_ registrars: [(Locator) -> Void]) -> Locator {
    let locator = Locator("benchmark")
    for register in registrars { register(locator) }
    return locator
}

@inline(never)
private func fillContainer(_ registrars: [(Container) -> Void]) -> Container {
    let container = Container()
    for register in registrars { register(container) }
    return container
}

@inline(never)
private func fillDictionary<Key: Hashable>(_ inserters: [(inout [Key: AnyObject]) -> Void]) -> [Key: AnyObject] {
    var dictionary: [Key: AnyObject] = [:]
    for insert in inserters { insert(&dictionary) }
    return dictionary
}

/// Collects a closure for each type that puts an object under the address of its type.
private struct Inserters: TypeVisitor {
    private(set) var closures: [(inout [UnsafeRawPointer: AnyObject]) -> Void] = []

    init(_ count: Int) {
        visitDistinctTypes(count, &self)
    }

    mutating func visit<Visited: Makeable>(_ type: Visited.Type) {
        closures.append(insert(Visited(), under: unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)))
    }
}

private func insert<Key: Hashable>(_ object: AnyObject, under key: Key) -> (inout [Key: AnyObject]) -> Void {
    { dictionary in dictionary[key] = object }
}

/// Collects a closure for each type that registers it in a container by hand.
private struct PlainRegistrars: TypeVisitor {
    private(set) var closures: [(Container) -> Void] = []

    init(_ count: Int) {
        visitDistinctTypes(count, &self)
    }

    mutating func visit<Visited: Makeable>(_ type: Visited.Type) {
        closures.append { container in container.register(type) { Visited() } }
    }
}
