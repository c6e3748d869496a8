// The forms whose closure runs on the main actor.

extension Locator.Registration.Form {
    /// A closure that needs nothing, run on the main actor.
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let make = callable { _, _ in try make() }
        let record = Record(
            of: Service.self,
            lifetime,
            on: MainActor.shared,
            isSendable: true,
            fileID,
            line
        ) { core, arguments, storage in
            storage.initializeMemory(
                as: Service.self,
                to: try core.withResolver(arguments) { try make($0, arguments) }
            )
        }
        return Locator.Registration(record)
    }

    /// A closure that needs nothing, run on the main actor.
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () throws -> Service
    ) -> Locator.Registration<Service> {
        let make = callable { _, _ in try make() }
        let record = Record(
            of: Service.self,
            lifetime,
            on: MainActor.shared,
            isSendable: false,
            fileID,
            line
        ) { core, arguments, storage in
            storage.initializeMemory(
                as: Service.self,
                to: try core.withResolver(arguments) { try make($0, arguments) }
            )
        }
        return Locator.Registration(record)
    }

    /// A closure that asks for what it needs, and may take arguments, run on the main actor.
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let make = callable { locator, arguments in
            var position = Locator.Position()
            return try make(locator, repeat position.next((each Argument).self, of: arguments))
        }
        let declared = Locator.Position.types(repeat (each Argument).self)
        let record = Record(
            of: Service.self,
            lifetime,
            on: MainActor.shared,
            isSendable: true,
            fileID,
            line,
            declaring: declared
        ) { core, arguments, storage in
            storage.initializeMemory(
                as: Service.self,
                to: try core.withResolver(
                    Locator.Position.isNone(repeat (each Argument).self) ? arguments : nil
                ) { try make($0, arguments) }
            )
        }
        return Locator.Registration(record)
    }

    /// A closure that asks for what it needs, and may take arguments, run on the main actor.
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let make = callable { locator, arguments in
            var position = Locator.Position()
            return try make(locator, repeat position.next((each Argument).self, of: arguments))
        }
        let declared = Locator.Position.types(repeat (each Argument).self)
        let record = Record(
            of: Service.self,
            lifetime,
            on: MainActor.shared,
            isSendable: false,
            fileID,
            line,
            declaring: declared
        ) { core, arguments, storage in
            storage.initializeMemory(
                as: Service.self,
                to: try core.withResolver(
                    Locator.Position.isNone(repeat (each Argument).self) ? arguments : nil
                ) { try make($0, arguments) }
            )
        }
        return Locator.Registration(record)
    }

    /// A closure of the main actor as one that can be called there without saying so.
    @inlinable
    func callable(
        _ make: @escaping @MainActor (Locator.Resolver, Arguments?) throws -> Service
    ) -> (Locator.Resolver, Arguments?) throws -> Service {
        // Sound: the types differ only in the actor, which a function value does not carry, and a registration
        // whose place is the main actor is called on the main thread alone. `MainActor.assumeIsolated` would ask
        // the same question again and require that the service be `Sendable`.
        unsafeBitCast(make, to: ((Locator.Resolver, Arguments?) throws -> Service).self)
    }
}
