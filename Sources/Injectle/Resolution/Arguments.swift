/// What a call of `resolve` hands over to the creation of the service, in its order.
@usableFromInline
final class Arguments: @unchecked Sendable {
    // Sound to share: it is immutable. What others may do with an argument that is not `Sendable` is for those to say
    // who pass it, as for what a closure captures.

    /// Each as a value of the type it was passed as.
    private let values: [Instance]

    @usableFromInline
    init<each Argument>(_ arguments: repeat each Argument) {
        var values: [Instance] = []
        for argument in repeat each arguments {
            values.append(Instance.argument(argument))
        }
        self.values = values
    }

    /// Their types.
    /// Returns the arguments of a call, or nil if there are none.
    @inlinable
    @inline(__always)
    static func list<each Argument>(_ arguments: repeat each Argument) -> Arguments? {
        ArgumentReader.isEmpty(repeat (each Argument).self) ? nil : Arguments(repeat each arguments)
    }

    var types: [Any.Type] { values.map(\.type) }

    // MARK: By position

    /// How well they are what a closure declares.
    enum Fit: Comparable {
        case unfit, convertible, exact
    }

    func fit(_ declared: [Any.Type]) -> Fit {
        if areExactly(declared) { return .exact }
        guard declared.count == values.count else { return .unfit }
        return zip(declared, values).allSatisfy { $1.converted(to: $0) != nil } ? .convertible : .unfit
    }

    /// Whether they are of just the types that a closure declares. Runs no code of a user.
    func areExactly(_ declared: [Any.Type]) -> Bool {
        declared.count == values.count && declared.indices.allSatisfy { declared[$0] == values[$0].type }
    }

    /// The argument at a position, as what the closure declares there. A registration is found by what it declares, so
    /// it is that.
    @usableFromInline
    func value<Value>(at position: Int, as type: Value.Type) -> Value {
        guard let form = values[position].converted(to: type) else {
            preconditionFailure("A registration is not found by arguments that it does not take.")
        }
        return form.loaded(as: Value.self)
    }

    // MARK: By type

    /// The argument that stands in for a service: the first that was passed as this type, or else the first that is of
    /// it.
    ///
    /// An `Optional` takes what it wraps.
    func instance(for type: Any.Type) -> Instance? {
        if let exact = values.first(where: { $0.type == type }) { return exact }
        let wanted = unwrapped(type)
        // Anything is an `Any`, so nothing in particular is meant by it.
        guard wanted != Any.self else { return nil }
        let found = values.first { $0.type == wanted } ?? values.lazy.compactMap { $0.converted(to: wanted) }.first
        return found?.cast(to: type)
    }

    /// The argument that stands in for a service.
    @usableFromInline
    func value<Value>(for type: Value.Type) -> Value? {
        instance(for: type)?.loaded(as: Value.self)
    }

    // MARK: Compared

    /// A list of arguments as what instances are told apart by, with its hash kept: stores find by that under their
    /// lock, and compare without it, since both are code of a user.
    struct Key {
        let arguments: Arguments
        let hash: Int
    }

    /// The key that equal lists share. Nil if one of them cannot be hashed.
    var key: Key? {
        var hasher = Hasher()
        for value in values {
            guard let value = value.hashable else { return nil }
            value.hash(into: &hasher)
        }
        return Key(arguments: self, hash: hasher.finalize())
    }

    /// The type of the first that cannot be hashed.
    var unhashable: Any.Type? {
        values.first { $0.hashable == nil }?.type
    }

    /// Whether both are none, or lists of arguments each of which is equal to the other's.
    static func areEqual(_ left: Arguments?, _ right: Arguments?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if left === right { return true }
        guard left.values.count == right.values.count else { return false }
        return zip(left.values, right.values).allSatisfy { $0.isEqual(to: $1) }
    }
}

extension Locator {
    /// An argument that is passed as another type than it has.
    ///
    /// ```swift
    /// locator.register(.volatile { locator in Chauffeur(car: try locator.resolve()) })
    /// let chauffeur = try locator.resolve(Chauffeur.self, arguments: Locator.Argument<any Car>(Taxi()))
    /// print(chauffeur.car.name)  // Prints "taxi"
    /// ```
    ///
    /// An argument stands in for a service of the type it was passed as, and for one of a type that it conforms to.
    /// This says which is meant where there are several. See <doc:WiringAndArguments>.
    ///
    /// It is `Sendable` if what it has is.
    public struct Argument<Value>: TypedArgument {
        /// What is passed.
        public let value: Value

        /// Passes a value as a `Value`.
        ///
        /// ```swift
        /// let argument = Locator.Argument<any Car>(DeLorean())
        /// print(argument.value.name)  // Prints "DeLorean"
        /// ```
        ///
        /// - Parameter value: What is passed.
        /// - Complexity: O(1).
        public init(_ value: Value) {
            self.value = value
        }

        var instance: Instance { Instance(value) }
    }
}

extension Locator.Argument: Sendable where Value: Sendable {}

private protocol TypedArgument {
    var instance: Instance { get }
}

extension Instance {
    /// An argument as a value of the type that it is passed as.
    fileprivate static func argument<Argument>(_ argument: Argument) -> Instance {
        // The check for a conformance costs more than all else, and most arguments have none.
        guard mayBeGeneric(Argument.self, like: Locator.Argument<Never>.self),
            let typed = argument as? any TypedArgument
        else { return Instance(argument) }
        return typed.instance
    }

    /// The service, which is of this type.
    func loaded<Value>(as type: Value.Type) -> Value {
        // What it is cast to may be nobody else's.
        withExtendedLifetime(self) { storage.assumingMemoryBound(to: Value.self).pointee }
    }

    /// The same as a value of another type that it is of: of a protocol or a superclass, or of an `Optional` of what it
    /// is. What Swift makes of one type by converting it, as of one empty array another, or of a string an object, is
    /// not meant.
    fileprivate func converted(to type: Any.Type) -> Instance? {
        if type == self.type { return self }
        // By its type alone, so that it does not depend on whether there is a value.
        if asOptional(self.type) != nil { return nil }
        if let optional = asOptional(type) { return converted(to: optional.wrapped)?.cast(to: type) }
        guard isAbstract(type), let form = cast(to: type) else { return nil }
        // What was no object and is one now has been wrapped into it.
        return form.object != nil && object == nil ? nil : form
    }

    /// Itself, if it can be hashed.
    fileprivate var hashable: (any Hashable)? {
        opened() as? any Hashable
    }

    /// Whether both are equal by `==`, or the same object.
    fileprivate func isEqual(to other: Instance) -> Bool {
        func isSame<Value: Equatable>(_ left: Value, as right: Any) -> Bool { (right as? Value) == left }
        let (left, right) = (opened(), other.opened())
        if let left = left as? any Equatable { return isSame(left, as: right) }
        guard type == other.type, Swift.type(of: left) is AnyClass else { return false }
        return (left as AnyObject) === (right as AnyObject)
    }

    /// Whether it is an object, and which.
    var object: AnyObject? {
        let value = opened()
        // Anything can be cast to an object, by being wrapped into one.
        return Swift.type(of: value) is AnyClass ? value as AnyObject : nil
    }

    private func opened() -> Any {
        var value: Any = ()
        func open<Value>(_: Value.Type) { value = storage.assumingMemoryBound(to: Value.self).pointee }
        _openExistential(type, do: open)
        return value
    }
}
