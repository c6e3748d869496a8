extension Locator.Registration {
    /// A lifetime that waits for its closure, in one of the forms that `callAsFunction` lists.
    ///
    /// The closure takes nothing; or the ``Locator/Resolver`` that it asks for what the service needs, and then the
    /// arguments that whoever asks must pass, of any number and type. It runs where it was written: on the actor that
    /// the code around it is isolated to, or anywhere if there is none. `.main` and `.anywhere` say so instead. What
    /// belongs to an actor other than the main one is made only for a `resolve` that is called on that actor: a
    /// property knows of the main actor alone.
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
            let record = Record(
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

        /// A closure that needs nothing, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> {
            let record = Record(
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

        /// A closure that asks for what it needs, and may take arguments, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            let declared = Locator.Position.types(repeat (each Argument).self)
            let record = Record(
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

        /// A closure that asks for what it needs, and may take arguments, run on the actor it is written on.
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            let declared = Locator.Position.types(repeat (each Argument).self)
            let record = Record(
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
