// The forms whose closure may run on any thread.

extension Locator.Registration.Form {
    /// A closure that needs nothing, run by whichever thread asks.
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let record = Record(
            of: Service.self,
            lifetime,
            on: nil,
            isSendable: true,
            fileID,
            line
        ) { _, _, storage in
            storage.initializeMemory(as: Service.self, to: try make())
        }
        return Locator.Registration(record)
    }

    /// A closure that needs nothing, run by whichever thread asks.
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () throws -> Service
    ) -> Locator.Registration<Service> {
        let record = Record(
            of: Service.self,
            lifetime,
            on: nil,
            isSendable: false,
            fileID,
            line
        ) { _, _, storage in
            storage.initializeMemory(as: Service.self, to: try make())
        }
        return Locator.Registration(record)
    }

    /// A closure that asks for what it needs, and may take arguments, run by whichever thread asks.
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let declared = Locator.Position.types(repeat (each Argument).self)
        let record = Record(
            of: Service.self,
            lifetime,
            on: nil,
            isSendable: true,
            fileID,
            line,
            declaring: declared
        ) { core, arguments, storage in
            let service = try core.withResolver(
                Locator.Position.isNone(repeat (each Argument).self) ? arguments : nil
            ) { locator in
                var position = Locator.Position()
                return try make(locator, repeat position.next((each Argument).self, of: arguments))
            }
            storage.initializeMemory(as: Service.self, to: service)
        }
        return Locator.Registration(record)
    }

    /// A closure that asks for what it needs, and may take arguments, run by whichever thread asks.
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = Locator.Position.types(repeat (each Argument).self)
        let record = Record(
            of: Service.self,
            lifetime,
            on: nil,
            isSendable: false,
            fileID,
            line,
            declaring: declared
        ) { core, arguments, storage in
            let service = try core.withResolver(
                Locator.Position.isNone(repeat (each Argument).self) ? arguments : nil
            ) { locator in
                var position = Locator.Position()
                return try make(locator, repeat position.next((each Argument).self, of: arguments))
            }
            storage.initializeMemory(as: Service.self, to: service)
        }
        return Locator.Registration(record)
    }
}
