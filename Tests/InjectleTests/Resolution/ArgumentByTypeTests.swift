import Foundation
import Injectle
import InjectleTestSupport
import Testing

private protocol Motor: Sendable { var number: Int { get } }
private struct Engine: Motor { let number: Int }
private struct Turbine: Motor { let number: Int }

private final class Car: Sendable {
    let engine: Engine
    init(engine: Engine) { self.engine = engine }
}

private struct Garage: Sendable { let car: Car }

/// Has private wrapper properties.
private final class Truck {
    @Inject private var injected: Engine
    @Optject private var optional: Engine?
    @Injected(resolve: .lazy) private var kept: Engine
    @Injected(resolve: .eager) private var keptAtOnce: Engine
    @Inject private var wrapped: Engine?
    @Inject private var motor: any Motor
    @Inject("spare") var spare: Engine
    @Optject("spare") var optionalSpare: Engine?
    @Injected(resolve: .lazy, key: "spare") var keptSpare: Engine

    var numbers: [Int] {
        [injected.number, optional?.number, kept.number, keptAtOnce.number, wrapped?.number, motor.number]
            .map { $0 ?? 0 }
    }

    var spares: [Int] { [spare.number, optionalSpare?.number ?? 0, keptSpare.number] }
}

private final class Fleet: Sendable {
    let car = Inject<Car>()
    let engine = Inject<Engine>()
}

private final class Boat {
    var engine: Engine!
    var spare: Engine?
    init() {}
}

private final class Ship: NSCopying {
    var engine: Engine?
    /// The engine that the prototype's wrapper reads.
    private(set) var prototypesEngine: Int?
    private let wrapped = Optject<Engine>()

    func copy(with zone: NSZone? = nil) -> Any {
        let copy = Ship()
        copy.engine = engine
        copy.prototypesEngine = wrapped()?.number
        return copy
    }
}

/// Arguments that replace services of their type.
@Suite struct ArgumentByTypeTests {
    private let locator = Locator("arguments by type")

    init() {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.eager(Engine(number: 2)), key: "spare")
        locator.register(.eager(Turbine(number: 3)), for: (any Motor).self)
    }

    // MARK: Effects

    @Test func `Arguments reach the parameters of an initializer`() throws {
        locator.register(.initializer(Car.init).lifetime(.volatile))
        #expect(try locator.resolve(Car.self, arguments: Engine(number: 7)).engine.number == 7)
        #expect(try locator.resolve(Car.self).engine.number == 1)
    }

    @Test
    func `A parameter accepts wrapped and conforming arguments`() throws {
        locator.register(
            .initializer({ (engine: Engine?, motor: any Motor) in [engine?.number ?? 0, motor.number] }).lifetime(
                .volatile
            )
        )
        #expect(try locator.resolve([Int].self) == [1, 3])
        #expect(try locator.resolve([Int].self, arguments: Engine(number: 7)) == [7, 7])
        #expect(try locator.resolve([Int].self, arguments: Turbine(number: 8)) == [1, 8])
        #expect(try locator.resolve([Int].self, arguments: Turbine(number: 8), Engine(number: 7)) == [7, 8])
    }

    @Test
    func `An argument matches by its static type`() throws {
        func numbers(motor: any Motor, engine: Engine) -> [Int] { [motor.number, engine.number] }
        locator.register(.initializer(numbers).lifetime(.volatile))
        let engine = Engine(number: 7)
        #expect(try locator.resolve([Int].self, arguments: engine) == [7, 7])
        let said = Locator.Argument<any Motor>(Turbine(number: 8))
        #expect(try locator.resolve([Int].self, arguments: engine, said) == [8, 7])
    }

    @Test func `An empty list argument matches its element type only`() throws {
        locator.register(.lazy { "one" }.contributing(to: String.self))
        locator.register(
            .initializer({ (names: [String], numbers: [Int]) in "\(names) \(numbers)" }).lifetime(.volatile),
            key: "lists"
        )
        #expect(try locator.resolve(String.self, key: "lists", arguments: [Int]()) == "[\"one\"] []")
        #expect(try locator.resolve(String.self, key: "lists", arguments: [7]) == "[\"one\"] [7]")
    }

    @Test func `Arguments reach injected properties`() throws {
        locator.register(.volatile { Boat() }.injecting(\.engine).injectingIfPresent(\.spare))
        let boat = try locator.resolve(Boat.self, arguments: Engine(number: 7))
        #expect(boat.engine.number == 7)
        #expect(boat.spare?.number == 7)
    }

    @Test func `An injected property with a key ignores arguments`() throws {
        locator.register(
            .volatile { Boat() }.injecting(\.engine, key: "spare").injectingIfPresent(\.spare, key: "spare")
        )
        let boat = try locator.resolve(Boat.self, arguments: Engine(number: 7))
        #expect(boat.engine.number == 2)
        #expect(boat.spare?.number == 2)
    }

    @Test func `Arguments reach the wrappers of the created service`() throws {
        locator.register(.volatile { Truck() })
        #expect(try locator.resolve(Truck.self, arguments: Engine(number: 7)).numbers == Array(repeating: 7, count: 6))
        #expect(try locator.resolve(Truck.self).numbers == [1, 1, 1, 1, 1, 3])
    }

    @Test func `A wrapper with a key ignores arguments`() throws {
        locator.register(.volatile { Truck() })
        #expect(try locator.resolve(Truck.self, arguments: Engine(number: 7)).spares == [2, 2, 2])
    }

    @Test
    func `Arguments reach the resolver of a closure`() throws {
        locator.register(
            .volatile { locator in
                [
                    try locator.resolve(Engine.self).number,
                    try locator.resolve(Engine?.self)?.number,
                    try locator.resolveOptional(Engine.self)?.number,
                    try locator.resolve((any Motor).self).number,
                    try locator.resolve(Engine.self, key: nil).number,
                    try locator.resolve(Engine.self, key: "spare").number,
                ].map { $0 ?? 0 }
            }
        )
        #expect(try locator.resolve([Int].self, arguments: Engine(number: 7)) == [7, 7, 7, 7, 7, 2])
        #expect(try locator.resolve([Int].self) == [1, 1, 1, 3, 1, 2])
    }

    @Test func `Arguments reach hooks`() throws {
        locator.register(
            .volatile { [Int]() }
                .afterInit { locator, list in list.append(try locator.resolve(Engine.self).number) }
                .afterInit { locator, list in list.append(try locator.resolve(Engine.self, key: "spare").number) }
        )
        #expect(try locator.resolve([Int].self, arguments: Engine(number: 7)) == [7, 2])
    }

    // MARK: Limits

    @Test func `Arguments do not reach dependencies`() throws {
        locator.register(.initializer(Car.init).lifetime(.volatile))
        locator.register(.initializer(Garage.init).lifetime(.volatile))
        locator.register(.volatile { Fleet() })
        #expect(thrown { _ = try locator.resolve(Garage.self, arguments: Engine(number: 7)) } == .wrongArguments)
        let fleet = try locator.resolve(Fleet.self, arguments: Engine(number: 7))
        #expect(fleet.car().engine.number == 1)
        #expect(fleet.engine().number == 7)
    }

    @Test func `Arguments that a closure declares do not reach wrappers`() throws {
        locator.register(.volatile { (_, _: Engine) in Fleet() })
        #expect(try locator.resolve(Fleet.self, arguments: Engine(number: 7)).engine().number == 1)
    }

    @Test func `Arguments reach the copy and not the prototype`() throws {
        locator.register(.factory(Ship()).injecting(\.engine))
        #expect(try locator.resolve(Ship.self, arguments: Engine(number: 7)).engine?.number == 7)
        // Later copies use the registered service or their own arguments.
        #expect(try locator.resolve(Ship.self).engine?.number == 1)
        #expect(try locator.resolve(Ship.self, arguments: Engine(number: 8)).engine?.number == 8)
    }

    @Test func `Arguments do not reach the wrappers of a prototype`() throws {
        locator.register(.factory(Ship()))
        for number in 7...8 {
            #expect(try locator.resolve(Ship.self, arguments: Engine(number: number)).prototypesEngine == 1)
        }
        #expect(try locator.resolve(Ship.self).prototypesEngine == 1)
    }

    @Test func `Hooks do not see arguments that a closure declares`() throws {
        locator.register(
            .volatile { (_, engine: Engine) in [engine.number] }
                .afterInit { locator, list in list.append(try locator.resolve(Engine.self).number) }
        )
        #expect(try locator.resolve([Int].self, arguments: Engine(number: 7)) == [7, 1])
    }

    // MARK: Nil

    @Test func `nil replaces an optional parameter`() throws {
        locator.register(.initializer({ (engine: Engine?) in [engine?.number ?? -1] }).lifetime(.volatile))
        #expect(try locator.resolve([Int].self, arguments: Engine?.none) == [-1])
        #expect(try locator.resolve([Int].self) == [1])
    }

    // MARK: Memory

    @Test func `A property keeps its argument after every change`() throws {
        locator.register(.volatile { Truck() })
        let truck = try locator.resolve(Truck.self, arguments: Engine(number: 7))
        let sevens = Array(repeating: 7, count: 6)
        #expect(truck.numbers == sevens)
        locator.register(.eager(Engine(number: 9)))
        #expect(truck.numbers == sevens)
        locator.unregisterService(Engine.self)
        #expect(truck.numbers == sevens)
        locator.reset()
        #expect(truck.numbers == sevens)
    }

    @Test func `An argument is freed after creation`() throws {
        let log = Tracked.Log()
        locator.register(.lazy { (_, _: Tracked) in 5 })
        locator.register(.initializer({ (_: Tracked) in true }))
        #expect(try locator.resolve(Int.self, arguments: Tracked(log)) == 5)
        #expect(try locator.resolve(Bool.self, arguments: Tracked(log)))
        #expect(log.created == 2)
        #expect(log.alive == 0)
    }

    @Test func `An argument is freed with the created service`() throws {
        final class Holder: Sendable { let tracked = Inject<Tracked>() }
        let log = Tracked.Log()
        locator.register(.volatile { Holder() })
        do {
            let holder = try locator.resolve(Holder.self, arguments: Tracked(log))
            #expect(holder.tracked() === holder.tracked())
            #expect(log.alive == 1)
        }
        #expect(log.alive == 0)
    }

    // MARK: Lists

    @Test func `An argument replaces a list in every way to resolve it`() async throws {
        struct Fleet: Sendable { let numbers: [[Int]] }
        locator.register(.eager(Engine(number: 1)).contributing(to: Engine.self))
        locator.register(
            .volatile { locator in
                let lists: [[Engine]] = [
                    try locator.resolve(), try locator.resolve([Engine].self), try locator.resolveAll(Engine.self),
                    try locator.resolveAll(), try locator.resolveAll(Engine.self, key: "spare"),
                ]
                return Fleet(numbers: lists.map { $0.map(\.number) })
            }
        )
        locator.register(
            .volatile { locator in
                let lists: [[Engine]] = [
                    try await locator.resolveAsync(), try await locator.resolveAllAsync(Engine.self),
                    try await locator.resolveAllAsync(Engine.self, key: "spare"),
                ]
                return Fleet(numbers: lists.map { $0.map(\.number) })
            },
            key: "async"
        )
        let engines = [Engine(number: 7), Engine(number: 8)]
        let fleet = try locator.resolve(Fleet.self, arguments: engines)
        #expect(fleet.numbers == [[7, 8], [7, 8], [7, 8], [7, 8], []])
        let awaited = try await locator.resolveAsync(Fleet.self, key: "async", arguments: engines)
        #expect(awaited.numbers == [[7, 8], [7, 8], []])
        #expect(try locator.resolve(Fleet.self).numbers == [[1], [1], [1], [1], []])
    }

    @Test func `An argument replaces the list of an initializer and a list of a protocol`() throws {
        struct Depot: Sendable {
            let engines: [Engine]
            let motors: [any Motor]
        }
        locator.register(.initializer(Depot.init(engines:motors:)))
        locator.register(.initializer(Depot.init(engines:motors:)).lifetime(.volatile), key: "volatile")
        let motors: [any Motor] = [Turbine(number: 3)]
        let depot = try locator.resolve(Depot.self, key: "volatile", arguments: [Engine(number: 7)], motors)
        #expect(depot.engines.map(\.number) == [7])
        #expect(depot.motors.map(\.number) == [3])
    }

    @Test func `resolveAll passes its own arguments to the contributions`() throws {
        struct Depot: Sendable { let engines: [Engine] }
        locator.register(.initializer(Depot.init).lifetime(.volatile).contributing(to: Depot.self))
        locator.register(
            .volatile { locator in Depot(engines: try locator.resolveAll()) }.contributing(to: Depot.self)
        )
        let depots = try locator.resolveAll(Depot.self, arguments: [Engine(number: 7)])
        #expect(depots.map { $0.engines.map(\.number) } == [[7], [7]])
    }
}
