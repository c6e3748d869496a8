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

// What `.lazy`, `.volatile` and `.initializer` have in common, for each form of closure.
//
// A form without a resolver takes a closure of a pack that is always empty. The elements are functions, which have no
// members, and so the compiler prefers the forms with a resolver when it looks for the mistake in a closure that has
// parameters: it then reports a misspelt member where it is. With `() throws -> Service` or `(()) throws -> Service`, it
// reports a wrong number of parameters, or that `()` has no member `resolve`.
//
// The synchronous forms are inlined, since the compiler specializes no function with a pack.

extension Locator.Registration {
    /// A registration by a closure without parameters, which runs on the actor.
    @inlinable @inline(__always)
    static func synchronous<each None>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        _ make: @escaping (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        Self(lifetime, isolation, location, receivesResolver: false) { _, _ in
            try make(repeat noArgument((each None).self))
        }
    }

    /// A registration by a closure with a resolver and arguments, which runs on the actor.
    @inlinable @inline(__always)
    static func synchronous<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        let declared = Arguments.types(repeat (each Argument).self)
        return Self(lifetime, isolation, location, declaring: declared) { locator, arguments in
            var index = 0
            return try make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
        }
    }

    /// A registration by a closure of the main actor without parameters.
    static func synchronousOnMainActor<each None>(
        _ lifetime: Locator.Lifetime,
        _ location: SourceLocation,
        _ make: @escaping @MainActor (repeat (each None) -> Never) throws -> Service
    ) -> Self {
        Self(lifetime, MainActor.shared, location, receivesResolver: false) { _, _ in
            try onMainActor { try make(repeat noArgument((each None).self)) }
        }
    }

    /// A registration by a closure of the main actor with a resolver and arguments.
    static func synchronousOnMainActor<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ location: SourceLocation,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
    ) -> Self {
        let declared = Arguments.types(repeat (each Argument).self)
        return Self(lifetime, MainActor.shared, location, declaring: declared) { locator, arguments in
            try onMainActor {
                var index = 0
                return try make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
            }
        }
    }
}

// Async closures run on their own actor by themselves, so a caller elsewhere awaits them.

extension Locator.Registration {
    /// A registration by an async closure without parameters.
    static func asynchronous<each None>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        _ make: @escaping @concurrent (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronous(lifetime, isolation, location, receivesResolver: false) { _, _ in
            UncheckedBox(try await make(repeat noArgument((each None).self)))
        }
    }

    /// A registration by an async closure with a resolver and arguments.
    static func asynchronous<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        let declared = Arguments.types(repeat (each Argument).self)
        return asynchronous(lifetime, isolation, location, declaring: declared) { locator, arguments in
            var index = 0
            return UncheckedBox(
                try await make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
            )
        }
    }

    /// A registration by an async closure of the main actor without parameters.
    static func asynchronousOnMainActor<each None>(
        _ lifetime: Locator.Lifetime,
        _ location: SourceLocation,
        _ make: @escaping @MainActor (repeat (each None) -> Never) async throws -> Service
    ) -> Self {
        asynchronous(lifetime, MainActor.shared, location, receivesResolver: false) { @MainActor _, _ in
            UncheckedBox(try await make(repeat noArgument((each None).self)))
        }
    }

    /// A registration by an async closure of the main actor with a resolver and arguments.
    static func asynchronousOnMainActor<each Argument>(
        _ lifetime: Locator.Lifetime,
        _ location: SourceLocation,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Self {
        let declared = Arguments.types(repeat (each Argument).self)
        return asynchronous(lifetime, MainActor.shared, location, declaring: declared) {
            @MainActor locator, arguments in
            var index = 0
            return UncheckedBox(
                try await make(locator, repeat Arguments.next((each Argument).self, at: &index, of: arguments))
            )
        }
    }

    private static func asynchronous(
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        declaring declared: [Any.Type]? = nil,
        receivesResolver: Bool = true,
        _ closure: @escaping Record<Service>.AsyncClosure
    ) -> Self {
        var traits = RegistrationTraits(Service.self, lifetime, isolation, location, declared, isAsync: true)
        traits.receivesResolver = receivesResolver
        return Self(Record(traits, asyncClosure: closure))
    }
}

/// Runs a closure of the main actor on the main thread, where the caller is.
func onMainActor<Value>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated { UncheckedBox(try body()) }.value
}

/// Returns an element of the pack of a closure without parameters, which is empty: no program calls this function.
@usableFromInline func noArgument<None>(_ type: None.Type) -> (None) -> Never {
    preconditionFailure("A closure without parameters has no argument.")
}
