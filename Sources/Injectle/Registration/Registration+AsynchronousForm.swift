// The forms whose closure may await.
//
// What belongs to an actor is called on it, by the closure's own doing, so these can be asked for from everywhere, by
// `resolveAsync`.

extension Locator.Registration.Form {
    /// A closure that needs nothing, and may await.
    public func callAsFunction(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(isolation, true, Site(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// A closure that needs nothing, and may await.
    public func callAsFunction(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(isolation, false, Site(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// A closure that asks for what it needs, may take arguments, and may await.
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(isolation, true, Site(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// A closure that asks for what it needs, may take arguments, and may await.
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(isolation, false, Site(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// A closure that needs nothing, may await, and runs on no actor.
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(nil, true, Site(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// A closure that needs nothing, may await, and runs on no actor.
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(nil, false, Site(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on no actor.
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(nil, true, Site(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on no actor.
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(nil, false, Site(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// A closure that needs nothing, may await, and runs on the main actor.
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(MainActor.shared, true, Site(fileID, line)) { @MainActor _, _ in Instance(try await make()) }
    }

    /// A closure that needs nothing, may await, and runs on the main actor.
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(MainActor.shared, false, Site(fileID, line)) { @MainActor _, _ in Instance(try await make()) }
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on the main actor.
    public func callAsFunction<each Argument>(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(MainActor.shared, true, Site(fileID, line), repeat (each Argument).self) {
            @MainActor locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// A closure that asks for what it needs, may take arguments, may await, and runs on the main actor.
    public func callAsFunction<each Argument>(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(MainActor.shared, false, Site(fileID, line), repeat (each Argument).self) {
            @MainActor locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// The registration that all of these come to.
    private func inTask<each Argument>(
        _ isolation: (any Actor)?,
        _ isSendable: Bool,
        _ site: Site,
        _ declared: repeat (each Argument).Type,
        make: @escaping @concurrent (Locator.Resolver, Arguments?) async throws -> Instance
    ) -> Locator.Registration<Service> {
        let declared = Locator.Position.types(repeat each declared)
        let record = Record(
            of: Service.self,
            lifetime,
            on: isolation,
            isSendable: isSendable,
            site,
            declaring: declared
        ) { core, arguments in
            // What the closure declares is its own.
            let resolver = Locator.Resolver(core: core, arguments: declared == nil ? arguments : nil)
            return try await make(resolver, arguments)
        }
        return Locator.Registration(record)
    }
}
