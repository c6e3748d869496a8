// Each use of each public symbol of Injectle in a program, with its result. The same file is compiled in
// Swift 6, in Swift 5, and in a module whose default isolation is the main actor. `SeedUsageTests.swift` has the types.

import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Refusal: Error {}

private struct Motor: Equatable { var name = "" }
private enum Fuel: Hashable { case diesel, electric(Int) }
private struct Box<Content> { var name = "" }

/// The names as types: of variables, parameters, results, collections, closures and extensions.
@Suite(.processWide) @MainActor struct FacadeUsageTests {
    private let stored: Injectle = Injectle[.default]
    private var optional: Injectle?
    private let locators: [Injectle.Locator] = [.default, .test]
    private let check: (Injectle, AnyHashable) throws -> Void = forbidReassignment

    private func name(_ locator: Injectle.Locator) -> Injectle { Injectle[locator] }
    private func make() -> Injectle? { optional ?? stored }
    private func registerAll(in locators: Injectle...) { for locator in locators { locator.registerAll() } }
    private func registerAll(in locator: Injectle = Injectle[.default], for name: String) {
        locator.registerSingleton(Motor(name: name))
    }

    @Test func `The subscript returns the locators`() {
        let standard = Injectle[.default]
        let test: Injectle = Injectle[.test]
        #expect(standard === Injectle[.default])
        #expect(test === Injectle[Injectle.Locator.test])
        #expect(standard !== test)
        #expect(Injectle[.default] === Injectle[.default])
        let which: Injectle.Locator = .test
        #expect(Injectle[which] === test)
        #expect(name(.test) === test)
        #expect(name(Injectle.Locator.default) === stored)
        #expect(make() === standard)
        #expect(locators.map { Injectle[$0] }.last === test)
        let both = [Injectle[.default], Injectle[.test]]
        #expect(both[1] === test)
        let named: [String: Injectle] = ["test": Injectle[.test]]
        #expect(named["test"] === test)
        let isTest = which == .test
        #expect(Injectle[isTest ? .test : .default] === test)
        #expect((isTest ? Injectle[.test] : Injectle[.default]) === test)
        let reference: () -> Injectle? = { [weak injectle = Injectle[.test]] in injectle }
        #expect(reference() === test)
        let get: (Injectle.Locator) -> Injectle = { Injectle[$0] }
        #expect(get(.test) === test)
        let any: Any = Injectle[.test]
        #expect(any is Injectle)
        #expect((any as? Injectle) === test)
        #expect(ObjectIdentifier(Injectle[.test]) == ObjectIdentifier(test))
        let type: Injectle.Type = Injectle.self
        #expect(type == Injectle.self)
        #expect(which == .test)
        #expect(which != Injectle.Locator.default)
        let byLocator: [Injectle.Locator: Int] = [.default: 1, .test: 2]
        #expect(byLocator[which] == 2)
        #expect(Set(locators).count == 2)
        switch which {
        case .test: break
        default: Issue.record("The test locator is another one.")
        }
        if case .default = which { Issue.record("The test locator is another one.") }
        #expect(Set([ObjectIdentifier(standard), ObjectIdentifier(test)]).count == 2)
    }

    @Test func `An extension registers and reads`() {
        Injectle[.default].registerAll()
        registerAll(in: Injectle[.test], Injectle[.default])
        registerAll(for: "default")
        registerAll(in: Injectle[.test], for: "test")
        let holder = MotorHolder()
        #expect(holder.motor.name == "default")
        #expect(Injectle.current(isTest: true) === Injectle[.test])
        Injectle.launch()
        #expect(holder.deLorean != nil)
        Registry.shared.locator.unregisterService(DeLorean.self)
        #expect(holder.deLorean == nil)
        RegistrySubclass().registerAll()
        #expect(holder.deLorean != nil)
    }

    @Test func `testUp and testDown switch all properties`() {
        Injectle[.default].registerSingleton(Motor(name: "default"))
        Injectle[.test].registerSingleton(Motor(name: "test"))
        let holder = MotorHolder()
        #expect(holder.motor.name == "default")
        Injectle.testUp()
        #expect(holder.motor.name == "test")
        Injectle.testUp()
        #expect(holder.motor.name == "test")
        Injectle.testDown()
        #expect(holder.motor.name == "default")
        Injectle.testDown()
        #expect(holder.motor.name == "default")
        let (setUp, tearDown): (() -> Void, () -> Void) = (Injectle.testUp, Injectle.testDown)
        setUp()
        #expect(holder.motor.name == "test")
        tearDown()
        #expect(holder.motor.name == "default")
        do {
            Injectle.testUp()
            defer { Injectle.testDown() }
            #expect(holder.motor.name == "test")
        }
        #expect(holder.motor.name == "default")
    }

    @Test func `Each form of reset empties its locators`() {
        func fill() { for locator in [Injectle[.default], Injectle[.test]] { locator.registerSingleton(Motor()) } }
        func filled() -> [Bool] {
            [Injectle[.default], Injectle[.test]].map { $0.isRegistered(Motor.self) }
        }
        fill()
        Injectle.reset(.default)
        #expect(filled() == [false, true])
        fill()
        Injectle.reset(.test)
        #expect(filled() == [true, false])
        fill()
        Injectle.reset(.default, .test)
        #expect(filled() == [false, false])
        fill()
        Injectle.reset(Injectle.Locator.test, Injectle.Locator.default)
        #expect(filled() == [false, false])
        fill()
        Injectle.resetAll()
        #expect(filled() == [false, false])
        fill()
        Injectle.reset()
        #expect(filled() == [false, true])
        fill()
        let which: Injectle.Locator = .test
        Injectle.reset(which)
        #expect(filled() == [true, false])
        fill()
        locators.forEach { Injectle.reset($0) }
        #expect(filled() == [false, false])
        fill()
        let resetAll: () -> Void = Injectle.resetAll
        resetAll()
        #expect(filled() == [false, false])
        fill()
        let reset: (Injectle.Locator...) -> Void = Injectle.reset
        reset(.test)
        #expect(filled() == [true, false])
        fill()
        let tearDown = { Injectle.reset(.test) }
        tearDown()
        #expect(filled() == [true, false])
        fill()
        defer { Injectle.reset() }
        defer { Injectle.reset(.test, .default) }
        Injectle.resetTest()
        #expect(filled() == [true, false])
    }
}

extension Injectle {
    func registerAll() {
        registerSingleton(DeLorean())
        self.registerLazySingleton(RandomCar(), forKey: "unknown")
        registerFactory(Bmw(model: "M5"))
    }

    static func launch() { Injectle[.default].registerAll() }
    static func current(isTest: Bool) -> Injectle { isTest ? Injectle[.test] : Injectle[.default] }
    static func resetTest() { reset(.test) }
}

private protocol Registering { func registerAll() }
extension Injectle: Registering {}

@MainActor private class Registry {
    static let shared = Registry()
    let locator = Injectle[.default]
    var which = Injectle.Locator.default
    init() {}
}

private class RegistrySubclass: Registry {
    override init() { super.init() }
    func registerAll() { Injectle[which].registerAll() }
}

private class MotorHolder {
    @Inject var motor: Motor
    @Optject var deLorean: DeLorean?
}

/// `registerSingleton`, `registerLazySingleton` and `registerFactory`, without a key and with each kind of key.
@Suite(.processWide) @MainActor struct RegisteringUsageTests {
    private let locator = Injectle[.default]

    private func read<Service>(_ type: Service.Type = Service.self) -> Service? { Optject<Service>().wrappedValue }
    private func read<Service>(_ type: Service.Type = Service.self, _ key: AnyHashable) -> Service? {
        Optject<Service>(key).wrappedValue
    }

    @Test func `Singletons are registered without a key`() async throws {
        let deLorean = DeLorean()
        locator.registerSingleton(deLorean)
        #expect(read(DeLorean.self) === deLorean)
        locator.registerSingleton(DeLorean.init())
        #expect(read(DeLorean.self) !== deLorean)
        locator.registerSingleton(DeLoreanMock() as DeLorean)
        #expect(read(DeLorean.self) is DeLoreanMock)
        let mock: DeLorean = DeLoreanMock()
        locator.registerSingleton(mock)
        #expect(read(DeLorean.self) === mock)
        #expect(read(DeLoreanMock.self) == nil)
        locator.registerSingleton(Motor(name: "a struct"))
        #expect(read() == Motor(name: "a struct"))
        locator.registerSingleton(Fuel.electric(3))
        #expect(read() == Fuel.electric(3))
        locator.registerSingleton(["a", "b"])
        #expect(read([String].self) == ["a", "b"])
        locator.registerSingleton(["a": 1])
        #expect(read([String: Int].self) == ["a": 1])
        locator.registerSingleton("text")
        #expect(read(String.self) == "text")
        locator.registerSingleton(42)
        #expect(read(Int.self) == 42)
        locator.registerSingleton({ (number: Int) in number + 1 })
        #expect(read(((Int) -> Int).self)?(1) == 2)
        locator.registerSingleton(Box<Int>(name: "box"))
        #expect(read(Box<Int>.self)?.name == "box")
        locator.registerSingleton(Date.distantPast)
        #expect(read(Date.self) == .distantPast)
        locator.registerSingleton(UserDefaults.standard)
        #expect(read(UserDefaults.self) === UserDefaults.standard)
        try locator.registerSingleton(throwing(1))
        #expect(read(Int.self) == 1)
        await locator.registerSingleton(awaited(2))
        #expect(read(Int.self) == 2)
        try? locator.registerSingleton(throwing(3))
        #expect(read(Int.self) == 3)
        let result: Void = locator.registerSingleton(4)
        #expect(result == ())
        #expect(read(Int.self) == 4)
    }

    private func throwing(_ number: Int) throws -> Int { number }
    private func awaited(_ number: Int) async -> Int { number }

    @Test func `An existential is registered as its static type`() throws {
        let car: any Car = DeLorean()
        locator.registerSingleton(car)
        #expect(read((any Car).self) === car)
        #expect(read(DeLorean.self) == nil)
        let random: any Car = RandomCar()
        locator.registerSingleton(random as any Car)
        #expect(read((any Car).self) === random)
        locator.registerSingleton(DeLorean() as any Car)
        #expect(read((any Car).self) is DeLorean)
        locator.registerLazySingleton(random)
        #expect(read((any Car).self) === random)
        locator.registerLazySingleton(RandomCar() as any Car)
        #expect(read((any Car).self) is RandomCar)
        locator.registerSingleton(car, forKey: "car")
        #expect(read((any Car).self, "car") === car)
        locator.registerSingleton(random, and: allowReassignment)
        #expect(read((any Car).self) === random)
        try locator.registerSingleton(random, forKey: "new", and: forbidReassignment)
        #expect(read((any Car).self, "new") === random)
        for car in [car, random] { locator.registerSingleton(car) }
        #expect(read((any Car).self) === random)
        #expect(read(RandomCar.self) == nil)
        locator.registerSingleton(Motor() as Any)
        #expect(read(Motor.self) == nil)
    }

    @Test func `Lazy singletons are created on first use`() throws {
        var count = 0
        func make() -> DeLorean {
            count += 1
            return DeLorean()
        }
        locator.registerLazySingleton(make())
        #expect(count == 0)
        #expect(read(DeLorean.self) === read(DeLorean.self))
        #expect(count == 1)
        locator.registerLazySingleton(make(), forKey: "second")
        #expect(read(DeLorean.self, "second") !== read(DeLorean.self))
        #expect(count == 2)
        locator.registerLazySingleton(make(), and: allowReassignment)
        #expect(throws: InjectleError.self) { try locator.registerLazySingleton(make(), and: forbidReassignment) }
        #expect(count == 2)
        let made = DeLorean()
        locator.registerLazySingleton(made)
        #expect(read(DeLorean.self) === made)
        locator.registerLazySingleton(DeLoreanMock() as DeLorean)
        #expect(read(DeLorean.self) is DeLoreanMock)
        locator.registerLazySingleton(
            {
                count += 1; return Motor(name: "closure")
            }()
        )
        #expect(read() == Motor(name: "closure"))
        #expect(count == 3)
        locator.registerLazySingleton(Motor(name: count > 2 ? "some" : "none"), forKey: Fuel.diesel)
        #expect(read(Motor.self, Fuel.diesel)?.name == "some")
        locator.registerLazySingleton(Box<Motor>())
        #expect(read(Box<Motor>.self) != nil)
        locator.registerLazySingleton([1, 2], forKey: 3)
        #expect(read([Int].self, 3) == [1, 2])
    }

    @Test func `Factories make an object for each property`() throws {
        locator.registerFactory(Bmw(model: "M5"))
        let (first, second) = (Inject<Bmw>(), Inject<Bmw>())
        #expect(first.wrappedValue === first.wrappedValue)
        #expect(first.wrappedValue !== second.wrappedValue)
        let prototype = Bmw(model: "M2")
        locator.registerFactory(prototype, forKey: "bmw-m2")
        #expect(Inject<Bmw>("bmw-m2").wrappedValue.name == "M2")
        #expect(Inject<Bmw>("bmw-m2").wrappedValue !== prototype)
        locator.registerFactory(Bmw(model: "M3"), and: allowReassignment)
        #expect(Inject<Bmw>().wrappedValue.name == "M3")
        try locator.registerFactory(Bmw(model: "M4"), forKey: Fuel.diesel, and: forbidReassignment)
        #expect(Inject<Bmw>(Fuel.diesel).wrappedValue.name == "M4")
        locator.registerFactory(NSString("text"))
        #expect(Inject<NSString>().wrappedValue == NSString("text"))
        locator.registerFactory(NSMutableArray(array: [1]), forKey: 1)
        locator.registerFactory(prototype as Bmw)
        #expect(Inject<Bmw>().wrappedValue.name == "M2")
    }

    @Test func `Each hashable value is a key`() {
        let text = "variable"
        let hashable: AnyHashable = "hashable"
        let uuid = UUID()
        locator.registerSingleton(Motor(name: "literal"), forKey: "literal")
        locator.registerSingleton(Motor(name: "variable"), forKey: text)
        locator.registerSingleton(Motor(name: "hashable"), forKey: hashable)
        locator.registerSingleton(Motor(name: "wrapped"), forKey: AnyHashable(1.5))
        locator.registerSingleton(Motor(name: "case"), forKey: Fuel.diesel)
        locator.registerSingleton(Motor(name: "payload"), forKey: Fuel.electric(2))
        locator.registerSingleton(Motor(name: "number"), forKey: 7)
        locator.registerSingleton(Motor(name: "uuid"), forKey: uuid)
        locator.registerSingleton(Motor(name: "type"), forKey: ObjectIdentifier(DeLorean.self))
        locator.registerSingleton(Motor(name: "interpolated"), forKey: "number \(7)")
        locator.registerSingleton(Motor(name: "constant"), forKey: Keys.main)
        locator.registerSingleton(Motor(name: "raw"), forKey: RawKey.main.rawValue)
        locator.registerSingleton(Motor(name: "brackets"), forKey: "Box<Motor>")
        locator.registerSingleton(Motor(name: "array"), forKey: ["a", "b"])
        #expect(read(Motor.self, "literal")?.name == "literal")
        #expect(read(Motor.self, text)?.name == "variable")
        #expect(read(Motor.self, "hashable")?.name == "hashable")
        #expect(read(Motor.self, 1.5)?.name == "wrapped")
        #expect(read(Motor.self, Fuel.diesel)?.name == "case")
        #expect(read(Motor.self, Fuel.electric(2))?.name == "payload")
        #expect(read(Motor.self, 7)?.name == "number")
        #expect(read(Motor.self, uuid)?.name == "uuid")
        #expect(read(Motor.self, ObjectIdentifier(DeLorean.self))?.name == "type")
        #expect(read(Motor.self, "number 7")?.name == "interpolated")
        #expect(read(Motor.self, Keys.main)?.name == "constant")
        #expect(read(Motor.self, "raw main")?.name == "raw")
        #expect(read(Motor.self, "Box<Motor>")?.name == "brackets")
        #expect(read(Motor.self, ["a", "b"])?.name == "array")
        #expect(read(Motor.self) == nil)
    }

    private enum Keys { static let main = "main" }
    private enum RawKey: String { case main = "raw main" }

    @Test func `The key alone is the identity`() {
        locator.registerSingleton(DeLorean(), forKey: "car")
        locator.registerSingleton(DeLoreanMock(), forKey: "car")
        #expect(read(DeLorean.self, "car") is DeLoreanMock)
        locator.registerLazySingleton(DeLorean(), forKey: "car")
        #expect(!(read(DeLorean.self, "car") is DeLoreanMock))
        locator.registerFactory(Bmw(model: "M5"), forKey: "car")
        #expect(read(Bmw.self, "car")?.name == "M5")
        locator.registerSingleton(RandomCar(), forKey: "car")
        #expect(read((any Car).self, "car") is RandomCar)
        #expect(locator.registrations.count == 1)
        locator.registerSingleton(Motor(name: "one"), forKey: 1)
        locator.registerSingleton(Box<Int>(name: "box"), forKey: 1, and: allowReassignment)
        #expect(read(Box<Int>.self, 1)?.name == "box")
        #expect(locator.registrations.count == 2)
    }

    @Test func `Methods are values`() {
        let register: (DeLorean, AnyHashable) -> Void = Injectle[.default].registerSingleton(_:forKey:)
        let deLorean = DeLorean()
        register(deLorean, "value")
        #expect(read(DeLorean.self, "value") === deLorean)
        let unregister: (AnyHashable) -> Void = Injectle[.default].unregisterService(withKey:)
        unregister("value")
        #expect(read(DeLorean.self, "value") == nil)
        locator.registerSingleton(deLorean)
        let unregisterType: (DeLorean.Type) -> Void = Injectle[.default].unregisterService(_:)
        unregisterType(DeLorean.self)
        #expect(read(DeLorean.self) == nil)
        let keys: [AnyHashable] = ["a", 1]
        for key in keys { locator.registerSingleton(deLorean, forKey: key) }
        keys.forEach(Injectle[.default].unregisterService(withKey:))
        #expect(locator.registrations.isEmpty)
    }
}

/// `and:` with the two functions of the library, with own functions and with closures.
@Suite(.processWide) @MainActor struct ReassignmentUsageTests {
    private let locator = Injectle[.default]

    private func read<Service>(_ key: AnyHashable) -> Service? { Optject<Service>(key).wrappedValue }

    @Test func `allowReassignment needs no try`() {
        locator.registerSingleton(DeLorean(), and: allowReassignment)
        locator.registerSingleton(DeLorean(), forKey: "k", and: allowReassignment)
        locator.registerLazySingleton(DeLorean(), and: allowReassignment)
        locator.registerLazySingleton(DeLorean(), forKey: "k", and: allowReassignment)
        locator.registerFactory(Bmw(model: ""), and: allowReassignment)
        locator.registerFactory(Bmw(model: ""), forKey: "k", and: allowReassignment)
        locator.registerSingleton(DeLorean(), and: allowReassignment(in:forKey:))
        locator.registerSingleton(DeLorean()) { _, _ in }
        locator.registerSingleton(DeLorean(), and: { allowReassignment(in: $0, forKey: $1) })
        allowReassignment(in: Injectle[.default], forKey: "k")
        allowReassignment(in: .default, forKey: Fuel.diesel)
        #expect(locator.registrations.count == 3)
    }

    @Test func `forbidReassignment refuses a taken type or key`() throws {
        try locator.registerSingleton(Motor(), and: forbidReassignment)
        try locator.registerLazySingleton(DeLorean(), and: forbidReassignment)
        try locator.registerFactory(Bmw(model: ""), and: forbidReassignment)
        try locator.registerSingleton(Motor(), forKey: 1, and: forbidReassignment)
        try locator.registerLazySingleton(DeLorean(), forKey: 2, and: forbidReassignment(in:forKey:))
        try locator.registerFactory(Bmw(model: ""), forKey: 3) { try forbidReassignment(in: $0, forKey: $1) }
        #expect(locator.registrations.count == 6)
        let refused: [() throws -> Void] = [
            { try Injectle[.default].registerSingleton(Motor(), and: forbidReassignment) },
            { try Injectle[.default].registerLazySingleton(Motor(), and: forbidReassignment) },
            { try Injectle[.default].registerFactory(Bmw(model: ""), and: forbidReassignment) },
            { try Injectle[.default].registerSingleton(DeLorean(), forKey: 1, and: forbidReassignment) },
            { try Injectle[.default].registerLazySingleton(Motor(), forKey: 2, and: forbidReassignment) },
            { try Injectle[.default].registerFactory(Bmw(model: ""), forKey: 2, and: forbidReassignment(in:forKey:)) },
            { try forbidReassignment(in: Injectle[.default], forKey: 1) },
            { try forbidReassignment(in: Injectle[.default], forKey: "Motor") },
            { try forbidReassignment(in: .default, forKey: "\(DeLorean.self)") },
        ]
        for register in refused { #expect(throws: InjectleError.forbiddenReassignment) { try register() } }
        #expect(locator.registrations.count == 6)
        try forbidReassignment(in: Injectle[.default], forKey: 4)
        try forbidReassignment(in: Injectle[.test], forKey: "Motor")
        locator.unregisterService(withKey: 1)
        locator.unregisterService(Motor.self)
        try locator.registerSingleton(Motor(), and: forbidReassignment)
        try locator.registerSingleton(Box<Int>(), forKey: 1, and: forbidReassignment)
        #expect(locator.registrations.count == 6)
    }

    @Test func `An own function gets the key or the name of the type`() throws {
        var keys: [AnyHashable] = []
        func note(_ locator: Injectle, _ key: AnyHashable) { keys.append(key) }
        locator.registerSingleton(Motor(), and: note)
        locator.registerSingleton(Motor(), forKey: Fuel.diesel, and: note)
        locator.registerLazySingleton(DeLorean(), and: note)
        locator.registerFactory(Bmw(model: ""), and: note)
        locator.registerSingleton(Box<Int>(), and: note)
        locator.registerFactory(Bmw(model: ""), forKey: "bmw", and: note)
        #expect(keys == ["Motor", Fuel.diesel, "DeLorean", "Bmw", "Box<Int>", "bmw"])
        #expect(keys[0] as? String == "Motor")
        #expect(keys[0].base is String)
        locator.registerSingleton(Motor()) { locator, key in
            #expect(locator === Injectle[.default])
            #expect(key == AnyHashable("Motor"))
            #expect("\(key)" == "Motor")
        }
    }

    @Test func `Own functions and closures decide`() throws {
        let forbid: (Injectle, AnyHashable) throws -> Void = forbidReassignment
        let allow: (Injectle, AnyHashable) -> Void = allowReassignment
        let policy: (Injectle, AnyHashable) throws -> Void = locator === Injectle[.test] ? allow : forbid
        try locator.registerSingleton(Motor(name: "first"), forKey: "k", and: policy)
        #expect(throws: InjectleError.self) {
            try locator.registerSingleton(Motor(name: "second"), forKey: "k", and: policy)
        }
        locator.registerSingleton(Motor(name: "third"), forKey: "k", and: allow)
        #expect(throws: Refusal.self) { try locator.registerSingleton(Motor(), forKey: "k", and: refuse) }
        #expect(throws: Refusal.self) { try locator.registerSingleton(Motor(), forKey: "k", and: Policy.refuse) }
        #expect(throws: Refusal.self) { try locator.registerSingleton(Motor(), forKey: "k", and: Policy().refuse) }
        #expect(throws: Refusal.self) {
            try locator.registerLazySingleton(Motor(), forKey: "k") { _, _ in throw Refusal() }
        }
        #expect(throws: Refusal.self) {
            try locator.registerFactory(Bmw(model: "")) { _, key in if key == AnyHashable("Bmw") { throw Refusal() } }
        }
        #expect(throws: InjectleError.forbiddenReassignment) {
            try locator.registerSingleton(Motor(), and: { _, _ in throw InjectleError.forbiddenReassignment })
        }
        try locator.registerSingleton(Motor(name: "fourth"), forKey: "free") { locator, key in
            try forbidReassignment(in: locator, forKey: key)
        }
        try locator.registerChecked(Motor(), and: forbidReassignment)
        #expect(throws: InjectleError.self) { try locator.registerChecked(Motor(), and: forbidReassignment) }
        locator.registerChecked(Motor(), and: allowReassignment)
        #expect(read("k") == Motor(name: "third"))
        #expect(read("free") == Motor(name: "fourth"))
        let policies: [String: (Injectle, AnyHashable) throws -> Void] = [
            "f": forbidReassignment, "a": allowReassignment,
        ]
        #expect(throws: InjectleError.self) { try locator.registerSingleton(1, forKey: "k", and: policies["f"]!) }
        try locator.registerSingleton(1, forKey: "k", and: policies["a"]!)
        #expect(read("k") == 1)
    }
}

private func refuse(_ locator: Injectle, _ key: AnyHashable) throws { throw Refusal() }

private struct Policy {
    static func refuse(in locator: Injectle, forKey key: AnyHashable) throws { throw Refusal() }
    func refuse(in locator: Injectle, forKey key: AnyHashable) throws { throw Refusal() }
}

extension Injectle {
    fileprivate func registerChecked<T>(_ service: T, and check: (Injectle, AnyHashable) throws -> Void) rethrows {
        try registerSingleton(service, and: check)
    }
}

/// Each form in which a program looks at the error.
@Suite(.processWide) @MainActor struct ErrorUsageTests {
    private let error: InjectleError = .forbiddenReassignment

    private func fail() throws {
        Injectle[.default].registerSingleton(Motor(), forKey: "taken")
        try Injectle[.default].registerSingleton(Motor(), forKey: "taken", and: forbidReassignment)
    }

    private func failByHand() throws { throw InjectleError.forbiddenReassignment }

    @Test func `The error is caught in each form`() {
        var caught = 0
        for fail in [fail, failByHand] {
            do { try fail() } catch InjectleError.forbiddenReassignment { caught += 1 } catch {}
            do { try fail() } catch let error as InjectleError {
                caught += error == .forbiddenReassignment ? 1 : 0
            } catch {}
            do { try fail() } catch is InjectleError { caught += 1 } catch {}
            do { try fail() } catch let error as InjectleError where error == .forbiddenReassignment {
                caught += 1
            } catch {}
            do { try fail() } catch { caught += error as? InjectleError == .forbiddenReassignment ? 1 : 0 }
            do { try fail() } catch {
                caught += (error as? InjectleError) == InjectleError.forbiddenReassignment ? 1 : 0
            }
            do { try fail() } catch { caught += error is InjectleError ? 1 : 0 }
            do { try fail() } catch {
                switch error {
                case InjectleError.forbiddenReassignment: caught += 1
                default: break
                }
            }
            do { try fail() } catch let error as InjectleError {
                switch error {
                case .forbiddenReassignment: caught += 1
                default: break
                }
            } catch {}
            do { try fail() } catch {
                if let error = error as? InjectleError, error == .forbiddenReassignment { caught += 1 }
            }
            do { try fail() } catch {
                if case InjectleError.forbiddenReassignment = error { caught += 1 }
            }
            do { try fail() } catch {
                guard let error = error as? InjectleError, case .forbiddenReassignment = error else { continue }
                caught += 1
            }
            switch Result(catching: fail) {
            case .failure(InjectleError.forbiddenReassignment): caught += 1
            default: break
            }
            let result = Result { () throws -> Int in
                try fail()
                return 1
            }
            if result.mapError({ $0 as! InjectleError }) == .failure(.forbiddenReassignment) { caught += 1 }
            caught += (try? fail()) == nil ? 1 : 0
            #expect(throws: InjectleError.self) { try fail() }
            #expect(throws: InjectleError.forbiddenReassignment) { try fail() }
            #expect { try fail() } throws: { $0 as? InjectleError == .forbiddenReassignment }
        }
        #expect(caught == 30)
    }

    @Test func `The error is a value`() {
        let any: any Error = InjectleError.forbiddenReassignment
        #expect(any is InjectleError)
        #expect(error == .forbiddenReassignment)
        #expect(!(error != InjectleError.forbiddenReassignment))
        #expect([error].contains(.forbiddenReassignment))
        let stored: InjectleError? = .forbiddenReassignment
        #expect(stored == .forbiddenReassignment)
        let result: Result<Int, InjectleError> = .failure(.forbiddenReassignment)
        #expect(throws: InjectleError.forbiddenReassignment) { try result.get() }
        #expect(!any.localizedDescription.isEmpty)
        #expect(!"\(error)".isEmpty)
        #expect(throws: InjectleError.self) { throw error }
    }
}

/// `unregisterService`, and `@Inject` and `@Optject` in each place and as values.
@Suite(.processWide) @MainActor struct PropertyUsageTests {
    private let locator = Injectle[.default]

    init() {
        locator.registerSingleton(Motor(name: "motor"))
        locator.registerSingleton(Motor(name: "keyed"), forKey: "key")
        locator.registerSingleton(Motor(name: "diesel"), forKey: Fuel.diesel)
        locator.registerSingleton(DeLorean() as any Car, forKey: "car")
        locator.registerSingleton(DeLorean())
        locator.registerFactory(Bmw(model: "M5"))
    }

    private class Owner {
        @Inject var motor: Motor
        @Inject() var alsoMotor: Motor
        @Inject("key") var keyed: Motor
        @Inject(Fuel.diesel) var diesel: Motor
        @Inject(AnyHashable("key")) var hashable: Motor
        @Inject(Names.key) var named: Motor
        @Inject("car") var car: any Car
        @Inject("car") fileprivate var deLorean: DeLorean
        @Inject fileprivate var bmw: Bmw
        @Inject private var hidden: Bmw
        @Optject var optional: Motor?
        @Optject() var alsoOptional: Motor?
        @Optject("key") var optionalKeyed: Motor?
        @Optject(Fuel.diesel) var optionalDiesel: Motor?
        @Optject("car") var optionalCar: (any Car)?
        @Optject var optionalDeLorean: DeLorean?
        @Optject var optionalBmw: Bmw?
        @Optject("missing") var missing: Motor?
        @Optject var missingType: Box<Int>?
        @Optject var written: Optional<Motor>

        enum Names { static let key = "key" }

        func name() -> String { hidden.name + self.hidden.name }
        func clear() { optionalBmw = nil }
    }

    private struct StructOwner {
        @Inject var motor: Motor
        @Optject("key") var keyed: Motor?
        var name: String { motor.name }
        mutating func clear() { keyed = nil }
    }

    private class Chosen {
        @Inject var motor: Motor
        @Optject var optional: Motor?

        init(key: AnyHashable) {
            _motor = Inject(key)
            _optional = Optject(key)
        }
    }

    private class Base {
        @Inject var motor: Motor
        init() {}
    }

    private final class Derived: Base {
        @Inject("key") var keyed: Motor
        override init() { super.init() }
    }

    private class Generic<Service> {
        @Inject var service: Service
        @Optject("key") var optional: Service?
    }

    private class LazyOwner { lazy var owner = Owner() }

    @Test func `Properties read the registrations`() {
        let owner = Owner()
        #expect(owner.motor.name == "motor")
        #expect(owner.alsoMotor.name == "motor")
        #expect(owner.keyed.name == "keyed")
        #expect(owner.diesel.name == "diesel")
        #expect(owner.hashable.name == "keyed")
        #expect(owner.named.name == "keyed")
        #expect(owner.car is DeLorean)
        #expect(owner.deLorean === owner.car)
        #expect(owner.bmw === owner.bmw)
        #expect(owner.name() == "M5M5")
        #expect(owner.optional?.name == "motor")
        #expect(owner.alsoOptional?.name == "motor")
        #expect(owner.optionalKeyed?.name == "keyed")
        #expect(owner.optionalDiesel?.name == "diesel")
        #expect(owner.optionalCar === owner.car)
        #expect(owner.missing == nil)
        #expect(owner.missingType == nil)
        #expect(owner.written?.name == "motor")
        if let optional = owner.optional { #expect(optional.name == "motor") } else { Issue.record("nil") }
        #expect((owner.missing ?? Motor(name: "other")).name == "other")
        #expect(owner[keyPath: \.motor.name] == "motor")
        #expect([Owner(), Owner()].map(\.keyed.name) == ["keyed", "keyed"])
        #expect(StructOwner().name == "motor")
        #expect(Chosen(key: "key").motor.name == "keyed")
        #expect(Chosen(key: Fuel.diesel).optional?.name == "diesel")
        #expect(Derived().motor.name == "motor")
        #expect(Derived().keyed.name == "keyed")
        #expect(Generic<Motor>().service.name == "motor")
        #expect(Generic<Motor>().optional?.name == "keyed")
        #expect(LazyOwner().owner.motor.name == "motor")
    }

    @Test func `An Optject property is set to nil, and to nothing else`() {
        let owner = Owner()
        let (bmw, other) = (owner.optionalBmw, Owner().optionalBmw)
        #expect(bmw !== other)
        owner.optionalBmw = nil
        #expect(owner.optionalBmw == nil)
        owner.optionalBmw = other
        #expect(owner.optionalBmw == nil)
        owner.optional = Motor(name: "ignored")
        #expect(owner.optional?.name == "motor")
        owner.optionalDeLorean = nil
        owner.optionalDeLorean = .none
        #expect(owner.optionalDeLorean == nil)
        #expect(owner.deLorean === owner.car)
        owner.clear()
        var value = StructOwner()
        value.clear()
        #expect(value.keyed == nil)
        #expect(StructOwner().keyed != nil)
        let path: ReferenceWritableKeyPath<Owner, Motor?> = \.optionalKeyed
        owner[keyPath: path] = nil
        #expect(owner.optionalKeyed == nil)
    }

    @Test func `The wrappers are values and local properties`() {
        let inject = Inject<Motor>()
        #expect(inject.wrappedValue.name == "motor")
        #expect(Inject<Motor>("key").wrappedValue.name == "keyed")
        let typed: Inject<Motor> = Inject(Fuel.diesel)
        #expect(typed.wrappedValue.name == "diesel")
        let initialized: Inject<Motor> = .init("key")
        #expect(initialized.wrappedValue.name == "keyed")
        var optject = Optject<Motor>("key")
        #expect(optject.wrappedValue?.name == "keyed")
        optject.wrappedValue = nil
        #expect(optject.wrappedValue == nil)
        optject = Optject()
        #expect(optject.wrappedValue?.name == "motor")
        #expect(Optject<Motor>.init().wrappedValue != nil)
        let all = ["key", "missing"].map { Optject<Motor>($0) }
        #expect(all.map { $0.wrappedValue?.name } == ["keyed", nil])
        @Inject var local: Motor
        @Inject("key") var localKeyed: Motor
        @Optject("missing") var localMissing: Motor?
        #expect(local.name == "motor")
        #expect(localKeyed.name == "keyed")
        #expect(localMissing == nil)
        #expect(Wrapped().motor.name == "keyed")
        #expect(type(of: inject) == Inject<Motor>.self)
        let make = { (key: AnyHashable) in Inject<Motor>(key) }
        #expect(make("key").wrappedValue.name == "keyed")
    }

    @MainActor @propertyWrapper private struct Own<Service> {
        private let inject: Inject<Service>
        init(_ key: AnyHashable) { inject = Inject(key) }
        var wrappedValue: Service { inject.wrappedValue }
    }

    @MainActor private class Wrapped { @Own("key") var motor: Motor }

    @Test func `Properties follow the locator`() {
        let owner = Owner()
        #expect(owner.motor.name == "motor")
        locator.registerSingleton(Motor(name: "new"))
        #expect(owner.motor.name == "new")
        let bmw = owner.bmw
        locator.registerFactory(Bmw(model: "M8"))
        #expect(owner.bmw.name == "M8")
        #expect(owner.bmw !== bmw)
        locator.unregisterService(Motor.self)
        #expect(owner.optional == nil)
        #expect(owner.optionalKeyed != nil)
        locator.unregisterService(withKey: "key")
        #expect(owner.optionalKeyed == nil)
        let key: AnyHashable = Fuel.diesel
        locator.unregisterService(withKey: key)
        #expect(owner.optionalDiesel == nil)
        locator.unregisterService(withKey: "unknown")
        locator.unregisterService(Box<Int>.self)
        locator.unregisterService((any Car).self)
        #expect(owner.optionalCar != nil)
        Injectle[.default].unregisterService(withKey: "car")
        #expect(owner.optionalCar == nil)
        let unregistered: DeLorean.Type = DeLorean.self
        Injectle[.default].unregisterService(unregistered)
        #expect(owner.optionalDeLorean == nil)
        Injectle.reset(.default)
        #expect(owner.optionalBmw == nil)
        locator.registerSingleton(Motor(name: "again"))
        #expect(owner.motor.name == "again")
    }
}
