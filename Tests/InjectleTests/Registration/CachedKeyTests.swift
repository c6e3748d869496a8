import Injectle
import InjectleTestSupport
import Testing

private protocol Car: AnyObject, Sendable {}
private final class Beetle: Car {}
private final class Taxi: Car {}

private enum Place: Hashable { case town, country }

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

/// A key with padding.
private struct Padded: Hashable, Sendable {
    let small: UInt8
    let large: UInt64
}

/// A key that is too large for the comparison by bits.
private struct Address: Hashable, Sendable {
    let street, town, country: String
}

/// The read path compares cached keys by their bits. Each test resolves repeatedly to reach it.
@Suite struct CachedKeyTests {
    private let locator = Locator("typed keys")

    private func expect<Key: Hashable>(_ key: Key, finds number: Int?, in locator: Locator? = nil) {
        for _ in 0..<3 {
            #expect(throws: Never.self) {
                try (locator ?? self.locator).resolveOptional(Int.self, key: key) == number
                    ? () : { throw Unexpected(key: "\(key)") }()
            }
        }
    }

    private struct Unexpected: Error { let key: String }

    @Test func `Keys of every kind are found repeatedly`() {
        let keys: [any Hashable & Sendable] = [
            "short", "a string that does not fit into two words", Place.town, Place.country, 5, 5.5, true,
            Character("k"), Padded(small: 1, large: 2), Plate("B-1"), Remarked(name: 1, remark: 1),
            Address(street: "Hill", town: "Valley", country: "US"), [1, 2, 3],
        ]
        func open<Key: Hashable>(_ key: Key, _ body: (Key) -> Void) { body(key) }
        for (number, key) in keys.enumerated() { locator.register(.eager(number), key: AnyHashable(key)) }
        for (number, key) in keys.enumerated() { open(key) { expect($0, finds: number) } }
        expect(6, finds: nil)
        expect("shorter", finds: nil)
    }

    @Test func `Equal strings in different storage are one key`() {
        let parts = ["the", "garage", "number"]
        locator.register(.eager(1), key: parts.joined(separator: " ") + " 1")
        locator.register(.eager(2), key: parts.joined(separator: " ") + " 2")
        expect(parts.joined(separator: " ") + " 1", finds: 1)
        expect("the garage number 2", finds: 2)
        expect("the garage" + " number \(parts.count - 1)", finds: 2)
        expect(parts.joined(separator: " ") + " 3", finds: nil)
    }

    @Test(arguments: [14, 15, 16, 17, 31, 32, 33, 47, 64, 200])
    func `Strings that differ in one byte are different keys`(length: Int) {
        func key(_ changed: Int?) -> String {
            String((0..<length).map { $0 == changed ? "#" : Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        }
        locator.register(.eager(-1), key: key(nil))
        for changed in 0..<length { locator.register(.eager(changed), key: key(changed)) }
        for _ in 0..<2 {
            expect(key(nil), finds: -1)
            for changed in 0..<length { expect(key(changed), finds: changed) }
        }
        locator.unregister(Int.self, key: key(length / 3))
        expect(key(length / 3), finds: nil)
        expect(key(length / 3 + 1), finds: length / 3 + 1)
    }

    @Test func `Strings of the same start and length are different keys`() {
        let keys = (0..<200).map { "a key that is longer than it has to be, with the number \($0 + 100)" }
        for (number, key) in keys.enumerated() { locator.register(.eager(number), key: key) }
        for (number, key) in keys.enumerated() { expect(key, finds: number) }
        for number in keys.indices {
            expect("a key that is longer than it has to be, with the number \(number + 100)", finds: number)
        }
    }

    @Test func `A substring of a long string is no key of the string's type`() {
        let key = "a key that is longer than it has to be"
        locator.register(.eager(1), key: key)
        expect(key, finds: 1)
        expect(key.dropFirst(0), finds: nil)
        expect(String(key.dropFirst(0)), finds: 1)
        expect(AnyHashable(key), finds: 1)
    }

    @Test func `Canonically equivalent strings are one key`() {
        locator.register(.eager(1), key: "caf\u{E9}")
        expect("caf\u{E9}", finds: 1)
        expect("cafe\u{301}", finds: 1)
        let (composed, decomposed) = ("a table in the caf\u{E9}", "a table in the cafe\u{301}")
        locator.register(.eager(2), key: composed)
        expect(decomposed, finds: 2)
        expect(composed, finds: 2)
        expect(decomposed, finds: 2)
    }

    @Test func `Equal keys with different bits are one key`() {
        locator.register(.eager(1), key: Remarked(name: 7, remark: 1))
        expect(Remarked(name: 7, remark: 1), finds: 1)
        expect(Remarked(name: 7, remark: 2), finds: 1)
        expect(Remarked(name: 8, remark: 1), finds: nil)
        locator.register(.eager(2), key: Plate("B-7"))
        expect(Plate("B-7"), finds: 2)
        expect(Plate("B-7"), finds: 2)
        expect(Plate("B-8"), finds: nil)
        locator.register(.eager(3), key: 0.0)
        expect(0.0, finds: 3)
        expect(-0.0, finds: 3)
    }

    @Test func `Equal numbers of different types are one key`() {
        locator.register(.eager(1), key: 5)
        expect(5, finds: 1)
        expect(5 as Int8, finds: 1)
        expect(5 as UInt64, finds: 1)
        expect(6 as Int8, finds: nil)
    }

    @Test func `A replaced or removed service is not found by its key`() {
        locator.register(.eager(1), key: "key")
        expect("key", finds: 1)
        locator.register(.eager(2), key: "key")
        expect("key", finds: 2)
        locator.unregister(Int.self, key: "key")
        expect("key", finds: nil)
        locator.register(.eager(3), key: "key")
        expect("key", finds: 3)
        locator.reset()
        expect("key", finds: nil)
    }

    @Test func `A child overrides a cached key of its parent`() {
        locator.register(.eager(1), key: Place.town)
        let child = locator.child()
        expect(Place.town, finds: 1, in: child)
        child.register(.eager(2), key: Place.town)
        expect(Place.town, finds: 2, in: child)
        expect(Place.town, finds: 1)
        child.unregisterService(withKey: Place.town)
        expect(Place.town, finds: 1, in: child)
    }

    @Test func `A child with other keys finds a cached key of its parent`() {
        locator.register(.eager(1), key: Place.town)
        let child = locator.child()
        expect(Place.town, finds: 1, in: child)
        child.register(.eager(2), key: Place.country)
        expect(Place.town, finds: 1, in: child)
        expect(Place.country, finds: 2, in: child)
        expect(Place.country, finds: nil)
        child.register(.eager(3), key: Place.town)
        expect(Place.town, finds: 3, in: child)
        child.reset()
        expect(Place.town, finds: 1, in: child)
    }

    @Test func `A cached key stays one when behaviors and policies change`() {
        locator.register(.eager(1), key: Place.town)
        locator.register(.eager(2), key: "a string that does not fit into two words")
        func expectBoth() {
            expect(Place.town, finds: 1)
            expect("a string that does not fit into two words", finds: 2)
        }
        expectBoth()
        locator.mainActorTimeout = .seconds(1)
        let handle = locator.add(EventCollector())
        expectBoth()
        handle.remove()
        expectBoth()
    }

    @Test func `A cached key of a closed locator is not found`() async {
        let child = locator.child()
        child.register(.eager(1), key: Place.town)
        expect(Place.town, finds: 1, in: child)
        _ = await child.close()
        #expect(throws: InjectleError.self) { try child.resolve(Int.self, key: Place.town) }
    }

    @Test func `The same key is another one for each type`() throws {
        locator.register(.eager(1), key: Place.town)
        locator.register(.eager("one"), key: Place.town)
        for _ in 0..<3 {
            #expect(try locator.resolve(Int.self, key: Place.town) == 1)
            #expect(try locator.resolve(String.self, key: Place.town) == "one")
        }
    }

    @Test func `A cached key alone follows the latest registration`() throws {
        locator.register(.lazy { Beetle() }, key: "unknown")
        for _ in 0..<3 { #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle) }
        locator.register(.lazy { Taxi() }, key: "unknown")
        for _ in 0..<3 { #expect(try locator.resolve((any Car).self, key: "unknown") is Taxi) }
        locator.register(.lazy { Beetle() }, for: (any Car).self, key: "unknown")
        for _ in 0..<3 { #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle) }
    }

    @Test func `A child overrides a cached key alone of its parent`() throws {
        locator.register(.lazy { Beetle() }, key: "unknown")
        let child = locator.child()
        for _ in 0..<3 { #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle) }
        for _ in 0..<3 { #expect(try child.resolve((any Car).self, key: "unknown") is Beetle) }
        child.register(.lazy { Taxi() }, key: "unknown")
        for _ in 0..<3 { #expect(try child.resolve((any Car).self, key: "unknown") is Taxi) }
        for _ in 0..<3 { #expect(try locator.resolve((any Car).self, key: "unknown") is Beetle) }
    }

    @Test func `An optional key is its value or none`() throws {
        let none: Place? = nil
        let some: Place? = .town
        locator.register(.eager(1))
        locator.register(.eager(2), key: Place.town)
        for _ in 0..<3 {
            #expect(try locator.resolve(Int.self, key: none) == 1)
            #expect(try locator.resolve(Int.self, key: some) == 2)
            #expect(try locator.resolve(Int.self, key: nil) == 1)
            #expect(try locator.resolve(Int?.self, key: some) == 2)
        }
    }

    @Test func `A volatile service is created at each keyed resolve`() throws {
        locator.register(.volatile { Beetle() }, for: (any Car).self, key: "new")
        var cars: [any Car] = []
        for _ in 0..<3 { cars.append(try locator.resolve((any Car).self, key: "new")) }
        #expect(Set(cars.map(ObjectIdentifier.init)).count == 3)
    }

    @Test func `All spellings of a key share one instance`() throws {
        let created = Counter()
        locator.register(.lazy(.anywhere) { created.increment() }, key: "once")
        #expect(try locator.resolve(Int.self, key: "once") == 1)
        #expect(try locator.resolve(Int.self, key: AnyHashable("once")) == 1)
        #expect(try locator.resolve(Int.self, key: "once" as String?) == 1)
    }

    @Test func `A resolver resolves by keys`() throws {
        locator.register(.eager(1), key: "key")
        locator.register(
            .volatile(.anywhere) { resolver in
                let (none, wrapped): (Int?, Int?) = (try resolver.resolve(), try resolver.resolve(key: "key"))
                return [
                    try resolver.resolve(Int.self, key: "key"),
                    try resolver.resolve(Int.self, key: "key" as AnyHashable),
                    try resolver.resolveOptional(Int.self, key: "key") ?? 0,
                    try resolver.resolveOptional(Int.self, key: nil) ?? 2,
                    try resolver.resolveOptional(Int.self, key: "other") ?? 3,
                    try resolver.resolveOptional() ?? 4, none ?? 5, wrapped ?? 0,
                ]
            }
        )
        for _ in 0..<2 { #expect(try locator.resolve([Int].self) == [1, 1, 1, 2, 3, 4, 5, 1]) }
    }

    @Test func `A removed key is freed`() {
        let log = Tracked.Log()
        do {
            let key = TrackedKey(log)
            locator.register(.eager(1), key: key)
            expect(key, finds: 1)
            expect(TrackedKey(log), finds: 1)
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
}
