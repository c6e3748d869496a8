extension Locator {
    /// The name of a locator, in error texts and for ``Lifetime/perLocator(named:)``.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// extension Locator.Name {
    ///     static let session: Self = "session"
    /// }
    ///
    /// let app = Locator("app") { $0.register(.lazy { 7 }.lifetime(.perLocator(named: .session))) }
    /// print(try app.child(.session).resolve(Int.self))  // Prints "7"
    /// ```
    ///
    /// A misspelled constant does not compile; a misspelled literal does.
    public struct Name: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
    {
        /// The text of the name.
        public let rawValue: String

        /// Creates a name from a text.
        ///
        /// ```swift
        /// let user = User(name: "Ada")
        /// let session = locator.child("session of \(user.name)")
        /// let page = session.child(Locator.Name(rawValue: user.name))
        /// ```
        ///
        /// - Parameter rawValue: The text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Creates a name from a literal.
        ///
        /// ```swift
        /// let session = locator.child("session")
        /// ```
        ///
        /// - Parameter value: The literal.
        public init(stringLiteral value: String) {
            rawValue = value
        }

        /// The text of the name.
        public var description: String { rawValue }
    }
}
