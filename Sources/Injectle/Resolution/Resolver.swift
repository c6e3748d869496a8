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

        /// Makes a locator that finds here what it does not have itself.
        ///
        /// As ``Locator/child(_:)`` makes it; but it does not keep this one's locator. Arguments are not handed on to
        /// it.
        ///
        /// ```swift
        /// locator.register(.eager(User(name: "Ada")))
        /// let resolver: Locator.Resolver = try locator.resolve()
        /// let day = resolver.child("day")
        /// print(try day.resolve(User.self).name)  // Prints "Ada"
        /// ```
        ///
        /// - Parameter name: What errors call it, and what `.perLocator(named:)` looks for.
        /// - Returns: A locator without registrations of its own. Once the resolver's locator has gone, it finds
        ///   nothing there.
        /// - Complexity: O(1).
        public func child(_ name: String? = nil) -> Locator {
            Locator(name, of: core)
        }

        /// Makes a locator that finds here what it does not have itself, and fills it: if `build` throws, there is
        /// none.
        ///
        /// ```swift
        /// locator.register(.volatile { locator in Report(settings: try locator.resolve()) })
        /// let resolver: Locator.Resolver = try locator.resolve()
        /// let day = resolver.child("day") { $0.register(.eager(Settings(currency: "EUR"))) }
        /// print(try day.resolve(Report.self).settings.currency)  // Prints "EUR"
        /// ```
        ///
        /// - Parameters:
        ///   - name: What errors call it, and what `.perLocator(named:)` looks for.
        ///   - build: Registers what the child holds. It runs here, at once.
        /// - Returns: The child, which does not keep this one's locator.
        /// - Throws: What `build` throws.
        /// - Complexity: O(1), besides what `build` costs.
        public func child(_ name: String? = nil, _ build: (Locator) throws -> Void) rethrows -> Locator {
            let child = child(name)
            try build(child)
            return child
        }
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
