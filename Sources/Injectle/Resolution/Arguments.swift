/// The arguments that a call of `resolve` passes to the creation of the service, in order.
@usableFromInline final class Arguments: Sendable {
    /// The arguments as values of their static types.
    private let values: [AnyInstance]
    /// The arguments of the request, if these are those of one creation.
    private let source: Arguments?
    /// The positions of the arguments that something has taken, if each has to be taken.
    private let taken: Mutex<Set<Int>>?

    @usableFromInline init(_ values: [AnyInstance]) {
        self.values = values
        source = nil
        taken = nil
    }

    private init(taken source: Arguments) {
        values = source.values
        self.source = source.source ?? source
        taken = Mutex([])
    }

    /// Returns the arguments of a call, or nil if there are none.
    @inlinable @inline(__always)
    static func list<each Argument>(_ arguments: repeat each Argument) -> Arguments? {
        for _ in repeat (each Argument).self { return make(repeat each arguments) }
        return nil
    }

    @inlinable static func make<each Argument>(_ arguments: repeat each Argument) -> Arguments {
        var values: [AnyInstance] = []
        repeat values.append(passed(Instance(each arguments)))
        return Arguments(values)
    }

    /// An argument as a value of the type that it is passed as.
    @usableFromInline static func passed(_ argument: AnyInstance) -> AnyInstance {
        TypedArguments.all.cast(argument.type)?.passed(argument) ?? argument
    }

    var types: [Any.Type] { values.map(\.type) }

    // MARK: By position

    /// Whether they convert to the types that a closure declares.
    func convert(to declared: [Any.Type]) -> Bool {
        declared.count == values.count && zip(declared, values).allSatisfy { $1.converted(to: $0) != nil }
    }

    /// Whether they have exactly the types that a closure declares. Runs no user code.
    func areExactly(_ declared: [Any.Type]) -> Bool {
        declared.count == values.count && declared.indices.allSatisfy { declared[$0] == values[$0].type }
    }

    /// Returns types as a list, or nil if there are none.
    @inlinable @inline(__always)
    static func types<each Argument>(_ types: repeat (each Argument).Type) -> [Any.Type]? {
        var list: [Any.Type]?
        for type in repeat each types { list = (list ?? []) + [type] }
        return list
    }

    /// Returns the argument at a position, as the type that the closure declares there, and advances the position. The
    /// lookup has compared the types.
    @usableFromInline
    static func next<Value>(_ type: Value.Type, at index: inout Int, of arguments: Arguments?) -> Value {
        defer { index += 1 }
        guard let converted = arguments?.values[index].converted(to: type) else {
            preconditionFailure("A registration is not found by arguments that it does not take.")
        }
        return converted.service(as: Value.self)
    }

    // MARK: By type

    /// The argument that replaces a service: the first with this static type, or else the first that converts to it. Of
    /// those that have to be taken, it is one that was not, if there is one.
    ///
    /// An `Optional` type matches like the type that it wraps.
    func instance(for type: Any.Type) -> AnyInstance? {
        let all = Array(values.indices)
        guard let taken else { return match(all, type)?.instance }
        let isTaken = taken.snapshot
        let found = match(all.filter { !isTaken.contains($0) }, type) ?? match(all.filter(isTaken.contains), type)
        if let found { taken.withLock { _ = $0.insert(found.index) } }
        return found?.instance
    }

    private struct Match {
        let index: Int
        let instance: AnyInstance
    }

    /// The argument for a type among those at some positions.
    private func match(_ indices: [Int], _ type: Any.Type) -> Match? {
        if let index = indices.first(where: { values[$0].type == type }) {
            return Match(index: index, instance: values[index])
        }
        let wanted = unwrapped(type)
        // Every argument converts to `Any`.
        guard wanted != Any.self else { return nil }
        if let index = indices.first(where: { values[$0].type == wanted }) {
            return values[index].cast(to: type).map { Match(index: index, instance: $0) }
        }
        for index in indices {
            guard let converted = values[index].converted(to: wanted) else { continue }
            return converted.cast(to: type).map { Match(index: index, instance: $0) }
        }
        return nil
    }

    // MARK: What is taken

    /// The same arguments, for one creation that has to take each of them.
    var toBeTaken: Arguments { Arguments(taken: self) }

    /// Counts all as taken, since a resolver has them, which code can call later.
    func takeAll() { taken?.withLock { $0 = Set(values.indices) } }

    /// The types of the arguments that had to be taken and were not.
    var untaken: [Any.Type] {
        guard let taken = taken?.snapshot else { return [] }
        return values.indices.filter { !taken.contains($0) }.map { values[$0].type }
    }

    // MARK: Comparison

    /// The hash that equal arguments share. Nil if one of them is not `Hashable`.
    var hash: Int? {
        var hasher = Hasher()
        for value in values where !value.hash(into: &hasher) { return nil }
        return hasher.finalize()
    }

    /// The type of the first argument that is not `Hashable`.
    var unhashable: Any.Type? {
        values.first { !$0.isHashable }?.type
    }

    /// Whether both are nil, or have equal arguments.
    static func areEqual(_ left: Arguments?, _ right: Arguments?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if (left.source ?? left) === (right.source ?? right) { return true }
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
    /// An argument replaces a service of the type it was passed as, or of a type that it conforms to.
    /// Its type decides between several conforming services. See <doc:WiringAndArguments>.
    ///
    /// It is `Sendable` if its value is.
    public struct Argument<Value>: TypedArgument {
        /// The argument.
        public let value: Value

        /// Passes a value as a `Value`.
        ///
        /// ```swift
        /// let argument = Locator.Argument<any Car>(DeLorean())
        /// print(argument.value.name)  // Prints "DeLorean"
        /// ```
        ///
        /// - Parameter value: The argument.
        /// - Complexity: O(1).
        public init(_ value: Value) {
            self.value = value
        }

        static func passed(_ argument: AnyInstance) -> AnyInstance { Instance(argument.service(as: Self.self).value) }
    }
}

extension Locator.Argument: Sendable where Value: Sendable {}

private protocol TypedArgument: SendableMetatype {
    /// The value of an instance of this type.
    static func passed(_ argument: AnyInstance) -> AnyInstance
}

private enum TypedArguments {
    static let all = KnownCasts<any TypedArgument.Type>()
}

extension AnyInstance {
    /// The value as a protocol that its type conforms to, a superclass, or an `Optional` of its type.
    fileprivate func converted(to type: Any.Type) -> AnyInstance? {
        if type == self.type { return self }
        if type == Any.self { return Instance<Any>(any) }
        // The type alone decides, and not whether there is a value.
        if (self.type as? any ComposedType.Type)?.wrapped != nil { return nil }
        if let wrapped = (type as? any ComposedType.Type)?.wrapped { return converted(to: wrapped)?.cast(to: type) }
        return isAbstract(type) || isMetatypeOfClass(type) ? cast(to: type) : nil
    }

    /// Whether the value is `Hashable`.
    fileprivate var isHashable: Bool { hashable != nil }

    /// Adds the value to a hash. Returns false if it is not `Hashable`.
    fileprivate func hash(into hasher: inout Hasher) -> Bool {
        guard let value = hashable else { return false }
        hasher.combine(value)
        return true
    }

    /// Whether both are equal by `==`, or identical objects.
    fileprivate func isEqual(to other: AnyInstance) -> Bool {
        func isSame<Value: Equatable>(_ value: Value) -> Bool {
            guard let cast = other.cast(to: Value.self) else { return false }
            return cast.service(as: Value.self) == value
        }
        if let equatable { return isSame(equatable) }
        guard type == other.type, let object = object else { return false }
        return object === other.object
    }
}

/// Returns whether the values of a type are types: a class, and its subclasses.
private func isMetatypeOfClass(_ type: Any.Type) -> Bool { "\(Swift.type(of: type))".hasSuffix(".Type.Type") }
