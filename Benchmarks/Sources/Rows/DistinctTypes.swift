internal import Injectle

// Thousands of types that nobody has to write out: a generic class over four digits is 10,000 of them.

protocol Digit: Sendable {}

enum Zero: Digit {}
enum One: Digit {}
enum Two: Digit {}
enum Three: Digit {}
enum Four: Digit {}
enum Five: Digit {}
enum Six: Digit {}
enum Seven: Digit {}
enum Eight: Digit {}
enum Nine: Digit {}

/// A service that can be made.
protocol Makeable: AnyObject, Sendable {
    init()
}

/// A service whose type is a number.
final class Numbered<Thousands: Digit, Hundreds: Digit, Tens: Digit, Ones: Digit>: Makeable {
    init() {}
}

/// Receives the types one after another.
protocol TypeVisitor {
    mutating func visit<Visited: Makeable>(_ type: Visited.Type)
}

private let digits: [any Digit.Type] = [
    Zero.self, One.self, Two.self, Three.self, Four.self, Five.self, Six.self, Seven.self, Eight.self, Nine.self,
]

/// Shows a visitor the first so many of the 10,000 types.
func visitDistinctTypes<Visitor: TypeVisitor>(_ count: Int, _ visitor: inout Visitor) {
    precondition(count <= 10_000, "There are only four digits.")

    func open<Thousands: Digit, Hundreds: Digit, Tens: Digit, Ones: Digit>(
        _: Thousands.Type,
        _: Hundreds.Type,
        _: Tens.Type,
        _: Ones.Type
    ) {
        visitor.visit(Numbered<Thousands, Hundreds, Tens, Ones>.self)
    }

    for number in 0..<count {
        let thousands: any Digit.Type = digits[number / 1000]
        let hundreds: any Digit.Type = digits[number / 100 % 10]
        let tens: any Digit.Type = digits[number / 10 % 10]
        let ones: any Digit.Type = digits[number % 10]
        open(thousands, hundreds, tens, ones)
    }
}

/// Collects a closure for each type that registers it.
struct Registrars: TypeVisitor {
    private(set) var closures: [(Locator) -> Void] = []

    init(_ count: Int) {
        visitDistinctTypes(count, &self)
    }

    mutating func visit<Visited: Makeable>(_: Visited.Type) {
        closures.append { locator in locator.register(.lazy(.anywhere) { Visited() }) }
    }
}

/// Collects a closure for each type that registers a service for it. The factory closure captures nothing, as most in
/// programs; in `Registrars`, it captures the type.
struct ListingRegistrars: TypeVisitor {
    private(set) var closures: [(Locator) -> Void] = []

    init(_ count: Int) {
        visitDistinctTypes(count, &self)
    }

    mutating func visit<Visited: Makeable>(_: Visited.Type) {
        closures.append { locator in locator.register(.lazy(.anywhere) { makeService() }.as(Visited.self)) }
    }
}

/// Registers the first so many of the types.
func registerOthers(_ count: Int, in locator: Locator) {
    for register in Registrars(count).closures { register(locator) }
}
