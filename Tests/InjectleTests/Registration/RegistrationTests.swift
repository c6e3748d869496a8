import Injectle
import InjectleTestSupport
import Testing

private protocol Parking: AnyObject, Sendable {}
private protocol Lighting: AnyObject, Sendable {}
private final class Garage: Parking, Lighting {}
private struct Tent: Sendable {}

/// Registering: the latest wins, except over `final`; `and:` decides before the insertion.
@Suite struct RegistrationTests {
    private let locator = Locator("registering")

    @Test func `The latest registration wins`() throws {
        locator.register(.eager(1))
        locator.register(.eager(2))
        #expect(try locator.resolve(Int.self) == 2)
        #expect(locator.registrations.count == 1)
    }

    @Test func `A closure without a result is an invalid registration`() {
        let error = thrown { try locator.register(.lazy { _ = Tent() }, and: forbidReassignment) }
        #expect(error == .invalidRegistration)
        #expect(error?.description.hasPrefix("The registration has no service: its closure returns `Void`.") == true)
        #expect(locator.registrations.isEmpty)
    }

    #if os(macOS) || os(Linux)
    @Test func `A closure without a result traps without a check`() async {
        await #expect(processExitsWith: .failure) { Locator().register(.volatile { _ = Tent() }) }
        await #expect(processExitsWith: .failure) { Locator().registerIfAbsent(.volatile { _ = Tent() }) }
    }
    #endif

    @Test func `Modifiers list the identities of a service`() throws {
        locator.register(.lazy { Garage() }.as((any Parking).self).as((any Lighting).self, key: "garage"))
        let parking = try locator.resolve((any Parking).self)
        #expect(try locator.resolve((any Lighting).self, key: "garage") === parking)
        #expect(!locator.isRegistered(Garage.self))
    }

    @Test(arguments: [Locator.Lifetime.lazy, .weak, .perLocator, .perArgument])
    func `All identities share one instance`(lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { Garage() }.lifetime(lifetime).as((any Parking).self).asSelf().asSelf(key: "key"))
        let garage = try locator.resolve(Garage.self)
        #expect(try locator.resolve((any Parking).self) === garage)
        #expect(try locator.resolve(Garage.self, key: "key") === garage)
    }

    @Test func `A created instance of another type throws wrongType`() throws {
        locator.register(.lazy { Tent() }.as((any Parking).self).asSelf())
        let error = #expect(throws: InjectleError.self) { try locator.resolve((any Parking).self) }
        #expect(error == .wrongType)
        _ = try locator.resolve(Tent.self)
    }

    @Test func `An eager instance of another type is refused`() {
        let error = #expect(throws: InjectleError.self) {
            try locator.register(.eager(Tent()).as((any Parking).self)) { _, _ throws in }
        }
        #expect(error == .wrongType)
        #expect(locator.registrations.isEmpty)
    }

    #if os(macOS) || os(Linux)
    @Test func `An eager instance of another type traps without a check`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Locator().register(.eager(Tent()).as((any Parking).self))
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("is not of that type"))
    }
    #endif

    @Test func `A duplicate identity counts once`() throws {
        locator.register(.lazy { Garage() }.as((any Parking).self).as((any Parking).self))
        #expect(locator.registrations.count == 1)
        _ = try locator.resolve((any Parking).self)
        locator.unregisterService((any Parking).self)
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A replaced identity leaves the other identities`() throws {
        locator.register(.lazy { Garage() }.as((any Parking).self).as((any Lighting).self))
        let garage = try locator.resolve((any Lighting).self)
        locator.register(.lazy { Garage() }, for: (any Parking).self)
        #expect(try locator.resolve((any Parking).self) !== garage)
        #expect(try locator.resolve((any Lighting).self) === garage)
    }

    // MARK: Handles

    @Test func `A handle removes its own registration only`() throws {
        let first = locator.register(.eager(1).as(Int.self).as(Int.self, key: "key"))
        let second = locator.register(.eager(2))
        first.remove()
        #expect(try locator.resolve(Int.self) == 2)
        #expect(!locator.isRegistered(Int.self, key: "key"))
        second.remove()
        second.remove()
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A handle of a locator that its call was the last to use removes nothing`() {
        for _ in 0..<100 {
            let handle = Locator("temporary").register(.lazy { 1 })
            let keyed = Locator("temporary").register(.lazy { 1 }, key: "key")
            let other = Locator("other") { $0.register(.eager(2)) }
            handle.remove()
            keyed.remove()
            #expect(other.isRegistered(Int.self))
        }
    }

    @Test func `A handle does not retain its locator`() {
        var locator: Locator? = Locator()
        let log = Tracked.Log()
        let handle = locator?.register(.eager(Tracked(log)))
        let weakly = { [weak locator] in locator }
        locator = nil
        #expect(weakly() == nil)
        handle?.remove()
    }

    // MARK: Final

    @Test func `A final registration is not replaced`() throws {
        locator.register(.eager(1).final())
        let error = #expect(throws: InjectleError.self) {
            try locator.register(.eager(2)) { _, _ throws in }
        }
        #expect(error == .forbiddenReassignment)
        #expect(try locator.resolve(Int.self) == 1)
    }

    #if os(macOS) || os(Linux)
    // The lines of an exit test are those of its macro.
    private static let lineOfReplacement = #line + 4
    private static func replaceFinal() {
        let locator = Locator()
        locator.register(.eager(1).final())
        locator.register(.eager(2))
    }

    @Test func `Replacing a final registration traps without a check`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.replaceFinal()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Int is already registered in a locator without a name"))
        #expect(text.contains("refused     in InjectleTests/RegistrationTests.swift:\(Self.lineOfReplacement)\n"))
        #expect(text.contains("RegistrationTests.swift:\(Self.lineOfReplacement): Fatal error"))
        #expect(text.contains("locator.unregister(Int.self)"))
    }
    #endif

    @Test func `A final registration is not replaced through another identity`() throws {
        locator.register(.lazy { Garage() }.as((any Parking).self).final())
        #expect(throws: InjectleError.self) {
            try locator.register(.lazy { Garage() }.asSelf().as((any Parking).self)) { _, _ throws in }
        }
        // All or nothing: the available identity is not registered either.
        #expect(!locator.isRegistered(Garage.self))
    }

    @Test func `A final registration can be unregistered and registered again`() throws {
        locator.register(.eager(1).final())
        locator.unregister(Int.self)
        locator.register(.eager(2).final())
        #expect(try locator.resolve(Int.self) == 2)
        locator.reset()
        locator.register(.eager(3))
        #expect(try locator.resolve(Int.self) == 3)
    }

    @Test func `A child may override a final registration of its parent`() throws {
        locator.register(.eager(1).final())
        let child = locator.child()
        child.register(.eager(2))
        #expect(try child.resolve(Int.self) == 2)
        #expect(try locator.resolve(Int.self) == 1)
    }

    // MARK: Checks

    @Test func `A check receives the key or the name of the type`() throws {
        let keys = Guarded<[AnyHashable]>([])
        let check: (Locator, AnyHashable) -> Void = { _, key in keys.withLock { $0.append(key) } }
        locator.register(.eager(1), and: check)
        locator.register(.eager(1), key: "key", and: check)
        locator.register(.eager("text"), for: String.self, key: 7, and: check)
        locator.register(.eager(Garage()).as((any Parking).self).as((any Lighting).self, key: "light"), and: check)
        locator.register(.volatile { (_, number: Int) in "\(number)" }, and: check)
        let expected: [AnyHashable] = ["Int", "key", 7, "Parking", "light", "String"]
        #expect(keys.value == expected)
    }

    @Test func `The error of a check is rethrown and nothing is registered`() {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try locator.register(.eager(1)) { (_, _) throws(Refused) in throw Refused() }
        }
        #expect(locator.registrations.isEmpty)
    }

    @Test func `A check may call the locator`() throws {
        locator.register(.eager(1))
        locator.register(.eager(2), key: "key") { locator, _ in
            locator.register(.eager("from the check"))
            locator.unregisterService(Int.self)
        }
        #expect(try locator.resolve(String.self) == "from the check")
        #expect(try locator.resolve(Int.self, key: "key") == 2)
        #expect(!locator.isRegistered(Int.self))
    }

    @Test func `A check runs again if the identity changed`() throws {
        let calls = Counter()
        locator.register(.eager(1)) { locator, _ in
            if calls.increment() == 1 { locator.register(.eager(2)) }
        }
        #expect(calls.value == 2)
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `A check does not run again for other changes`() {
        let calls = Counter()
        locator.register(.eager(1)) { locator, _ in
            calls.increment()
            locator.register(.eager("elsewhere"))
        }
        #expect(calls.value == 1)
    }

    @Test func `forbidReassignment allows an override of the parent`() throws {
        locator.register(.eager(1))
        let child = locator.child()
        try child.register(.eager(2), and: forbidReassignment)
        #expect(try child.resolve(Int.self) == 2)
    }

    // MARK: Inspection

    @Test func `registrations lists services in order without creating them`() throws {
        let created = Counter()
        locator.register(.lazy { created.increment() })
        locator.register(.eager("text"), key: "key")
        locator.register(.volatile { Tent() }.as(Tent.self).as(Tent.self, key: 1))
        #expect(
            locator.registrations.map(\.identity) == [
                Locator.Identity(Int.self), Locator.Identity(String.self, key: "key"), Locator.Identity(Tent.self),
                Locator.Identity(Tent.self, key: 1),
            ]
        )
        #expect(locator.registrations.map(\.lifetime) == [.lazy, .eager, .volatile, .volatile])
        #expect(locator.registrations.map(\.isCreated) == [false, true, false, false])
        #expect(created.value == 0)
        _ = try locator.resolve(Int.self)
        #expect(locator.registrations.map(\.isCreated) == [true, true, false, false])
        #expect(locator.registrations.first?.description == "Int: lazy, created")
    }

    @Test func `isRegistered searches parents and creates nothing`() {
        let created = Counter()
        locator.register(.lazy { created.increment() }, for: Int.self, key: "key")
        #expect(locator.child().isRegistered(Int.self, key: "key"))
        #expect(!locator.child().isRegistered(Int.self))
        #expect(!locator.isRegistered(String.self, key: "key"))
        #expect(created.value == 0)
    }

    // MARK: A registration is a value

    @Test func `A registration in two locators has two instances`() throws {
        let registration = Locator.Registration<Garage>.lazy { Garage() }
        let other = Locator()
        locator.register(registration)
        other.register(registration)
        #expect(try locator.resolve(Garage.self) !== other.resolve(Garage.self))
        other.reset()
        other.register(registration)
        _ = try other.resolve(Garage.self)
    }

    @Test func `A modifier changes the copy only`() throws {
        let created = Counter()
        let plain = Locator.Registration<Garage>.volatile { Garage() }
        let named = plain.as(Garage.self, key: "named")
        let counted = named.afterInit { _, _ in created.increment() }
        locator.register(plain)
        #expect(locator.registrations.map(\.identity) == [Locator.Identity(Garage.self)])
        locator.reset()
        locator.register(named.asSelf())
        #expect(
            locator.registrations.map(\.identity) == [
                Locator.Identity(Garage.self, key: "named"), Locator.Identity(Garage.self),
            ]
        )
        _ = try locator.resolve(Garage.self)
        #expect(created.value == 0)
        locator.register(counted)
        _ = try locator.resolve(Garage.self, key: "named")
        #expect(created.value == 1)
    }
}
