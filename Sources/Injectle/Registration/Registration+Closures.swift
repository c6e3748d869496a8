extension Locator {
    /// The first argument of `.lazy` and `.volatile` whose closure runs on the calling thread.
    ///
    /// ```swift
    /// locator.register(.lazy(.anywhere) { Database() })
    /// ```
    public struct Anywhere: Sendable {
        /// The calling thread, whichever it is.
        public static var anywhere: Anywhere { Anywhere() }
    }

    /// The first argument of `.lazy` and `.volatile` whose closure runs on the main actor.
    ///
    /// ```swift
    /// locator.register(.lazy(.main) { Garage() })
    /// ```
    public struct OnMainActor: Sendable {
        /// The main actor.
        public static var main: OnMainActor { OnMainActor() }
    }
}

/// Creates a service in uninitialized memory, with the arguments of the request. The caller retains the core.
///
/// It returns an error instead of throwing it. The compiler merges the factories of similar services into one function. A
/// factory that throws nothing jumps to that, another one calls it, and a long chain of calls costs mispredicted returns.
@usableFromInline
typealias Factory = (Unmanaged<LocatorCore>, Arguments?, UnsafeMutableRawPointer) -> (any Error)?

/// Initializes memory with the service that `make` returns. Returns the error that it throws instead.
@inlinable
@inline(__always)
func initialize<Service>(_ storage: UnsafeMutableRawPointer, by make: () throws -> Service) -> (any Error)? {
    do {
        unsafe storage.initializeMemory(as: Service.self, to: try make())
        return nil
    } catch {
        return error
    }
}

/// A placeholder for the factory of a registration that has none.
func neverCalled(_: Unmanaged<LocatorCore>, _: Arguments?, _: UnsafeMutableRawPointer) -> (any Error)? {
    preconditionFailure("Given and cached instances are not created here.")
}

// What `.lazy`, `.volatile` and `.initializer` have in common, for each form of closure.
//
// A form without a resolver takes a closure of a pack that is always empty. The elements are functions, which have no
// members, and so the compiler prefers the forms with a resolver when it looks for the mistake in a closure that has
// parameters: it then reports a misspelt member where it is. With `() throws -> Service` or `(()) throws -> Service`, it
// reports a wrong number of parameters, or that `()` has no member `resolve`.
//
// All synchronous forms are inlined, so that the closure is erased where its type is known and its context is not
// wrapped into another.

extension Locator.Registration {
    /// A registration by a closure without parameters, which runs on the actor.
    @inlinable
    @inline(__always)
    static func synchronous<each None>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        unsafe erased(lifetime, isolation, fileID, line, nil, receivesResolver: false) { _, _, storage in
            unsafe initialize(storage) { try make(repeat noArgument((each None).self)) }
        }
    }

    /// A registration by a closure with a resolver and arguments, which runs on the actor.
    @inlinable
    @inline(__always)
    static func synchronous<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        let declared = ArgumentReader.types(repeat (each Argument).self)
        return unsafe erased(lifetime, isolation, fileID, line, declared) { core, arguments, storage in
            let resolved = ArgumentReader.isEmpty(repeat (each Argument).self) ? arguments : nil
            return unsafe initialize(storage) {
                try unsafe core.withResolver(resolved) { locator in
                    var reader = ArgumentReader()
                    return try make(locator, repeat reader.next((each Argument).self, of: arguments))
                }
            }
        }
    }

    /// A registration by a closure of the main actor without parameters.
    @inlinable
    @inline(__always)
    static func synchronousOnMainActor<each None>(
        _ lifetime: Locator.Lifetime,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @MainActor (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        unsafe erased(lifetime, MainActor.shared, fileID, line, nil, receivesResolver: false) { _, _, storage in
            unsafe initialize(storage) { try onMainActor { try make(repeat noArgument((each None).self)) } }
        }
    }

    /// A registration by a closure of the main actor with a resolver and arguments.
    @inlinable
    @inline(__always)
    static func synchronousOnMainActor<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        let declared = ArgumentReader.types(repeat (each Argument).self)
        return unsafe erased(lifetime, MainActor.shared, fileID, line, declared) { core, arguments, storage in
            let resolved = ArgumentReader.isEmpty(repeat (each Argument).self) ? arguments : nil
            return unsafe initialize(storage) {
                try unsafe core.withResolver(resolved) { locator in
                    try onMainActor {
                        var reader = ArgumentReader()
                        return try make(locator, repeat reader.next((each Argument).self, of: arguments))
                    }
                }
            }
        }
    }

    @inlinable
    @inline(__always)
    static func erased(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ declared: [Any.Type]?,
        receivesResolver: Bool = true,
        _ factory: @escaping Factory
    ) -> Self {
        unsafe Self(
            RegistrationRecord(
                of: Service.self,
                lifetime,
                on: isolation,
                fileID,
                line,
                declaring: declared,
                receivesResolver: receivesResolver,
                factory
            )
        )
    }
}

// Async closures run on their own actor by themselves, so a caller elsewhere awaits them.

extension Locator.Registration {
    /// A registration by an async closure without parameters.
    static func asynchronous<each None>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @concurrent (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        erased(lifetime, isolation, fileID, line, receivesResolver: false) { _, _ in
            Instance.make(try await make(repeat noArgument((each None).self)))
        }
    }

    /// A registration by an async closure with a resolver and arguments.
    static func asynchronous<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        erased(lifetime, isolation, fileID, line, repeat (each Argument).self) { locator, arguments in
            var reader = ArgumentReader()
            return Instance.make(try await make(locator, repeat reader.next((each Argument).self, of: arguments)))
        }
    }

    /// A registration by an async closure of the main actor without parameters.
    static func asynchronousOnMainActor<each None>(
        _ lifetime: Locator.Lifetime,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @MainActor (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        erased(lifetime, MainActor.shared, fileID, line, receivesResolver: false) { @MainActor _, _ in
            Instance.make(try await make(repeat noArgument((each None).self)))
        }
    }

    /// A registration by an async closure of the main actor with a resolver and arguments.
    static func asynchronousOnMainActor<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        erased(lifetime, MainActor.shared, fileID, line, repeat (each Argument).self) { @MainActor locator, arguments in
            var reader = ArgumentReader()
            return Instance.make(try await make(locator, repeat reader.next((each Argument).self, of: arguments)))
        }
    }

    private static func erased<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        _ types: repeat (each Argument).Type,
        receivesResolver: Bool = true,
        make: @escaping @concurrent (Locator.Resolver, Arguments?) async throws -> Instance
    ) -> Self {
        let declared = ArgumentReader.types(repeat each types)
        let rareFields = unsafe RegistrationRecord.RareFields(
            declared: declared,
            inTask: { core, arguments in
                // The arguments that a closure declares are not matched to its dependencies by type.
                try await make(Locator.Resolver(core: core, arguments: declared == nil ? arguments : nil), arguments)
            }
        )
        let location = SourceLocation(fileID, line)
        let record = unsafe RegistrationRecord(
            of: Service.self,
            lifetime,
            at: ClosureIsolation(isolation),
            location,
            rareFields
        )
        record.receivesResolver = receivesResolver
        return Self(record)
    }
}
