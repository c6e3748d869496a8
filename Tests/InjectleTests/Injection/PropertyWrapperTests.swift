import Foundation
import Injectle
import InjectleTestSupport
import Testing

private protocol Car: AnyObject, Sendable {}
private final class Beetle: Car {}
private final class Taxi: Car {}

private final class Driver: Sendable {
    let car = Inject<any Car>()
    let spare = Optject<any Car>("spare")
    let kept = Injected<any Car>(resolve: .lazy)
}

private struct Trip {
    @Inject var car: any Car
    @Inject var number: Int?
    @Optject var name: String?
}

/// A key that runs a closure at its first comparison.
private final class Reentrant: Hashable, Sendable {
    private let body = Guarded<(@Sendable () -> Void)?>(nil)

    func run(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

    static func == (left: Reentrant, right: Reentrant) -> Bool {
        let body = left.body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
        return ObjectIdentifier(left) == ObjectIdentifier(right)
    }

    func hash(into hasher: inout Hasher) {}
}

private final class Owner: Sendable {
    let driver: Driver
    init(driver: Driver) { self.driver = driver }
}

private final class Copied: NSCopying, Sendable {
    let car = Inject<any Car>()
    func copy(with zone: NSZone? = nil) -> Any { Copied() }
}

/// Property wrappers: which locator they use and how they follow it.
@Suite struct PropertyWrapperTests {
    private let locator = Locator("wrappers")

    private func inLocator<Value>(_ make: () -> Value) -> Value {
        Locator.$shared.withValue(locator) { make() }
    }

    // MARK: Following

    @Test func `A property follows the registration`() throws {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        let driver = inLocator { Driver() }
        for _ in 0..<3 { #expect(driver.car() is Beetle) }
        locator.register(.lazy { Taxi() }, for: (any Car).self)
        for _ in 0..<3 { #expect(driver.car() is Taxi) }
        locator.register(.volatile { Beetle() }, for: (any Car).self)
        let volatile = driver.car()
        #expect(volatile is Beetle)
        for _ in 0..<3 { #expect(driver.car() === volatile) }
        locator.register(.eager(Taxi()), for: (any Car).self)
        for _ in 0..<3 { #expect(driver.car() is Taxi) }
    }

    @Test func `An optional property follows registration and unregistration`() {
        let driver = inLocator { Driver() }
        #expect(driver.spare() == nil)
        locator.register(.lazy { Beetle() }, for: (any Car).self, key: "spare")
        for _ in 0..<3 { #expect(driver.spare() is Beetle) }
        locator.unregisterService(withKey: "spare")
        for _ in 0..<3 { #expect(driver.spare() == nil) }
        locator.register(.volatile { Taxi() }, for: (any Car).self, key: "spare")
        for _ in 0..<3 { #expect(driver.spare() is Taxi) }
        locator.reset()
        for _ in 0..<3 { #expect(driver.spare() == nil) }
    }

    @Test func `An Injected property keeps its first instance`() {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        let driver = inLocator { Driver() }
        let kept = driver.kept()
        locator.register(.lazy { Taxi() }, for: (any Car).self)
        #expect(driver.kept() === kept)
        locator.reset()
        #expect(driver.kept() === kept)
    }

    @Test func `An eager Injected property resolves when it is created`() {
        let created = Counter()
        locator.register(.lazy { created.increment() })
        let lazy = inLocator { Injected<Int>(resolve: .lazy) }
        #expect(created.value == 0)
        let eager = inLocator { Injected<Int>(resolve: .eager) }
        #expect(created.value == 1)
        #expect(lazy() == eager())
    }

    @Test func `An Injected property that resolved nil resolves again`() {
        let property = inLocator { Injected<Int?>(resolve: .lazy) }
        #expect(property() == nil)
        locator.register(.eager(1))
        #expect(property() == 1)
        locator.register(.eager(2))
        #expect(property() == 1)
    }

    @Test func `A reentrant first read settles an Injected property once`() {
        let key = Reentrant()
        let property = Injected<Int>(resolve: .lazy, key: key)
        let (inner, outer) = (Locator(), Locator())
        for (number, locator) in [inner, outer].enumerated() {
            locator.register(.volatile { number }, for: Int.self, key: key)
        }
        key.run { Locator.$shared.withValue(inner) { #expect(property() == 0) } }
        Locator.$shared.withValue(outer) { #expect(property() == 0) }
        inner.reset()
        outer.reset()
        Locator.$shared.withValue(outer) { #expect(property() == 0) }
    }

    @Test func `Concurrent readers of one property share its volatile instance`() async {
        for _ in 0..<Stress.rounds(200) {
            let created = Counter()
            locator.register(.volatile { created.increment() })
            let (property, kept) = inLocator { (Inject<Int>(), Injected<Int>(resolve: .lazy)) }
            let seen = Guarded<Set<[Int]>>([])
            await onThreadsAsync(4) { _ in
                let numbers = [property(), kept()]
                seen.withLock { _ = $0.insert(numbers) }
            }
            #expect(seen.value.count == 1)
            #expect(created.value == 2)
        }
    }

    @Test func `Wrappers work in structures and with optional types`() {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        let trip = inLocator { Trip() }
        for _ in 0..<3 {
            #expect(trip.car is Beetle)
            #expect(trip.number == nil)
            #expect(trip.name == nil)
        }
        locator.register(.eager(7))
        locator.register(.volatile { "name" })
        for _ in 0..<3 {
            #expect(trip.number == 7)
            #expect(trip.name == "name")
        }
        trip.name = nil
        #expect(trip.name == nil)
    }

    // MARK: Setting to nil

    @Test func `Setting an Optject to nil is permanent`() {
        locator.register(.lazy { Beetle() }, for: (any Car).self, key: "spare")
        let driver = inLocator { Driver() }
        #expect(driver.spare() != nil)
        driver.spare.wrappedValue = nil
        #expect(driver.spare() == nil)
        locator.register(.lazy { Taxi() }, for: (any Car).self, key: "spare")
        #expect(driver.spare() == nil)
        #expect(inLocator { Driver() }.spare() is Taxi)
    }

    @Test func `Setting an Optject to another value has no effect`() {
        let driver = inLocator { Driver() }
        driver.spare.wrappedValue = Taxi()
        #expect(driver.spare() == nil)
        locator.register(.lazy { Beetle() }, for: (any Car).self, key: "spare")
        driver.spare.wrappedValue = Taxi()
        #expect(driver.spare() is Beetle)
    }

    @Test func `Setting an Optject to nil releases its instance`() {
        let log = Tracked.Log()
        locator.register(.volatile { Tracked(log) })
        let property = inLocator { Optject<Tracked>() }
        #expect(property() != nil)
        #expect(log.alive == 1)
        property.wrappedValue = nil
        #expect(log.alive == 0)
    }

    // MARK: The locator of a property

    @Test func `A wrapper in a service uses the locator that creates it`() throws {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        locator.register(.lazy { Driver() })
        locator.register(.volatile { Owner(driver: Driver()) })
        #expect(try locator.resolve(Driver.self).car() is Beetle)
        let elsewhere = Locator { $0.register(.lazy { Taxi() }, for: (any Car).self) }
        try Locator.$shared.withValue(elsewhere) { () throws in
            // The creating locator precedes the bound one.
            #expect(try locator.resolve(Owner.self).driver.car() is Beetle)
        }
    }

    @Test func `A wrapper in a prototype copy uses the creating locator`() throws {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        locator.register(.factory(Copied()))
        #expect(try locator.resolve(Copied.self).car() is Beetle)
    }

    @Test func `A wrapper in a volatile service uses the child`() throws {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        locator.register(.volatile { Owner(driver: Driver()) })
        locator.register(.lazy { Driver() })
        let child = locator.child { $0.register(.lazy { Taxi() }, for: (any Car).self) }
        #expect(try child.resolve(Owner.self).driver.car() is Taxi)
        // A lazy service of the parent uses the parent's dependencies.
        #expect(try child.resolve(Driver.self).car() is Beetle)
    }

    @Test func `A property keeps the override in which it was created`() async {
        locator.register(.lazy { Beetle() }, for: (any Car).self)
        let driver = inLocator { Driver() }
        #expect(await onAnotherThread { driver.car() is Beetle })
        let other = Locator { $0.register(.lazy { Taxi() }, for: (any Car).self) }
        Locator.$shared.withValue(other) { #expect(driver.car() is Beetle) }
    }

    @Test func `A property keeps its override alive`() {
        func make() -> Driver {
            let locator = Locator { $0.register(.lazy { Beetle() }, for: (any Car).self) }
            return Locator.$shared.withValue(locator) { Driver() }
        }
        #expect(make().car() is Beetle)
    }

    @Test func `A property without an override uses the reader's locator`() {
        let number = Inject<Int>()
        let (first, second) = (Locator { $0.register(.eager(1)) }, Locator { $0.register(.eager(2)) })
        for _ in 0..<3 {
            Locator.$shared.withValue(first) { #expect(number() == 1) }
            Locator.$shared.withValue(second) { #expect(number() == 2) }
        }
    }

    @Test func `A property caches a volatile instance for the last locator only`() {
        let created = Counter()
        let property = Inject<Int>()
        let (first, second) = (Locator(), Locator())
        for locator in [first, second] { locator.register(.volatile { created.increment() }) }
        Locator.$shared.withValue(first) { #expect([property(), property()] == [1, 1] as [Int]) }
        Locator.$shared.withValue(second) { #expect([property(), property()] == [2, 2] as [Int]) }
        Locator.$shared.withValue(first) { #expect(property() == 3) }
    }

    // MARK: Traps

    #if os(macOS) || os(Linux)
    @Test func `Reading a missing service traps with the complete error`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Passenger {
                @Inject("window") var seat: Int
            }
            Locator.default.register(.eager(1), key: "aisle")
            _ = Passenger().seat
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("No service is registered as Int under the key \"window\"."))
        #expect(text.contains("@Inject in InjectleTests/PropertyWrapperTests.swift:"))
        #expect(text.contains("the default locator"))
        #expect(text.contains("Int under the key \"aisle\""))
        #expect(text.contains("fix           resolve with the key \"aisle\""))
        #expect(text.contains("or            Locator.default.register(.lazy { … }, for: Int.self, key: \"window\")"))
    }
    #endif

    @Test func `An Optject set to nil during its read stays nil`() {
        let locator = Locator()
        let log = Tracked.Log()
        let property = Guarded<Optject<Tracked>?>(nil)
        locator.register(
            .volatile(.anywhere) {
                property.value?.wrappedValue = nil
                return Tracked(log)
            }
        )
        property.withLock { $0 = Locator.$shared.withValue(locator) { Optject<Tracked>() } }
        let optject = property.value
        _ = optject?()
        #expect(log.created == 1)
        #expect(optject?() == nil)
        #expect(log.alive == 0)
    }

    #if os(macOS) || os(Linux)
    @Test func `A failing service traps in an optional property as well`() async {
        struct Broken: Error {}
        await #expect(processExitsWith: .failure) {
            Locator.default.register(.lazy { () throws -> Int in throw Broken() })
            _ = Optject<Int>()()
        }
    }
    #endif
}
