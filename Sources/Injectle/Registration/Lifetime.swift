extension Locator {
    /// When an instance is made and who keeps it.
    ///
    /// | lifetime | made | kept by |
    /// | --- | --- | --- |
    /// | ``eager`` | by you, before it is registered | the locator |
    /// | ``lazy`` | once, at first use | the locator that registered it |
    /// | ``volatile`` | at each resolve, once for each property | whoever asked |
    /// | ``factory`` | a prototype once, a copy of it at each resolve, once for each property | the prototype by the locator, a copy by whoever asked |
    public struct Lifetime: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case eager, lazy, volatile, factory
        }

        private let kind: Kind

        /// A given instance.
        public static var eager: Lifetime { Lifetime(kind: .eager) }
        /// One instance, made at first use.
        public static var lazy: Lifetime { Lifetime(kind: .lazy) }
        /// A new instance for each resolve and each property.
        public static var volatile: Lifetime { Lifetime(kind: .volatile) }
        /// A copy of one prototype for each resolve and each property.
        public static var factory: Lifetime { Lifetime(kind: .factory) }

        /// The name by which the lifetime is registered.
        public var description: String { kind.rawValue }

        /// Whether a locator makes and keeps one instance; for a factory, that is its prototype.
        var isKept: Bool { kind != .volatile }

        /// Whether everyone gets the kept instance itself.
        var isShared: Bool { kind == .eager || kind == .lazy }
    }
}
