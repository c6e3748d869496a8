import Injectle
import InjectleTestSupport
import Testing

private protocol Car: AnyObject, Sendable {}
private final class Beetle: Car {}
private final class Taxi: Car, Wheeled {}
/// Not private, since the runtime finds no private protocol by its name.
protocol Wheeled: Sendable {}
private struct Garage: Sendable {}

private enum Colour: Hashable { case red, blue }

/// A key whose hashes collide.
private struct Colliding: Hashable {
    let name: String
    func hash(into hasher: inout Hasher) {}
}

/// A key whose hashes collide, and whose comparison runs an action.
private struct ActingKey: Hashable, Sendable {
    let name: String
    var action: (@Sendable () -> Void)?

    static func == (left: ActingKey, right: ActingKey) -> Bool {
        (left.action ?? right.action)?()
        return left.name == right.name
    }

    func hash(into hasher: inout Hasher) {}
}

/// A key that counts its hashes.
private struct CountedKey: Hashable, Sendable {
    let hashes: Counter

    static func == (left: CountedKey, right: CountedKey) -> Bool { left.hashes === right.hashes }

    func hash(into hasher: inout Hasher) { hashes.increment() }
}

/// A key whose equality ignores `remark`, so that equal keys differ in their bits.
private struct Remarked: Hashable, Sendable {
    let name: UInt32
    let remark: UInt32
    static func == (left: Remarked, right: Remarked) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// An object key that is equal by its text.
private final class Plate: Hashable, Sendable {
    let text: String
    init(_ text: String) { self.text = text }
    static func == (left: Plate, right: Plate) -> Bool { left.text == right.text }
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Resolving by type and key, and by key alone.
@Suite struct KeyTests {
    private let locator = Locator("keys")

    @Test func `A key alone registers a service under its own type`() throws {
        let text = "variable"
        locator.register(.eager(Beetle()), for: "literal")
        locator.register(.eager(Taxi()), for: text)
        locator.register(.lazy { Garage() }, for: Colour.red)
        #expect(try locator.resolve(key: "literal") as Beetle === locator.resolve(Beetle.self, key: "literal"))
        #expect(locator.isRegistered(Taxi.self, key: text))
        #expect(locator.isRegistered(Garage.self, key: Colour.red))
    }

    @Test func `Each call hashes its key once`() async throws {
        let hashes = Counter()
        let key = CountedKey(hashes: hashes)
        func expectOne(_ body: () async throws -> Void) async rethrows {
            let before = hashes.value
            try await body()
            #expect(hashes.value == before + 1)
        }
        await expectOne { locator.register(.volatile { (_, text: String) in text }, key: key) }
        await expectOne { locator.registerIfAbsent(.lazy { 1 }, key: key) }
        await expectOne { locator.register(.lazy { 2 }, key: key) { _, _ in } }
        try await expectOne { _ = try locator.resolve(String.self, key: key, arguments: "a") }
        try await expectOne { _ = try locator.resolveOptional(String.self, key: key, arguments: "a") }
        try await expectOne { _ = try locator.resolveAll(Int.self, key: key) }
        try await expectOne { _ = try await locator.resolveAsync(Int.self, key: key) }
        try await expectOne { _ = try await locator.resolveOptionalAsync(Int.self, key: key) }
        try await expectOne { _ = try await locator.resolveAllAsync(Int.self, key: key) }
        await expectOne { _ = Inject<Int>(key) }
        await expectOne { _ = Optject<Int>(key) }
        await expectOne { _ = Injected<Int>(resolve: .lazy, key: key) }
        await expectOne { locator.unregister(Int.self, key: key) }
    }

    @Test func `An optional string is its value or no key`() throws {
        let none: String? = nil
        let some: String? = "key"
        locator.register(.eager(3), key: some)
        #expect(try locator.resolve(Int.self, key: "key") == 3)
        #expect(Locator.$shared.withValue(locator) { Inject<Int>(some)() } == 3)
        locator.register(.eager(4), key: none)
        #expect(try locator.resolve(Int.self) == 4)
        #expect(Locator.$shared.withValue(locator) { Optject<Int>(none)() } == 4)
        locator.register(.eager(1), for: Int.self, key: none)
        locator.register(.eager(2), for: Int.self, key: some)
        #expect(try locator.resolve(Int.self) == 1)
        #expect(try locator.resolve(Int.self, key: none) == 1)
        #expect(try locator.resolve(Int.self, key: "key") == 2)
        #expect(try locator.resolve(Int.self, key: some) == 2)
        locator.unregisterService(withKey: none)
        #expect(locator.registrations.count == 2)
        locator.unregisterService(withKey: some)
        #expect(!locator.isRegistered(Int.self, key: "key"))
        #expect(locator.isRegistered(Int.self))
    }

    @Test func `Keys with colliding hashes are distinct`() throws {
        for index in 0..<50 { locator.register(.eager(index), key: Colliding(name: "\(index)")) }
        for index in 0..<50 { #expect(try locator.resolve(Int.self, key: Colliding(name: "\(index)")) == index) }
        locator.unregisterService(withKey: Colliding(name: "7"))
        #expect(try locator.resolveOptional(Int.self, key: Colliding(name: "7")) == nil)
        #expect(try locator.resolve(Int.self, key: Colliding(name: "8")) == 8)
    }

    @Test func `Type and key precede the key alone`() throws {
        locator.register(.lazy { Taxi() }, for: (any Car).self, key: "unknown")
        locator.register(.lazy { Beetle() }, key: "unknown")
        #expect(try locator.resolve((any Car).self, key: "unknown") is Taxi)
    }

    @Test func `Type and key with other arguments precede the key alone`() {
        locator.register(.lazy { Beetle() }, key: "car")
        locator.register(.lazy { (_, _: Int) in Taxi() }, key: "car")
        let error = thrown { try locator.resolve(Taxi.self, key: "car") }
        #expect(error == .wrongArguments)
        #expect(thrown { try locator.child().resolve(Taxi.self, key: "car") } == .wrongArguments)
    }

    @Test func `A key alone finds the latest registration`() throws {
        locator.register(.lazy { Beetle() }, key: "unknown")
        #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle)
        locator.register(.lazy { Taxi() }, key: "unknown")
        #expect(try locator.resolve((any Car).self, key: "unknown") is Taxi)
        locator.unregister(Taxi.self, key: "unknown")
        #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle)
        locator.unregister(Beetle.self, key: "unknown")
        #expect(try locator.resolveOptional((any Car).self, key: "unknown") == nil)
        locator.register(.lazy { Beetle() }, key: "unknown")
        #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle)
    }

    @Test func `A key alone finds the latest registration of the requested type`() throws {
        locator.register(.lazy { Taxi() }, key: "unknown")
        locator.register(.lazy { "text" }, key: "unknown")
        #expect(try locator.resolve((any Wheeled).self, key: "unknown") is Taxi)
        #expect(!locator.registrations.contains { $0.isCreated && $0.identity.type == String.self })
        locator.register(.volatile { (_, _: Int) in Taxi() }, key: "unknown")
        locator.register(.volatile { (_, number: Int) in "\(number)" }, key: "unknown")
        #expect(try locator.resolve((any Wheeled).self, key: "unknown", arguments: 7) is Taxi)
    }

    @Test func `A property that resolves by key alone follows registrations`() {
        locator.register(.lazy { Beetle() }, key: "unknown")
        let car = Locator.$shared.withValue(locator) { Inject<any Car>("unknown") }
        #expect(car() is Beetle)
        #expect(car() is Beetle)
        locator.register(.lazy { Taxi() }, key: "unknown")
        #expect(car() is Taxi)
        locator.register(.volatile { Beetle() }, for: (any Car).self, key: "unknown")
        #expect(car() is Beetle)
        locator.unregister((any Car).self, key: "unknown")
        locator.register(.volatile { Beetle() }, key: "unknown")
        #expect(car() === car())
    }

    @Test func `unregisterService with a key removes every type`() {
        locator.register(.eager(1), key: "key")
        locator.register(.eager("text"), key: "key")
        locator.register(.eager(2), key: "other")
        locator.unregisterService(withKey: "key")
        #expect(!locator.isRegistered(Int.self, key: "key"))
        #expect(!locator.isRegistered(String.self, key: "key"))
        #expect(locator.isRegistered(Int.self, key: "other"))
    }

    @Test func `An exact match in the parent precedes a key alone`() throws {
        locator.register(.lazy { Taxi() }, for: (any Car).self, key: "unknown")
        let child = locator.child()
        child.register(.lazy { Beetle() }, key: "unknown")
        #expect(try child.resolve((any Car).self, key: "unknown") is Taxi)
        child.register(.lazy { Beetle() }, for: (any Car).self, key: "unknown")
        #expect(try child.resolve((any Car).self, key: "unknown") is Beetle)
        #expect(try locator.resolve((any Car).self, key: "unknown") is Taxi)
    }

    // MARK: Equal keys

    private func expect<Key: Hashable>(_ key: Key, finds number: Int?) throws {
        #expect(try locator.resolveOptional(Int.self, key: key) == number)
    }

    @Test func `Keys of every kind are found`() throws {
        let keys: [any Hashable & Sendable] = [
            "short", "a string that does not fit into two words", Colour.red, Colour.blue, 5, 5.5, true,
            Character("k"), Plate("B-1"), Remarked(name: 1, remark: 1), [1, 2, 3],
        ]
        func open<Key: Hashable>(_ key: Key, _ body: (Key) throws -> Void) rethrows { try body(key) }
        for (number, key) in keys.enumerated() { locator.register(.eager(number), key: AnyHashable(key)) }
        for (number, key) in keys.enumerated() { try open(key) { try expect($0, finds: number) } }
        try expect(6, finds: nil)
        try expect("shorter", finds: nil)
    }

    @Test func `Canonically equivalent strings are one key`() throws {
        locator.register(.eager(1), key: "caf\u{E9}")
        try expect("caf\u{E9}", finds: 1)
        try expect("cafe\u{301}", finds: 1)
        let (composed, decomposed) = ("a table in the caf\u{E9}", "a table in the cafe\u{301}")
        locator.register(.eager(2), key: composed)
        try expect(decomposed, finds: 2)
        try expect(composed, finds: 2)
    }

    @Test func `Equal keys with different bits are one key`() throws {
        locator.register(.eager(1), key: Remarked(name: 7, remark: 1))
        try expect(Remarked(name: 7, remark: 1), finds: 1)
        try expect(Remarked(name: 7, remark: 2), finds: 1)
        try expect(Remarked(name: 8, remark: 1), finds: nil)
        locator.register(.eager(2), key: Plate("B-7"))
        try expect(Plate("B-7"), finds: 2)
        try expect(Plate("B-8"), finds: nil)
        locator.register(.eager(3), key: 0.0)
        try expect(0.0, finds: 3)
        try expect(-0.0, finds: 3)
    }

    @Test func `Equal numbers of different types are one key`() throws {
        locator.register(.eager(1), key: 5)
        try expect(5, finds: 1)
        try expect(5 as Int8, finds: 1)
        try expect(5 as UInt64, finds: 1)
        try expect(6 as Int8, finds: nil)
    }

    @Test func `A removed key is freed`() throws {
        let log = Tracked.Log()
        do {
            let key = TrackedKey(log)
            locator.register(.eager(1), key: key)
            try expect(key, finds: 1)
            try expect(TrackedKey(log), finds: 1)
        }
        #expect(log.alive > 0)
        locator.reset()
        #expect(log.alive == 0)
    }

    private final class TrackedKey: Hashable {
        private let tracked: Tracked
        init(_ log: Tracked.Log) { tracked = Tracked(log) }
        static func == (left: TrackedKey, right: TrackedKey) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    // MARK: Comparisons

    @Test func `A comparison that registers is not repeated`() throws {
        let comparisons = Counter()
        let locator = locator
        func key(_ name: String) -> ActingKey {
            ActingKey(name: name) { [weak locator] in
                // A limit, so that the test ends if the comparisons do not.
                if comparisons.increment() < 100 { locator?.register(.eager("elsewhere")) }
            }
        }
        locator.register(.eager(1), key: key("a"))
        locator.register(.eager(2), key: key("b"))
        #expect(comparisons.value == 1)
        locator.register(.eager(3), key: key("a"))
        #expect(comparisons.value == 2)
        #expect(try locator.resolve(String.self) == "elsewhere")
        #expect(locator.registrations.count == 3)
    }

    @Test func `A comparison may register a colliding key`() throws {
        let comparisons = Counter()
        let locator = locator
        let other = ActingKey(name: "other")
        locator.register(.eager(1), key: other)
        let key = ActingKey(name: "new") { [weak locator] in
            if comparisons.increment() == 1 { locator?.register(.eager(2), key: ActingKey(name: "meanwhile")) }
        }
        locator.register(.eager(3), key: key)
        // With the first key, and again with both after the registration of the other one.
        #expect(comparisons.value == 3)
        #expect(locator.registrations.count == 3)
        #expect(try locator.resolve(Int.self, key: ActingKey(name: "new")) == 3)
        #expect(try locator.resolve(Int.self, key: other) == 1)
    }

    @Test func `A registration that a comparison inserts is replaced`() throws {
        let comparisons = Counter()
        let locator = locator
        locator.register(.eager(1), key: ActingKey(name: "other"))
        let key = ActingKey(name: "new") { [weak locator] in
            if comparisons.increment() == 1 { locator?.register(.eager(2), key: ActingKey(name: "new")) }
        }
        locator.register(.eager(3), key: key)
        #expect(try locator.resolve(Int.self, key: ActingKey(name: "new")) == 3)
        #expect(locator.registrations.count == 2)
    }

    @Test func `A registration under two keys with one hash is listed and copied under both`() throws {
        let locator = Locator("garage")
        let (first, second) = (Colliding(name: "first"), Colliding(name: "second"))
        locator.register(.lazy { Taxi() }.as((any Car).self, key: first).as((any Car).self, key: second))
        #expect(locator.registrations.map(\.identity.key) == [AnyHashable(first), AnyHashable(second)])
        let copy = Locator(copying: locator)
        #expect(try copy.resolve((any Car).self, key: first) === copy.resolve((any Car).self, key: second))
    }
}
