extension Locator {
    /// What a factory is handed: the locator that makes, to ask for what the service needs.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// ```
    ///
    /// For a lazy service, that is the locator that has the registration; for one that is made anew, the locator that
    /// was asked; for one that is kept per locator, the locator that keeps it.
    ///
    /// With arguments, each of these stands in for a service of its type that is asked of the resolver without a key.
    ///
    /// It can be kept, to ask later, and be had like a service: as a parameter of an initializer, or as a property
    /// `@Inject var resolver: Locator.Resolver`. It does not keep its locator: once that has gone, asking throws
    /// ``InjectleError/locatorReleased``.
    ///
    /// It is a value that can be used from any thread.
    public struct Resolver: Sendable {
        @usableFromInline let core: LocatorCore
        /// What the call that it was made for hands over.
        @usableFromInline let arguments: Arguments?

        @inlinable
        @inline(__always)
        init(core: LocatorCore, arguments: Arguments?) {
            self.core = core
            self.arguments = arguments
        }

        /// Whether the locator is still there, so that asking may succeed.
        public var isValid: Bool { !core.isTerminated }
    }
}

extension Unmanaged<LocatorCore> {
    /// Calls `body` with the resolver of a core that the caller keeps, without retaining it.
    @inlinable
    @inline(__always)
    func withResolver<Value>(
        _ arguments: Arguments?,
        _ body: (Locator.Resolver) throws -> Value
    ) rethrows -> Value {
        try _withUnsafeGuaranteedRef { try body(Locator.Resolver(core: $0, arguments: arguments)) }
    }
}
