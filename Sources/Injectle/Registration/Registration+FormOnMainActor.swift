// The forms whose closure runs on the main actor.

extension Locator.Registration.Form {
    /// Takes a closure that needs nothing and runs on the main actor.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-2q36w`` but for where it runs. It can be written
    /// anywhere. Who asks from elsewhere, before the service is made, waits for the main actor to make it, as the
    /// ``Locator/Isolation`` of the locator says.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     init() { MainActor.preconditionIsolated() }
    /// }
    ///
    /// locator.register(.lazy(.main) { ViewModel() })
    /// let model: ViewModel = try locator.resolve()
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.main`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on the main actor.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(1). The closure is not called yet.
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        let make = callable { _, _ in try make() }
        let record = RegistrationRecord(
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

    /// Takes a closure that needs nothing and runs on the main actor, for a service that is not known to be `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-5smcw``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands the service to nobody elsewhere. A value of an `any` type is not known to be
    /// `Sendable`, even where the protocol belongs to the main actor:
    ///
    /// ```swift
    /// @MainActor protocol Screen {}
    /// struct StartScreen: Screen {}
    ///
    /// locator.register(.lazy(.main) { StartScreen() }, for: (any Screen).self)
    /// ```
    @inlinable
    @inline(__always)
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () throws -> Service
    ) -> Locator.Registration<Service> {
        let make = callable { _, _ in try make() }
        let record = RegistrationRecord(
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

    /// Takes a closure that asks for what it needs, may take arguments, and runs on the main actor.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-48tuw`` but for where it runs. Who asks from elsewhere
    /// waits, as the ``Locator/Isolation`` of the locator says.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     let title: String
    ///     init(title: String) { self.title = title }
    /// }
    ///
    /// locator.register(.volatile(.main) { (locator, title: String) in ViewModel(title: title) })
    /// let model = try locator.resolve(ViewModel.self, arguments: "Garage")
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.main`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on the main actor, of what the resolver finds and of the arguments of the call.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(*n*) in the number of arguments that are declared. The closure is not called yet.
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
        let record = RegistrationRecord(
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

    /// Takes a closure that asks for what it needs, may take arguments, and runs on the main actor, for a service that
    /// is not known to be `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-8cft3``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy(.main) { locator in Garage(database: try locator.resolve()) })
    /// let garage: Garage = try locator.resolve()
    /// ```
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
        let record = RegistrationRecord(
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
