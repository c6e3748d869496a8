extension Locator.Registration {
    /// A lifetime that waits for its closure, in one of the forms that `callAsFunction` lists.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })  // `.lazy` is a form, and is called with the closure
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// ```
    ///
    /// The closure takes nothing; or the ``Locator/Resolver`` that it asks for what the service needs, and then the
    /// arguments that whoever asks must pass, of any number and type. It runs where it was written: on the actor that
    /// the code around it is isolated to, or anywhere if there is none. `.main` and `.anywhere` say so instead. What
    /// belongs to an actor other than the main one is made only for a `resolve` that is called on that actor, for what
    /// is being made there, or for who awaits it: a property knows of the main actor alone.
    ///
    /// A closure may throw: the resolve then throws ``InjectleError/factoryFailed`` with that error in
    /// ``InjectleError/underlying``, nothing is kept, and the next resolve runs the closure again. An
    /// ``InjectleError``, such as that of a service it needs, is passed on as it is, and a `CancellationError` is
    /// ``InjectleError/cancelled``.
    ///
    /// Each form stands twice, for services that are `Sendable` and for those that are not known to be. The compiler
    /// takes the first where it can, so there is nothing to choose; a locator whose isolation is
    /// ``Locator/Isolation/strict`` tells the two apart.
    ///
    /// A form is a value that can be used from any thread.
    public struct Form: Sendable {
        @usableFromInline let lifetime: Locator.Lifetime

        @inlinable
        @inline(__always)
        init(lifetime: Locator.Lifetime) {
            self.lifetime = lifetime
        }

        // Each form stands twice, for services that are `Sendable` and for those that are not known to be. The compiler
        // takes the first where it can: that is how a registration knows whether its service may cross actors, without
        // refusing those that may not. All are inlined, so that the closure is erased where its type is known, and its
        // context is not wrapped into another.

        /// Takes a closure that needs nothing and runs on the actor it is written on, or on any thread if that is none.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() })
        /// let database: Database = try locator.resolve()
        /// print(try locator.resolve(Database.self) === database)  // Prints "true"
        /// ```
        ///
        /// - Parameters:
        ///   - isolation: The actor that the closure is written on, and runs on; filled in.
        ///   - fileID: The file that errors name as the registration's; filled in.
        ///   - line: The line that errors name as the registration's; filled in.
        ///   - make: Makes the service. It is called when the lifetime says so, with no lock held.
        /// - Returns: The registration of such a service with this lifetime.
        /// - Throws: Nothing by itself. What `make` throws, the resolve throws that has it called: an ``InjectleError``
        ///   as it is, and else as ``InjectleError/factoryFailed``.
        /// - Complexity: O(1). The closure is not called yet.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            let record = RegistrationRecord(
                of: Service.self,
                lifetime,
                on: isolation,
                isSendable: true,
                fileID,
                line
            ) { _, _, storage in
                storage.initializeMemory(as: Service.self, to: try make())
            }
            return Locator.Registration(record)
        }

        /// Takes a closure that needs nothing, for a service that is not known to be `Sendable`.
        ///
        /// The same as ``callAsFunction(isolation:fileID:line:_:)-2q36w``; but where the closure belongs to an actor, a
        /// locator whose isolation is ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
        ///
        /// ```swift
        /// locator.register(.volatile { Garage() })
        /// let garage: Garage = try locator.resolve()
        /// print(try locator.resolve(Garage.self) === garage)  // Prints "false"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> {
            let record = RegistrationRecord(
                of: Service.self,
                lifetime,
                on: isolation,
                isSendable: false,
                fileID,
                line
            ) { _, _, storage in
                storage.initializeMemory(as: Service.self, to: try make())
            }
            return Locator.Registration(record)
        }

        /// Takes a closure that asks for what it needs, may take arguments, and runs on the actor it is written on, or
        /// on any thread if that is none.
        ///
        /// The same as ``callAsFunction(isolation:fileID:line:_:)-2q36w`` in where it runs and in what becomes of what
        /// it throws.
        ///
        /// ```swift
        /// locator.register(.eager(Settings(currency: "EUR")))
        /// locator.register(.lazy { locator in Report(settings: try locator.resolve()) })
        /// locator.register(.volatile { (locator, name: String) in User(name: name) })
        /// print(try locator.resolve(Report.self).settings.currency)  // Prints "EUR"
        /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
        /// ```
        ///
        /// Registrations of one type that declare different arguments stand side by side: see <doc:WiringAndArguments>.
        ///
        /// - Parameters:
        ///   - isolation: The actor that the closure is written on, and runs on; filled in.
        ///   - fileID: The file that errors name as the registration's; filled in.
        ///   - line: The line that errors name as the registration's; filled in.
        ///   - make: Makes the service. It is handed the ``Locator/Resolver`` of the locator that makes it, and the
        ///     arguments of the call, by their position.
        /// - Returns: The registration of such a service with this lifetime.
        /// - Complexity: O(*n*) in the number of arguments that are declared. The closure is not called yet.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            let declared = Locator.Position.types(repeat (each Argument).self)
            let record = RegistrationRecord(
                of: Service.self,
                lifetime,
                on: isolation,
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

        /// Takes a closure that asks for what it needs and may take arguments, for a service that is not known to be
        /// `Sendable`.
        ///
        /// The same as ``callAsFunction(isolation:fileID:line:_:)-48tuw``; but where the closure belongs to an actor, a
        /// locator whose isolation is ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() })
        /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
        /// let garage: Garage = try locator.resolve()
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            let declared = Locator.Position.types(repeat (each Argument).self)
            let record = RegistrationRecord(
                of: Service.self,
                lifetime,
                on: isolation,
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
}
