/// A product of a cell that is equal to others of the same number.
final class Number: Equatable, ExpressibleByIntegerLiteral, Sendable {
    private let value: Int

    init(integerLiteral value: Int) { self.value = value }

    static func == (left: Number, right: Number) -> Bool { left.value == right.value }
}

/// A creator that is equal to others of the same name.
final class Name: Equatable, ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
    let description: String

    init(stringLiteral value: String) { description = value }

    static func == (left: Name, right: Name) -> Bool { left.description == right.description }
}
