extension Locator.Registration {
    /// Any lifetime with its closure: `.lifetime(.weak) { … }`, in the same forms as ``Form``.
    public struct LifetimeForm: Sendable {
        @inlinable
        @inline(__always)
        init() {}

        /// A closure that needs nothing, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// A closure that needs nothing, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// A closure that asks for what it needs, and may take arguments, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// A closure that asks for what it needs, and may take arguments, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// A closure that needs nothing, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that needs nothing, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable () throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that asks for what it needs, and may take arguments, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that asks for what it needs, and may take arguments, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that needs nothing, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that needs nothing, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor () throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that asks for what it needs, and may take arguments, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// A closure that asks for what it needs, and may take arguments, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }
    }
}
