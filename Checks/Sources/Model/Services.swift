import Foundation
import Injectle
import InjectleTestSupport

// The services that the generated programs register. Each instance has the number of its creation.

protocol Part: AnyObject, Sendable {
    var product: Product { get }
}

/// What counts the instances of a registration.
protocol ProductObserver: Sendable {
    /// Returns the number of a new instance.
    func create(_ origin: Int) -> InstanceID
    func release(_ number: InstanceID)
}

class Product: Part, NSCopying, @unchecked Sendable {
    // Sound to share: all properties are constants.

    let number: InstanceID
    let properties = Properties()
    private let observer: any ProductObserver
    private let origin: Int
    private let dependencies: [Product]

    var product: Product { self }

    /// - Parameter origin: The number of the registration or of the creating locator, for the observer.
    required init(_ observer: any ProductObserver, _ origin: Int, _ dependencies: [Product] = []) {
        self.observer = observer
        self.origin = origin
        self.dependencies = dependencies
        number = observer.create(origin)
    }

    deinit { observer.release(number) }

    func copy(with zone: NSZone? = nil) -> Any { Self(observer, origin, dependencies) }
}

final class Engine: Product, @unchecked Sendable {}
final class Wheel: Product, @unchecked Sendable {}
final class Radio: Product, @unchecked Sendable {}

/// One of each property.
final class Properties: Sendable {
    let engine = Inject<Engine>()
    let part = Inject<any Part>()
    let partUnderA = Inject<any Part>("a")
    let optionalRadio = Inject<Radio?>()
    let optject = Optject<Wheel>()
    let injected = Injected<Engine?>(resolve: .lazy)

    func read(_ property: Property) -> Product? {
        switch property {
        case .engine: engine()
        case .part: part().product
        case .partUnderA: partUnderA().product
        case .optionalRadio: optionalRadio()
        case .optject: optject()
        case .injected: injected()
        }
    }
}

struct Failed: Error {}

/// What the services of one program report.
final class World: ProductObserver {
    private struct State {
        var created = 0
        var alive: Set<InstanceID> = []
        var effects: [Effect] = []
        var failuresLeft: [RegistrationID: Int] = [:]
        var scopes: [ScopeID: Locator.Scope] = [:]
    }

    private let state = Guarded(State())

    var alive: Set<InstanceID> { state.withLock { $0.alive } }

    func drainEffects() -> [Effect] {
        state.withLock { state in
            defer { state.effects = [] }
            return state.effects
        }
    }

    func create(_ registration: Int) -> InstanceID {
        state.withLock { state in
            defer { state.created += 1 }
            state.alive.insert(state.created)
            state.effects.append(.created(state.created, registration))
            return state.created
        }
    }

    func release(_ number: InstanceID) { state.withLock { _ = $0.alive.remove(number) } }

    func call(_ registration: RegistrationID, in locator: LocatorID?) {
        state.withLock { $0.effects.append(.called(registration, in: locator)) }
    }

    func dispose(_ number: InstanceID) { state.withLock { $0.effects.append(.disposed(number)) } }

    func willFail(_ registration: RegistrationID, times: Int) {
        state.withLock { $0.failuresLeft[registration] = times }
    }

    func failIfDue(_ registration: RegistrationID) throws {
        let isDue = state.withLock { state in
            guard let left = state.failuresLeft[registration], left > 0 else { return false }
            state.failuresLeft[registration] = left - 1
            return true
        }
        if isDue { throw Failed() }
    }

    func scope(_ id: ScopeID) -> Locator.Scope? { state.withLock { $0.scopes[id] } }

    func setScope(_ id: ScopeID, to scope: Locator.Scope?) {
        // A scope that is released calls hooks, which need the lock.
        withExtendedLifetime(self.scope(id)) { state.withLock { $0.scopes[id] = scope } }
    }
}

/// The number of a locator, registered in it, so that a closure knows where it runs.
struct Tag: Sendable {
    let number: Int
}

/// A lifetime that ends with the scope that a program opened last.
struct InScope: Locator.CustomLifetime {
    let world: World
    let id: ScopeID

    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { world.scope(id) }
}

/// Receives all events and drops them, so that errors of hooks are not written to standard error.
struct SilentBehavior: Locator.Behavior {
    func handle(_ event: Locator.Event) {}
}
