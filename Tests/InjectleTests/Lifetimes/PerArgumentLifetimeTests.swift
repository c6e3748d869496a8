import Injectle
import InjectleTestSupport
import Testing

private final class Forecast: Sendable {
    let city: String
    let tracked: Tracked

    init(_ city: String, _ log: Tracked.Log) {
        self.city = city
        tracked = Tracked(log)
    }
}

/// A key whose hashes collide.
private struct Colliding: Hashable, Sendable {
    let name: String
    func hash(into hasher: inout Hasher) { hasher.combine(1) }
}

/// Objects that are equal by name.
private final class City: Hashable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: City, right: City) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Calls the locator from its hash and equality.
private struct Nosy: Hashable, Sendable {
    let name: String
    let locator: Locator
    let isAsked: Counter

    static func == (left: Nosy, right: Nosy) -> Bool {
        left.ask()
        return left.name == right.name
    }

    func hash(into hasher: inout Hasher) {
        ask()
        hasher.combine(1)
    }

    private func ask() {
        isAsked.increment()
        _ = try? locator.resolve(Int.self, key: "other")
        locator.register(.eager(name), key: "note")
        _ = try? locator.resolve(Double.self, arguments: 1)
    }
}

/// Resolves with an argument that no one has passed before, whenever it is compared.
private struct Growing: Hashable, Sendable {
    static let last = Counter()
    let locator: Locator

    static func == (left: Growing, right: Growing) -> Bool {
        (try? left.locator.resolve(Int.self, arguments: last.increment())) != nil
    }

    func hash(into hasher: inout Hasher) {}
}

/// Objects of another class, with the same hashes.
private final class Suburb: Hashable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
    static func == (left: Suburb, right: Suburb) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

private struct Plain: Sendable {}

@Suite(.timeLimit(.minutes(10))) struct PerArgumentLifetimeTests {
    private let locator = Locator("per argument")
    private let log = Tracked.Log()

    private func register() {
        locator.register(.lazy { [log] (_, city: String) in Forecast(city, log) }.lifetime(.perArgument))
    }

    @Test func `Equal arguments share an instance`() throws {
        register()
        let first = try locator.resolve(Forecast.self, arguments: "Ulm")
        let second = try locator.resolve(Forecast.self, arguments: "Bonn")
        #expect([first.city, second.city] == ["Ulm", "Bonn"])
        for _ in 0..<2 {
            #expect(try locator.resolve(Forecast.self, arguments: "U" + "lm") === first)
            #expect(try locator.child().resolve(Forecast.self, arguments: "Bonn") === second)
        }
        #expect(log.created == 2)
    }

    @Test func `A registration with an instance per argument is created`() throws {
        let locator = Locator("per argument")
        locator.register(.lazy { (_, city: String) in Forecast(city, Tracked.Log()) }.lifetime(.perArgument))
        #expect(locator.registrations.map(\.isCreated) == [false])
        _ = try locator.resolve(Forecast.self, arguments: "Turin")
        #expect(locator.registrations.map(\.isCreated) == [true])
        try locator.resetInstance(of: Forecast.self)
        #expect(locator.registrations.map(\.isCreated) == [false])
    }

    @Test func `Arguments with colliding hashes have separate instances`() throws {
        locator.register(.lazy { [log] (_, key: Colliding) in Forecast(key.name, log) }.lifetime(.perArgument))
        let names = (0..<20).map(String.init)
        let created = try names.map { try locator.resolve(Forecast.self, arguments: Colliding(name: $0)) }
        #expect(created.map(\.city) == names)
        for (name, forecast) in zip(names, created).reversed() {
            #expect(try locator.resolve(Forecast.self, arguments: Colliding(name: name)) === forecast)
        }
        try locator.resetInstance(of: Forecast.self, arguments: Colliding(name: "7"))
        #expect(try locator.resolve(Forecast.self, arguments: Colliding(name: "7")) !== created[7])
        #expect(try locator.resolve(Forecast.self, arguments: Colliding(name: "8")) === created[8])
        #expect(log.created == 21)
    }

    @Test func `A non-Hashable argument throws wrongArguments`() {
        locator.register(.lazy { [log] (_, _: Int, _: Plain) in Forecast("", log) }.lifetime(.perArgument))
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Forecast.self, arguments: 1, Plain()) }
        #expect(error == .wrongArguments)
        let text = error?.description ?? ""
        #expect(text.contains("is cached per argument, and InjectleTests.Plain is not Hashable."))
        #expect(text.contains("InjectleTests/PerArgumentLifetimeTests.swift:"))
        #expect(text.contains("make it Hashable, or pass a Hashable part of it"))
        #expect(log.created == 0)
    }

    @Test func `Several arguments are compared individually`() throws {
        locator.register(
            .lazy { [log] (_, city: String, day: Int) in Forecast("\(city) \(day)", log) }.lifetime(.perArgument)
        )
        let first = try locator.resolve(Forecast.self, arguments: "Ulm", 1)
        #expect(try locator.resolve(Forecast.self, arguments: "Ulm", 1) === first)
        #expect(try locator.resolve(Forecast.self, arguments: "Ulm", 2).city == "Ulm 2")
        #expect(try locator.resolve(Forecast.self, arguments: "Bonn", 1).city == "Bonn 1")
        #expect(log.created == 3)
    }

    @Test func `Values of an existential type are compared by their own equality`() throws {
        typealias Place = any Hashable & Sendable
        locator.register(.lazy { [log] (_, place: Place) in Forecast("\(place)", log) }.lifetime(.perArgument))
        func forecast(_ place: Place) throws -> Forecast { try locator.resolve(Forecast.self, arguments: place) }
        #expect(try forecast("Oslo") === forecast("Oslo"))
        #expect(try forecast(City("Oslo")) === forecast(City("Oslo")))
        #expect(try forecast("Oslo") !== forecast(City("Oslo")))
        #expect(try forecast(City("Oslo")) !== forecast(Suburb("Oslo")))
        #expect(log.created == 3)
    }

    @Test func `Optional arguments are compared, also nil`() throws {
        locator.register(.lazy { [log] (_, city: String?) in Forecast(city ?? "", log) }.lifetime(.perArgument))
        func forecast(_ city: String?) throws -> Forecast { try locator.resolve(Forecast.self, arguments: city) }
        #expect(try forecast(nil) === forecast(nil))
        #expect(try forecast("Oslo") === forecast("Oslo"))
        #expect(try forecast(nil) !== forecast("Oslo"))
        #expect(log.created == 2)
    }

    @Test func `A comparison may create instances of other arguments`() throws {
        locator.register(.lazy { (_, number: Int) in number }.lifetime(.perArgument))
        locator.register(.lazy { [log] (_, _: Growing) in Forecast("", log) }.lifetime(.perArgument))
        let argument = Growing(locator: locator)
        for _ in 0..<3 { _ = try locator.resolve(Forecast.self, arguments: argument) }
        #expect(log.created == 1)
    }

    @Test func `Arguments that the closure does not declare count as well`() throws {
        locator.register(.lazy { [log] locator in Forecast(try locator.resolve(), log) }.lifetime(.perArgument))
        let first = try locator.resolve(Forecast.self, arguments: "Ulm")
        #expect(try locator.resolve(Forecast.self, arguments: "Ulm") === first)
        #expect(try locator.resolve(Forecast.self, arguments: "Bonn").city == "Bonn")
        locator.register(.eager("nowhere"))
        let none = try locator.resolve(Forecast.self)
        #expect(none.city == "nowhere")
        #expect(try locator.resolve(Forecast.self) === none)
        #expect(log.created == 3)
    }

    // MARK: Release

    @Test func `resetInstance releases the instance of an argument`() throws {
        register()
        let kept = try locator.resolve(Forecast.self, arguments: "Bonn")
        _ = try locator.resolve(Forecast.self, arguments: "Ulm")
        #expect(log.alive == 2)
        try locator.resetInstance(of: Forecast.self, arguments: "Ulm")
        #expect(log.alive == 1)
        #expect(try locator.resolve(Forecast.self, arguments: "Bonn") === kept)
        try locator.resetInstance(of: Forecast.self, arguments: "Cologne")
        #expect(log.alive == 1)
        _ = try locator.resolve(Forecast.self, arguments: "Ulm")
        #expect(log.created == 3)
    }

    @Test func `resetInstance without arguments releases all instances`() throws {
        locator.register(.lazy { [log] (_, city: String) in Forecast(city, log) }.lifetime(.perArgument), key: "key")
        for city in ["Ulm", "Bonn"] { _ = try locator.resolve(Forecast.self, key: "key", arguments: city) }
        #expect(log.alive == 2)
        try locator.resetInstance(of: Forecast.self, key: "key")
        #expect(log.alive == 0)
        #expect(try locator.resolve(Forecast.self, key: "key", arguments: "Ulm").city == "Ulm")
        #expect(log.created == 3)
    }

    @Test func `The arguments are released with the instance`() throws {
        let arguments = Tracked.Log()
        final class Key: Hashable, Sendable {
            let tracked: Tracked
            init(_ log: Tracked.Log) { tracked = Tracked(log) }
            static func == (_: Key, _: Key) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
        }
        locator.register(.lazy { [log] (_, _: Key) in Forecast("", log) }.lifetime(.perArgument))
        for _ in 0..<3 { _ = try locator.resolve(Forecast.self, arguments: Key(arguments)) }
        #expect(log.created == 1)
        #expect(arguments.alive == 1)
        try locator.resetInstance(of: Forecast.self)
        #expect(arguments.alive == 0)
    }

    // MARK: User code

    /// Runs `body` on a new thread, so that a deadlock blocks no other test.
    private func withNosyArguments(
        _ body: @escaping @Sendable (Locator, (String) -> Nosy) throws -> [String]
    ) async -> [String]? {
        let (locator, log) = (locator, log)
        let asked = Counter()
        locator.register(.eager(1), key: "other")
        locator.register(.lazy(.anywhere) { (_, number: Int) in Double(number) }.lifetime(.perArgument))
        locator.register(.lazy(.anywhere) { (_, nosy: Nosy) in Forecast(nosy.name, log) }.lifetime(.perArgument))
        let cities = await onAnotherThread {
            try? body(locator) { Nosy(name: $0, locator: locator, isAsked: asked) }
        }
        #expect(asked.value > 0)
        return cities
    }

    @Test func `Comparing arguments may call the locator`() async {
        let cities = await withNosyArguments { locator, nosy in
            try ["a", "b", "a", "b"].map { try locator.resolve(Forecast.self, arguments: nosy($0)).city }
        }
        #expect(cities == ["a", "b", "a", "b"])
        #expect(log.created == 2)
    }

    @Test
    func `Comparing arguments may call the locator in resetInstance`() async {
        let cities = await withNosyArguments { locator, nosy in
            for name in ["a", "b"] { _ = try locator.resolve(Forecast.self, arguments: nosy(name)) }
            try locator.resetInstance(of: Forecast.self, arguments: nosy("a"))
            return [try locator.resolve(Forecast.self, arguments: nosy("b")).city]
        }
        #expect(cities == ["b"])
        #expect(log.alive == 1)
    }

    // MARK: Cycles
}
