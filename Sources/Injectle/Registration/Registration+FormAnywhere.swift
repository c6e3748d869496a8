// The forms whose closure may run on any thread.

extension Locator.Registration.Form {
    /// Takes a closure that needs nothing and runs on whichever thread asks.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-2q36w`` but for where it runs. It is for services that
    /// are registered in code of an actor and do not need that.
    ///
    /// ```swift
    /// import Injectle
    ///
    /// @MainActor func registerServices(in locator: Locator) {
    ///     locator.register(.lazy(.anywhere) { Database() })  // nobody waits for the main actor to make it
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.anywhere`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on the thread that asks for it.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(1). The closure is not called yet.
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let record = RegistrationRecord(
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

    /// Takes a closure that needs nothing and runs on whichever thread asks, for a service that is not known to be
    /// `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-2kltm``. What threads do with an instance that they share is
    /// yours to protect; a volatile one is shared by nobody.
    ///
    /// ```swift
    /// locator.register(.volatile(.anywhere) { Garage() })
    /// let garage: Garage = try locator.resolve()
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () throws -> Service
    ) -> Locator.Registration<Service> {
        let record = RegistrationRecord(
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

    /// Takes a closure that asks for what it needs, may take arguments, and runs on whichever thread asks.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-48tuw`` but for where it runs.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// locator.register(.lazy(.anywhere) { locator in Report(settings: try locator.resolve()) })
    /// locator.register(.volatile(.anywhere) { (locator, name: String) in User(name: name) })
    /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.anywhere`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on the thread that asks for it, of what the resolver finds and of the arguments of
    ///     the call.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(*n*) in the number of arguments that are declared. The closure is not called yet.
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let declared = Locator.Position.types(repeat (each Argument).self)
        let record = RegistrationRecord(
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

    /// Takes a closure that asks for what it needs, may take arguments, and runs on whichever thread asks, for a
    /// service that is not known to be `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-3wljl``. What threads do with an instance that they share is
    /// yours to protect.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// locator.register(.volatile(.anywhere) { locator in Garage(database: try locator.resolve()) })
    /// let garage: Garage = try locator.resolve()
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Locator.Registration<Service> {
        let declared = Locator.Position.types(repeat (each Argument).self)
        let record = RegistrationRecord(
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
