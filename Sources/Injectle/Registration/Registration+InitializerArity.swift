extension Locator.Registration {
    // The same for two to four parameters, whose ownership an initializer receives. It would have to retain each element of a
    // pack once more, and the compiler does not specialize their resolves. There is none for one parameter, since the compiler
    // would pass several as a tuple.

    /// Creates the service with an initializer of two parameters.
    @inlinable
    @inline(__always)
    public static func initializer<First, Second>(
        _ initializer: @escaping (consuming First, consuming Second) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible = .lazy,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        unsafe erased(lifetime.lifetime, isolation, fileID, line, nil) { core, arguments, storage in
            unsafe initialize(storage) {
                try unsafe core.withResolver(arguments) { locator in
                    try initializer(
                        locator.resolve(fileID: fileID, line: line),
                        locator.resolve(fileID: fileID, line: line)
                    )
                }
            }
        }
        .declaring([First.self, Second.self])
    }

    /// Creates the service with an initializer of two parameters on the calling thread.
    @inlinable
    @inline(__always)
    public static func initializer<First, Second>(
        _ isolation: Locator.Anywhere,
        _ initializer: @escaping @Sendable (consuming First, consuming Second) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible = .lazy,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, lifetime, isolation: nil, fileID: fileID, line: line)
    }

    /// Creates the service with an initializer of three parameters.
    @inlinable
    @inline(__always)
    public static func initializer<First, Second, Third>(
        _ initializer: @escaping (consuming First, consuming Second, consuming Third) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible = .lazy,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        unsafe erased(lifetime.lifetime, isolation, fileID, line, nil) { core, arguments, storage in
            unsafe initialize(storage) {
                try unsafe core.withResolver(arguments) { locator in
                    try initializer(
                        locator.resolve(fileID: fileID, line: line),
                        locator.resolve(fileID: fileID, line: line),
                        locator.resolve(fileID: fileID, line: line)
                    )
                }
            }
        }
        .declaring([First.self, Second.self, Third.self])
    }

    /// Creates the service with an initializer of three parameters on the calling thread.
    @inlinable
    @inline(__always)
    public static func initializer<First, Second, Third>(
        _ isolation: Locator.Anywhere,
        _ initializer: @escaping @Sendable (consuming First, consuming Second, consuming Third) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible = .lazy,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, lifetime, isolation: nil, fileID: fileID, line: line)
    }

    /// Creates the service with an initializer of four parameters.
    @inlinable
    @inline(__always)
    public static func initializer<First, Second, Third, Fourth>(
        _ initializer:
            @escaping (consuming First, consuming Second, consuming Third, consuming Fourth) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible = .lazy,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        unsafe erased(lifetime.lifetime, isolation, fileID, line, nil) { core, arguments, storage in
            unsafe initialize(storage) {
                try unsafe core.withResolver(arguments) { locator in
                    try initializer(
                        locator.resolve(fileID: fileID, line: line),
                        locator.resolve(fileID: fileID, line: line),
                        locator.resolve(fileID: fileID, line: line),
                        locator.resolve(fileID: fileID, line: line)
                    )
                }
            }
        }
        .declaring([First.self, Second.self, Third.self, Fourth.self])
    }

    /// Creates the service with an initializer of four parameters on the calling thread.
    @inlinable
    @inline(__always)
    public static func initializer<First, Second, Third, Fourth>(
        _ isolation: Locator.Anywhere,
        _ initializer:
            @escaping @Sendable (consuming First, consuming Second, consuming Third, consuming Fourth) throws -> Service,
        _ lifetime: some Locator.LifetimeConvertible = .lazy,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, lifetime, isolation: nil, fileID: fileID, line: line)
    }
}
