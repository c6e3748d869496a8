public import Injectle

extension Locator {
    /// Builds the roots of a check from expressions, which the check evaluates.
    ///
    /// ```swift
    /// struct CartView { @Inject var database: Database }
    ///
    /// locator.register(.lazy { Database() })
    /// try locator.check {
    ///     CartView()
    ///     for _ in 0..<2 { CartView() }
    /// }
    /// ```
    @resultBuilder
    public enum RootBuilder {
        /// Returns the root of an expression, without evaluating it.
        ///
        /// ```swift
        /// locator.register(.lazy { LiveAPIClient() }.as((any APIClient).self))
        /// try locator.check { ProfileModel() }
        /// ```
        ///
        /// - Parameter object: Creates the object.
        public static func buildExpression<Object>(_ object: @autoclosure @escaping () throws -> Object) -> [Root] {
            [Root(object)]
        }

        /// Returns the roots of several expressions.
        ///
        /// ```swift
        /// locator.register(.lazy { LiveAPIClient() }.as((any APIClient).self))
        /// try locator.check { ProfileModel(); ProfileModel() }
        /// ```
        ///
        /// - Parameter roots: The roots of each expression.
        public static func buildBlock(_ roots: [Root]...) -> [Root] { roots.flatMap(\.self) }

        /// Returns the roots of an `if`.
        ///
        /// ```swift
        /// try locator.check { if locator.isRegistered((any APIClient).self) { ProfileModel() } }
        /// ```
        ///
        /// - Parameter roots: The roots, or nil if the condition is false.
        public static func buildOptional(_ roots: [Root]?) -> [Root] { roots ?? [] }

        /// Returns the roots of a condition that is true.
        ///
        /// ```swift
        /// locator.register(.lazy { LiveAPIClient() }.as((any APIClient).self))
        /// try locator.check { if Bool.random() { ProfileModel() } else { 1 } }
        /// ```
        ///
        /// - Parameter roots: The roots of the branch.
        public static func buildEither(first roots: [Root]) -> [Root] { roots }

        /// Returns the roots of a condition that is false.
        public static func buildEither(second roots: [Root]) -> [Root] { roots }

        /// Returns the roots of a loop.
        ///
        /// ```swift
        /// locator.register(.lazy { LiveAPIClient() }.as((any APIClient).self))
        /// try locator.check { for _ in 0..<2 { ProfileModel() } }
        /// ```
        ///
        /// - Parameter roots: The roots of each turn.
        public static func buildArray(_ roots: [[Root]]) -> [Root] { roots.flatMap(\.self) }

        /// Returns no roots: the default of a check.
        @usableFromInline static func noRoots() -> [Root] { [] }
    }
}
