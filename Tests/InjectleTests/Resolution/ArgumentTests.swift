import Injectle
import InjectleTestSupport
import Testing

private protocol Fruit: Sendable {}
private protocol Food: Sendable {}
private struct Apple: Fruit, Food {}
private struct Pear: Fruit {}

private struct Trip: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}

private final class Juice: Food {
    let number: Int
    init(_ number: Int = 0) { self.number = number }
}

private struct Jam: Food {}

/// A check that allows everything.
private func agree(_: Locator, _: AnyHashable) throws {}

/// Arguments that a closure declares, matched by position.
@Suite struct ArgumentTests {
    private let locator = Locator("arguments")

    private func text(_ number: Int, key: AnyHashable? = nil) throws -> String {
        try locator.resolve(Trip.self, key: key, arguments: number).text
    }

    // MARK: By position

    @Test func `A closure receives arguments by position`() throws {
        locator.register(.volatile { (_, id: Int) in Trip("\(id)") })
        locator.register(.volatile { (_, id: Int, name: String) in Trip("\(id) \(name)") })
        locator.register(
            .volatile { (_, one: Int, two: Int, three: String, four: Bool, five: Int?, six: [Int]) in
                Trip("\(one) \(two) \(three) \(four) \(five ?? 0) \(six)")
            }
        )
        #expect(try locator.resolve(Trip.self, arguments: 7).text == "7")
        #expect(try locator.resolve(Trip.self, arguments: 7, "home").text == "7 home")
        let trip = try locator.resolve(Trip.self, arguments: 1, 2, "three", true, 5, [6])
        #expect(trip.text == "1 2 three true 5 [6]")
    }

    @Test func `Functions, tuples and types are arguments`() throws {
        locator.register(
            .volatile { (_, double: @escaping (Int) -> Int, pair: (Int, String), type: Int.Type) in
                Trip("\(double(4)) \(pair.1) \(type)")
            }
        )
        let double: (Int) -> Int = { $0 * 2 }
        #expect(try locator.resolve(Trip.self, arguments: double, (1, "x"), Int.self).text == "8 x Int")
    }

    @Test func `Arguments reach main actor factories from another thread`() async {
        let locator = Locator("patient", mainActorTimeout: .seconds(600))
        locator.register(
            .volatile(.main) { (_, id: Int) in
                MainActor.preconditionIsolated()
                return Trip("\(id)")
            }
        )
        locator.register(
            .lazy(.main) { locator in
                MainActor.preconditionIsolated()
                return [try locator.resolve(Int.self)]
            }
        )
        let text = await onAnotherThread { try? locator.resolve(Trip.self, arguments: 7).text }
        #expect(text == "7")
        let numbers = await onAnotherThread { try? locator.resolve([Int].self, arguments: 8) }
        #expect(numbers == [8])
    }

    @Test func `A declared argument does not replace services`() throws {
        locator.register(.eager(5))
        locator.register(.volatile { (locator, id: Int) in Trip("\(id) \(try locator.resolve(Int.self))") })
        #expect(try text(7) == "7 5")
    }

    // MARK: Matching

    @Test func `An argument matches a protocol parameter`() throws {
        locator.register(.volatile { (_, fruit: any Fruit) in Trip("\(type(of: fruit))") })
        #expect(try locator.resolve(Trip.self, arguments: Apple()).text == "Apple")
        #expect(try locator.resolve(Trip.self, arguments: Pear() as any Fruit).text == "Pear")
        #expect(try locator.resolve(Trip.self, arguments: Locator.Argument<any Fruit>(Pear())).text == "Pear")
    }

    @Test(arguments: [false, true]) func `An exact parameter type takes precedence`(isReversed: Bool) throws {
        let exact = { _ = locator.register(.volatile { (_, _: Apple) in Trip("an apple") }) }
        let convertible = { _ = locator.register(.volatile { (_, _: any Fruit) in Trip("a fruit") }) }
        for register in isReversed ? [convertible, exact] : [exact, convertible] { register() }
        #expect(try locator.resolve(Trip.self, arguments: Apple()).text == "an apple")
        #expect(try locator.resolve(Trip.self, arguments: Pear()).text == "a fruit")
        #expect(try locator.resolve(Trip.self, arguments: Locator.Argument<any Fruit>(Apple())).text == "a fruit")
    }

    @Test(arguments: [false, true]) func `The latest of several matching closures wins`(isReversed: Bool) throws {
        let fruit = { _ = locator.register(.volatile { (_, _: any Fruit) in Trip("a fruit") }) }
        let food = { _ = locator.register(.volatile { (_, _: any Food) in Trip("food") }) }
        for register in isReversed ? [food, fruit] : [fruit, food] { register() }
        #expect(try locator.resolve(Trip.self, arguments: Apple()).text == (isReversed ? "a fruit" : "food"))
        #expect(try locator.resolve(Trip.self, arguments: Pear()).text == "a fruit")
        #expect(try locator.resolve(Trip.self, arguments: Jam()).text == "food")
    }

    @Test func `A closure with the same signature replaces the earlier one`() throws {
        locator.register(.volatile { (_, id: Int) in Trip("first \(id)") })
        locator.register(.volatile { (_, id: Int) in Trip("second \(id)") })
        #expect(try text(7) == "second 7")
        #expect(locator.registrations.count == 1)
    }

    @Test func `An empty list of another type does not match`() {
        locator.register(.volatile { (_, numbers: [Int]) in Trip("\(numbers.count)") })
        #expect(thrown { _ = try locator.resolve(Trip.self, arguments: ["one"]) } == .wrongArguments)
        #expect(thrown { _ = try locator.resolve(Trip.self, arguments: [String]()) } == .wrongArguments)
    }

    // MARK: Overloads

    @Test(arguments: [false, true]) func `Registrations with and without arguments coexist`(isReversed: Bool) throws {
        let with = { _ = locator.register(.volatile { (_, id: Int) in Trip("with \(id)") }) }
        let without = { _ = locator.register(.volatile { Trip("without") }) }
        for register in isReversed ? [without, with] : [with, without] { register() }
        #expect(try text(7) == "with 7")
        #expect(try locator.resolve(Trip.self).text == "without")
        // Without a match, the registration without arguments serves.
        #expect(try locator.resolve(Trip.self, arguments: "seven").text == "without")
        locator.unregisterService(Trip.self)
        #expect(!locator.isRegistered(Trip.self))
        #expect(thrown { _ = try text(7) } == .missing)
        #expect(thrown { _ = try locator.resolve(Trip.self) } == .missing)
    }

    @Test func `A registration with arguments counts as registered`() {
        let with = locator.register(.volatile { (_, id: Int) in Trip("\(id)") })
        #expect(locator.isRegistered(Trip.self))
        #expect(!locator.isRegistered(Trip.self, key: "key"))
        with.remove()
        #expect(!locator.isRegistered(Trip.self))
        locator.register(.volatile { (_, id: Int) in Trip("\(id)") }, key: "key")
        #expect(locator.isRegistered(Trip.self, key: "key"))
        #expect(locator.child().isRegistered(Trip.self, key: "key"))
        #expect(!locator.isRegistered(Trip.self))
        locator.unregisterService(withKey: "key")
        #expect(!locator.isRegistered(Trip.self, key: "key"))
    }

    @Test func `A signature of a parent hides the registration of its parent`() throws {
        locator.register(.volatile { Trip("root") })
        let parent = locator.child()
        parent.register(.volatile { (_, id: Int) in Trip("parent \(id)") })
        #expect(try parent.child().resolve(Trip.self, arguments: 7).text == "parent 7")
        #expect(thrown { _ = try parent.child().resolve(Trip.self) } == .wrongArguments)
    }

    @Test func `A child overrides its parent's signatures, also with another one`() throws {
        locator.register(.volatile { (_, id: Int) in Trip("parent \(id)") })
        let child = locator.child()
        child.register(.volatile { (_, name: String) in Trip("child \(name)") })
        #expect(thrown { _ = try child.resolve(Trip.self, arguments: 7) } == .wrongArguments)
        child.register(.volatile { (_, id: Int) in Trip("child \(id)") })
        #expect(try child.resolve(Trip.self, arguments: 7).text == "child 7")
        #expect(try child.resolve(Trip.self, arguments: "seven").text == "child seven")
        #expect(try text(7) == "parent 7")
    }

    @Test func `A child registration without arguments hides the parent's signatures`() throws {
        locator.register(.volatile { (_, id: Int) in Trip("parent \(id)") })
        let child = locator.child()
        child.register(.eager(Trip("child")))
        #expect(try child.resolve(Trip.self).text == "child")
        #expect(try child.resolve(Trip.self, arguments: 7).text == "child")
        #expect(try child.child().resolve(Trip.self, arguments: 7).text == "child")
        #expect(try text(7) == "parent 7")
    }

    // MARK: Keys

    @Test func `A key distinguishes registrations with arguments`() throws {
        locator.register(.volatile { (_, id: Int) in Trip("\(id)") })
        locator.register(.volatile { (_, id: Int) in Trip("night \(id)") }, key: "night")
        #expect(try text(7) == "7")
        #expect(try text(7, key: "night") == "night 7")
        #expect(thrown { _ = try text(7, key: "day") } == .missing)
        #expect(thrown { _ = try locator.resolve(Trip.self, key: "night") } == .wrongArguments)
    }

    @Test func `A key alone finds a registration with arguments`() throws {
        locator.register(.volatile { Juice(0) }, key: "drink")
        locator.register(.volatile { (_, id: Int) in Juice(id) }, key: "drink")
        #expect((try locator.resolve((any Food).self, key: "drink", arguments: 7) as? Juice)?.number == 7)
        #expect((try locator.resolve((any Food).self, key: "drink") as? Juice)?.number == 0)
        let child = locator.child()
        #expect((try child.resolve((any Food).self, key: "drink", arguments: 8) as? Juice)?.number == 8)
    }

    @Test func `A key alone without a matching signature throws wrongArguments`() {
        locator.register(.volatile { (_, id: Int) in Juice(id) }, key: "drink")
        let without = thrown { _ = try locator.resolve((any Food).self, key: "drink") }
        #expect(without == .wrongArguments)
        let other = thrown { _ = try locator.resolve((any Food).self, key: "drink", arguments: "seven") }
        #expect(other == .wrongArguments)
    }

    @Test func `An optional resolve considers key and arguments`() throws {
        #expect(try locator.resolve(Trip?.self, key: "night", arguments: 7) == nil)
        #expect(try locator.resolveOptional(Trip.self, key: "night", arguments: 7) == nil)
        locator.register(.volatile { (_, id: Int) in Trip("night \(id)") }, key: "night")
        #expect(try locator.resolve(Trip?.self, key: "night", arguments: 7)?.text == "night 7")
        #expect(try locator.resolveOptional(Trip.self, key: "night", arguments: 7)?.text == "night 7")
        #expect(try locator.resolve(Trip?.self, arguments: 7) == nil)
    }

    // MARK: Errors

    @Test func `A wrongArguments error names both signatures and the fix`() {
        locator.register(.volatile { (_, id: Int, name: String) in Trip("\(id) \(name)") })
        let error = thrown { _ = try locator.resolve(Trip.self, arguments: "seven") }
        #expect(error == .wrongArguments)
        #expect(error?.identity == Locator.Identity(Trip.self))
        let text = error?.description ?? ""
        #expect(text.contains("InjectleTests.Trip was requested with (String)"))
        #expect(text.contains("as InjectleTests.Trip, with (Int, String)"))
        #expect(text.contains("registered    in InjectleTests/ArgumentTests.swift:"))
        #expect(text.contains("fix           resolve(InjectleTests.Trip.self, arguments: <Int>, <String>)"))
    }

    @Test func `The fix of a wrongArguments error names the key`() {
        locator.register(.volatile { (_, id: Int) in Trip("\(id)") }, key: "night")
        let text = thrown { _ = try locator.resolve(Trip.self, key: "night") }?.description ?? ""
        #expect(text.contains("resolve(InjectleTests.Trip.self, key: \"night\", arguments: <Int>)"))
    }

    @Test func `Missing or wrong arguments throw wrongArguments in every form`() {
        locator.register(.volatile { (_, id: Int) in Trip("\(id)") })
        let codes = [
            thrown { _ = try locator.resolve(Trip.self) },
            thrown { _ = try locator.resolveOptional(Trip.self) },
            thrown { _ = try locator.resolve(Trip?.self) },
            thrown { _ = try locator.resolve(Trip.self, arguments: 7, 8) },
            thrown { _ = try locator.resolve(Trip?.self, arguments: "seven") },
            thrown { _ = try locator.resolveOptional(Trip.self, arguments: "seven") },
            thrown { _ = try locator.child().resolve(Trip.self) },
        ]
        #expect(codes.allSatisfy { $0 == .wrongArguments })
        let text = thrown { _ = try locator.resolve(Trip.self) }?.description
        #expect(text?.contains("InjectleTests.Trip was requested without arguments") == true)
    }

    // MARK: Several identities, and refusals

    @Test func `Modifiers keep the declared arguments`() throws {
        locator.register(
            .volatile { (_, id: Int) in Trip("\(id)") }
                .afterInit { _, trip in trip = Trip("\(trip.text), finished") }
                .final(),
            key: "night"
        )
        #expect(try text(7, key: "night") == "7, finished")
        #expect(thrown { _ = try locator.resolve(Trip.self, key: "night") } == .wrongArguments)
    }

    @Test func `forbidReassignment refuses the same signature only`() throws {
        locator.register(.volatile { (_, id: Int) in Trip("first \(id)") })
        let refused = thrown {
            try locator.register(.volatile { (_, id: Int) in Trip("second \(id)") }, and: forbidReassignment)
        }
        #expect(refused == .forbiddenReassignment)
        try locator.register(.volatile { (_, name: String) in Trip(name) }, and: forbidReassignment)
        try locator.register(.volatile { Trip("without") }, and: forbidReassignment)
        #expect(try text(7) == "first 7")
        #expect(try locator.resolve(Trip.self, arguments: "seven").text == "seven")
        #expect(try locator.resolve(Trip.self).text == "without")
    }

    @Test func `final protects its own signature only`() throws {
        typealias Number = Int
        locator.register(.volatile { (_, id: Int) in Trip("first \(id)") }.final())
        let refused = thrown { try locator.register(.volatile { (_, id: Number) in Trip("\(id)") }, and: agree) }
        #expect(refused == .forbiddenReassignment)
        try locator.register(.volatile { (_, name: String) in Trip(name) }, and: agree)
        try locator.register(.volatile { Trip("without") }, and: agree)
        #expect(try text(7) == "first 7")
        #expect(try locator.resolve(Trip.self, arguments: "seven").text == "seven")
    }
}
