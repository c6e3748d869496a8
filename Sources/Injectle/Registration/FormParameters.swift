// What the forms of a registration take besides a closure, and what they find out about it.

extension Locator {
    /// Says of a closure that it may run on any thread: `.lazy(.anywhere) { … }`.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// @MainActor func registerServices(in locator: Locator) {
    ///     locator.register(.lazy(.anywhere) { Database() })
    ///     locator.register(.initializer(.anywhere, Garage.init(database:), .volatile))
    /// }
    /// ```
    ///
    /// The closure is `@Sendable`. Without this, one that is written in code of an actor runs there. It is a value that
    /// can be used from any thread.
    public struct Anywhere: Sendable {
        /// Lets the closure run on any thread.
        public static var anywhere: Anywhere { Anywhere() }
    }

    /// Says of a closure that it runs on the main actor: `.lazy(.main) { … }`.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     init(database: Database) {}
    /// }
    ///
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy(.main) { locator in ViewModel(database: try locator.resolve()) })
    /// ```
    ///
    /// The closure is `@MainActor`, wherever it is written. It is a value that can be used from any thread.
    public struct OnMainActor: Sendable {
        /// Lets the closure run on the main actor.
        public static var main: OnMainActor { OnMainActor() }
    }

    /// Goes through the arguments that a closure declares, in their order.
    @usableFromInline
    struct Position {
        @usableFromInline var index = 0

        @inlinable
        init() {}

        /// The types that are declared, if there are any.
        @inlinable
        @inline(__always)
        static func types<each Argument>(_ types: repeat (each Argument).Type) -> [Any.Type]? {
            if isNone(repeat each types) { return nil }
            var list: [Any.Type] = []
            for type in repeat each types { list.append(type) }
            return list
        }

        /// Whether none is declared, which the compiler knows where the closure is written.
        @inlinable
        @inline(__always)
        static func isNone<each Argument>(_ types: repeat (each Argument).Type) -> Bool {
            for _ in repeat each types { return false }
            return true
        }

        /// The argument that comes next.
        @inlinable
        mutating func next<Value>(_ type: Value.Type, of arguments: Arguments?) -> Value {
            defer { index += 1 }
            guard let arguments else {
                preconditionFailure("A registration that declares arguments is not found without them.")
            }
            return arguments.value(at: index, as: type)
        }
    }
}
