// Any lifetime with a closure that may await.

extension Locator.Registration.LifetimeForm {
    /// A closure that needs nothing, and may await.
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// A closure that needs nothing, and may await.
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// A closure that asks for what it needs, may take arguments, and may await.
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// A closure that asks for what it needs, may take arguments, and may await.
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// A closure that needs nothing, may await, and runs on no actor.
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that needs nothing, may await, and runs on no actor.
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on no actor.
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on no actor.
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that needs nothing, may await, and runs on the main actor.
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that needs nothing, may await, and runs on the main actor.
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on the main actor.
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on the main actor.
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }
}
