import Foundation
import Injectle
import InjectleTestSupport

// Threads and tasks use the same locators at once, and the counts of each registration are checked at the end.

/// Counts the instances of one registration. It has a lock of its own, so that the counts order no other operations.
final class Ledger: ProductObserver {
    enum Limit {
        /// One instance while the registration stands.
        case singleton
        /// One instance for each locator that created one.
        case perLocator
        /// One instance for each argument.
        case perArgument
        /// Any number of instances.
        case none
    }

    private struct State {
        var created = 0
        var released = 0
        /// How often each instance was disposed of.
        var disposals: [InstanceID: Int] = [:]
        /// The numbers of instances by locator or argument.
        var places: [Int: Int] = [:]
    }

    let name: String
    let limit: Limit
    let isDisposed: Bool
    private let state = Guarded(State())

    init(_ name: String, _ limit: Limit, isDisposed: Bool) {
        self.name = name
        self.limit = limit
        self.isDisposed = isDisposed
    }

    func create(_ place: Int) -> InstanceID {
        state.withLock { state in
            state.places[place, default: 0] += 1
            state.disposals[state.created] = 0
            defer { state.created += 1 }
            return state.created
        }
    }

    func release(_ number: InstanceID) { state.withLock { $0.released += 1 } }

    func dispose(_ number: InstanceID) { state.withLock { $0.disposals[number, default: 0] += 1 } }

    /// Whether all instances are released, and disposed of if that is due.
    var isSettled: Bool {
        state.withLock { state in
            state.created == state.released && (!isDisposed || state.disposals.allSatisfy { $0.value > 0 })
        }
    }

    /// The promises that the counts break, once the locators are closed or released.
    var violations: [String] {
        state.withLock { state in
            var violations: [String] = []
            switch limit {
            case .singleton:
                if state.created > 1 { violations.append("\(name): \(state.created) instances of a singleton") }
            case .perLocator, .perArgument:
                for (place, count) in state.places where count > 1 {
                    violations.append("\(name): \(count) instances for place \(place)")
                }
            case .none: break
            }
            if state.created > state.released {
                violations.append("\(name): \(state.created - state.released) instances are alive at the end")
            }
            for (number, count) in state.disposals.sorted(by: { $0.key < $1.key }) where count != (isDisposed ? 1 : 0) {
                violations.append("\(name): instance \(number) of \(state.created) was disposed of \(count) times")
            }
            return violations
        }
    }
}

/// The locators that the workers share, and the ledgers of all registrations.
final class Arena: Sendable {
    private struct Shared {
        var tags = 0
        var ledgers: [Ledger] = []
        var handles: [Locator.RegistrationHandle] = []
        var children: [Locator] = []
    }

    let root: Locator
    private let shared = Guarded(Shared())
    private let scope = Guarded<Locator.Scope?>(Locator.Scope())

    init() {
        root = Locator("root")
        root.register(.eager(Tag(number: 0)))
        root.add(SilentBehavior())
    }

    var ledgers: [Ledger] { shared.withLock { $0.ledgers } }

    // MARK: Locators

    func makeChild(of parent: Locator, _ name: String) -> Locator {
        let tag = shared.withLock { shared in
            shared.tags += 1
            return Tag(number: shared.tags)
        }
        return parent.child(Locator.Name(rawValue: name)) { $0.register(.eager(tag)) }
    }

    func addChild(_ child: Locator, _ random: inout SplitMix64) {
        // A replaced child is released without the lock.
        var replaced: Locator?
        shared.withLock { shared in
            if shared.children.count < 3 { return shared.children.append(child) }
            let index = Int.random(in: 0..<3, using: &random)
            replaced = shared.children[index]
            shared.children[index] = child
        }
        withExtendedLifetime(replaced) {}
    }

    func locator(_ random: inout SplitMix64) -> Locator {
        shared.withLock { shared in
            if shared.children.isEmpty || Bool.random(using: &random) { return root }
            return shared.children[Int.random(in: 0..<shared.children.count, using: &random)]
        }
    }

    func removeChildren() {
        let removed = shared.withLock { shared in
            defer { shared.children = [] }
            return shared.children
        }
        withExtendedLifetime(removed) {}
    }

    // MARK: Scopes

    struct InSharedScope: Locator.CustomLifetime {
        let arena: Unowned

        func scope(for resolver: Locator.Resolver) -> Locator.Scope? { arena.value.scope.value }
    }

    struct Unowned: Sendable {
        unowned let value: Arena
    }

    func replaceScope(by scope: Locator.Scope?) {
        var replaced: Locator.Scope?
        self.scope.withLock { current in
            replaced = current
            current = scope
        }
        withExtendedLifetime(replaced) {}
    }

    func resetScope() { scope.value?.reset() }

    // MARK: Registrations

    func keep(_ handle: Locator.RegistrationHandle) { shared.withLock { $0.handles.append(handle) } }

    func takeHandle(_ random: inout SplitMix64) -> Locator.RegistrationHandle? {
        shared.withLock { shared in
            if shared.handles.isEmpty { return nil }
            return shared.handles.remove(at: Int.random(in: 0..<shared.handles.count, using: &random))
        }
    }

    func ledger(_ name: String, _ limit: Ledger.Limit, isDisposed: Bool) -> Ledger {
        let ledger = Ledger(name, limit, isDisposed: isDisposed)
        shared.withLock { $0.ledgers.append(ledger) }
        return ledger
    }

    /// Registers a service that depends on the next types only, so that no cycle can arise.
    func register(in locator: Locator, key: Key?, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: register(Engine.self, dependencies: [.wheel, .radio], in: locator, key: key, &random)
        case 1: register(Wheel.self, dependencies: [.radio], in: locator, key: key, &random)
        default: register(Radio.self, dependencies: [], in: locator, key: key, &random)
        }
    }

    /// Registers a service that a property can read: its creation neither fails nor awaits.
    func registerForProperties(_ random: inout SplitMix64) {
        let lifetimes: [(Locator.Lifetime, Ledger.Limit, isDisposed: Bool)] = [
            (.lazy, .singleton, true), (.volatile, .none, false), (.weak, .none, false),
            (.perLocator, .perLocator, true),
        ]
        let (lifetime, limit, isDisposed) = lifetimes[Int.random(in: 0..<lifetimes.count, using: &random)]
        let ledger = ledger("Radio \(lifetime) for properties", limit, isDisposed: isDisposed)
        keep(
            root.register(
                .lazy { Radio(ledger, 0) }.lifetime(lifetime).onDispose { ledger.dispose($0.number) },
                key: "b"
            )
        )
    }

    /// Registers a service whose instances are reset.
    func registerResettable(in locator: Locator, _ random: inout SplitMix64) {
        let lifetimes: [Locator.Lifetime] = [.lazy, .perLocator, .perArgument, .composite(.perLocator, .lazy)]
        let lifetime = lifetimes[Int.random(in: 0..<lifetimes.count, using: &random)]
        let ledger = ledger("Radio \(lifetime) that is reset", .none, isDisposed: true)
        let registration: Locator.Registration<Radio> = .lazy { Radio(ledger, 0) }
        keep(
            locator.register(
                registration.lifetime(lifetime).onDispose { ledger.dispose($0.number) },
                key: Key.one.value
            )
        )
    }

    private func register<Service: Product>(
        _ type: Service.Type,
        dependencies: [ServiceType],
        in locator: Locator,
        key: Key?,
        _ random: inout SplitMix64
    ) {
        let kinds = [
            "lazy", "async", "eager", "volatile", "weak", "graph", "perLocator", "asyncPerLocator", "named",
            "perArgument",
            "scope", "composite", "failing",
        ]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        let name = "\(type) \(kind)"
        func make(
            _ limit: Ledger.Limit,
            isDisposed: Bool = true,
            _ lifetime: Locator.Lifetime = .lazy,
            failures: Int = 0
        ) -> Locator.Registration<Service> {
            let ledger = ledger(name, limit, isDisposed: isDisposed)
            let failuresLeft = Guarded(failures)
            let registration: Locator.Registration<Service> = .lazy { locator in
                let services = try dependencies.flatMap { try $0.resolveOptional(from: locator) }
                let fails = failuresLeft.withLock { left in
                    defer { left -= 1 }
                    return left > 0
                }
                if fails { throw Failed() }
                return Service(ledger, try locator.place, services)
            }
            return registration.lifetime(lifetime).onDispose { ledger.dispose($0.number) }
        }
        func makeAsync(_ limit: Ledger.Limit, _ lifetime: Locator.Lifetime) -> Locator.Registration<Service> {
            let ledger = ledger(name, limit, isDisposed: true)
            let registration: Locator.Registration<Service> = .lazy { locator in
                let place = try locator.place
                var services: [Product] = []
                for dependency in dependencies { services += try await dependency.resolveOptionalAsync(from: locator) }
                await Task.yield()
                return Service(ledger, place, services)
            }
            return registration.lifetime(lifetime).onDispose { ledger.dispose($0.number) }
        }
        var registration: Locator.Registration<Service>
        switch kind {
        case "async": registration = makeAsync(.singleton, .lazy)
        // A child can be closed, and then ignores a registration.
        case "eager" where locator === root:
            let ledger = ledger(name, .singleton, isDisposed: true)
            registration = .eager(Service(ledger, 0)).onDispose { ledger.dispose($0.number) }
        case "lazy", "eager": registration = contributing(make(.singleton), &random)
        case "volatile": registration = contributing(make(.none, isDisposed: false, .volatile), &random)
        case "weak": registration = make(.none, isDisposed: false, .weak)
        case "graph":
            let ledger = ledger(name, .none, isDisposed: false)
            registration = .lazy { Service(ledger, 0) }.lifetime(.graph)
        case "perLocator": registration = contributing(make(.perLocator, .perLocator), &random)
        case "asyncPerLocator": registration = makeAsync(.perLocator, .perLocator)
        case "named": registration = make(.perLocator, .perLocator(named: "session"))
        case "perArgument":
            let ledger = ledger(name, .perArgument, isDisposed: true)
            registration = .lazy { (_, number: Int) in Service(ledger, number) }.lifetime(.perArgument)
                .onDispose { ledger.dispose($0.number) }
        case "scope": registration = make(.none, .custom(InSharedScope(arena: Unowned(value: self))))
        case "composite": registration = make(.none, .composite(.perLocator, .weak))
        default: registration = make(.singleton, failures: 2)
        }
        keep(locator.register(registration, key: key?.value))
    }

    private func contributing<Service>(_ registration: Locator.Registration<Service>, _ random: inout SplitMix64)
        -> Locator.Registration<Service>
    {
        Int.random(in: 0..<3, using: &random) == 0
            ? registration.contributing(to: (any Part).self).asSelf() : registration
    }
}

extension Locator.Resolver {
    /// The number of the locator that creates a service. A child that is released meanwhile has none, and would find
    /// its parent's.
    fileprivate var place: Int {
        get throws {
            let number = try resolve(Tag.self).number
            if !isValid { throw Failed() }
            return number
        }
    }
}
