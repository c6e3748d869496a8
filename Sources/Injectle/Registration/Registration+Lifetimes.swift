extension Locator.Registration {
    /// A given service, handed to everyone.
    ///
    /// ```swift
    /// locator.register(.eager(Analytics()))
    /// ```
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        eager(service, isSendable: false, Site(fileID, line))
    }

    /// A given service, handed to everyone.
    ///
    /// As the other `eager`, for a service that is known to be `Sendable`.
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self
    where Service: Sendable {
        eager(service, isSendable: true, Site(fileID, line))
    }

    private static func eager(_ service: Service, isSendable: Bool, _ site: Site) -> Self {
        Self(Record(of: Service.self, .eager, at: .anywhere, isSendable: isSendable, site, given: Instance(service)))
    }

    /// A service that is made once, at first use, and then handed to everyone.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Repository(database: try locator.resolve()) })
    /// locator.register(.lazy(.main) { ViewModel() })       // made on the main actor, from wherever it is registered
    /// locator.register(.lazy(.anywhere) { Database() })    // made by whichever thread asks first
    /// ```
    ///
    /// It is made by the locator that registered it, and its own dependencies come from there. However many threads
    /// ask, one makes it and the others wait. What the closure captures is released once it has run.
    @inlinable public static var lazy: Form { Form(lifetime: .lazy) }

    /// A service that is made anew at each resolve, and once for each property.
    ///
    /// ```swift
    /// locator.register(.volatile { RequestContext() })
    /// ```
    ///
    /// Its dependencies come from the locator that is asked.
    @inlinable public static var volatile: Form { Form(lifetime: .volatile) }

    /// A lifetime that waits for its closure, in one of the forms that `callAsFunction` lists.
    ///
    /// The closure takes nothing, or the ``Locator/Resolver`` that it asks for what the service needs. It runs where it
    /// was written: on the actor that the code around it is isolated to, or anywhere if there is none. `.main` and
    /// `.anywhere` say so instead. What belongs to an actor other than the main one is made only for a `resolve` that
    /// is called on that actor: a property knows of the main actor alone.
    ///
    /// A closure may throw: the resolve then throws ``InjectleError/factoryFailed`` with that error in
    /// ``InjectleError/underlying``, nothing is kept, and the next resolve runs the closure again.
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

        /// A closure that needs nothing, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: isolation, isSendable: true, fileID, line) { _, storage in
                    storage.initializeMemory(as: Service.self, to: try make())
                }
            )
        }

        /// A closure that needs nothing, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: isolation, isSendable: false, fileID, line) { _, storage in
                    storage.initializeMemory(as: Service.self, to: try make())
                }
            )
        }

        /// A closure that asks for what it needs, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: isolation, isSendable: true, fileID, line) { core, storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure that asks for what it needs, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver) throws -> Service
        ) -> Locator.Registration<Service> {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: isolation, isSendable: false, fileID, line) { core, storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure that needs nothing, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: nil, isSendable: true, fileID, line) { _, storage in
                    storage.initializeMemory(as: Service.self, to: try make())
                }
            )
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
            Locator.Registration(
                Record(of: Service.self, lifetime, on: nil, isSendable: false, fileID, line) { _, storage in
                    storage.initializeMemory(as: Service.self, to: try make())
                }
            )
        }

        /// A closure that asks for what it needs, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable (Locator.Resolver) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: nil, isSendable: true, fileID, line) { core, storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure that asks for what it needs, run by whichever thread asks.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable (Locator.Resolver) throws -> Service
        ) -> Locator.Registration<Service> {
            Locator.Registration(
                Record(of: Service.self, lifetime, on: nil, isSendable: false, fileID, line) { core, storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure that needs nothing, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            let make = callable { _ in try make() }
            return Locator.Registration(
                Record(of: Service.self, lifetime, on: MainActor.shared, isSendable: true, fileID, line) {
                    core,
                    storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
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
            let make = callable { _ in try make() }
            return Locator.Registration(
                Record(of: Service.self, lifetime, on: MainActor.shared, isSendable: false, fileID, line) {
                    core,
                    storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure that asks for what it needs, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor (Locator.Resolver) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            let make = callable(make)
            return Locator.Registration(
                Record(of: Service.self, lifetime, on: MainActor.shared, isSendable: true, fileID, line) {
                    core,
                    storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure that asks for what it needs, run on the main actor.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor (Locator.Resolver) throws -> Service
        ) -> Locator.Registration<Service> {
            let make = callable(make)
            return Locator.Registration(
                Record(of: Service.self, lifetime, on: MainActor.shared, isSendable: false, fileID, line) {
                    core,
                    storage in
                    storage.initializeMemory(as: Service.self, to: try core.withResolver(make))
                }
            )
        }

        /// A closure of the main actor as one that can be called there without saying so.
        @inlinable
        func callable(
            _ make: @escaping @MainActor (Locator.Resolver) throws -> Service
        ) -> (Locator.Resolver) throws -> Service {
            // Sound: the types differ only in the actor, which a function value does not carry, and a registration
            // whose place is the main actor is called on the main thread alone. `MainActor.assumeIsolated` would ask
            // the same question again and require that the service be `Sendable`.
            unsafeBitCast(make, to: ((Locator.Resolver) throws -> Service).self)
        }
    }
}

extension Locator {
    /// Says of a closure that it may run on any thread: `.lazy(.anywhere) { … }`.
    public struct Anywhere: Sendable {
        /// The closure may run on any thread.
        public static var anywhere: Anywhere { Anywhere() }
    }

    /// Says of a closure that it runs on the main actor: `.lazy(.main) { … }`.
    public struct OnMainActor: Sendable {
        /// The closure runs on the main actor.
        public static var main: OnMainActor { OnMainActor() }
    }
}
