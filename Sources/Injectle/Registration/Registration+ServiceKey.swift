// The modifiers for keys whose type is known, and initializers whose parameters have keys. These are disfavored, since an
// initializer without parameters would fit both forms.

extension Locator.Registration {
    /// Adds the identity of a key, by which the service is resolved.
    public func `as`<Other>(_ key: ServiceKey<Other>) -> Self { self.as(Other.self, key: key) }

    /// Adds the service to the list of a key's type.
    public func contributing<Other>(to key: ServiceKey<Other>) -> Self { contributing(to: Other.self, key: key) }

    /// Declares the dependencies that the factory closure resolves by keys.
    ///
    /// ```swift
    /// locator.register(
    ///     .lazy { locator in Garage(database: try locator.resolve(.archive)) }
    ///         .depending(on: .archive)
    /// )
    /// ```
    @_disfavoredOverload
    public func depending<each Other>(on key: repeat ServiceKey<each Other>) -> Self {
        var registration = self
        for key in repeat each key { registration = registration.depending(onServiceOf: key) }
        return registration
    }

    private func depending<Other>(onServiceOf key: ServiceKey<Other>) -> Self { depending(on: Other.self, key: key) }

    /// Sets a property of each created service to the service of a key.
    public func injecting<Value>(
        _ path: WritableKeyPath<Service, Value>,
        key: ServiceKey<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        injecting(path, key: AnyHashable(key), fileID: fileID, line: line)
    }

    /// Sets an optional property of each created service to the service of a key.
    public func injecting<Value>(
        _ path: WritableKeyPath<Service, Value?>,
        key: ServiceKey<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        injecting(path, key: AnyHashable(key), fileID: fileID, line: line)
    }

    /// Creates the service with an initializer, and resolves each parameter by a key, or by its type alone where the key is
    /// nil.
    ///
    /// ```swift
    /// struct Dealer {
    ///     let car: any Car
    ///     let owner: User
    /// }
    /// locator.register(.eager(User(name: "Ada")))
    /// locator.register(.lazy { DeLorean() }, for: .fast)
    /// locator.register(.initializer(Dealer.init, keys: .fast, nil))
    /// print(try locator.resolve(Dealer.self).car.name)  // Prints "DeLorean"
    /// ```
    ///
    /// The compiler checks that there is a key or nil for each parameter, and that the key is of the parameter's type. The
    /// lifetime is a singleton's unless ``lifetime(_:)`` says otherwise.
    ///
    /// - Parameters:
    ///   - initializer: Creates the service, on the actor on which it is registered.
    ///   - key: The keys of the parameters, in their order.
    /// - Complexity: O(*n*) in the number of parameters.
    @inlinable
    @inline(__always)
    @_disfavoredOverload
    public static func initializer<each Parameter>(
        _ initializer: @escaping (repeat each Parameter) throws -> Service,
        keys key: repeat ServiceKey<each Parameter>?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        synchronous(.lazy, isolation, fileID, line) { locator in
            try initializer(repeat try locator.resolveParameter(by: each key, fileID, line))
        }
        .declaring(repeat each key)
    }

    /// Creates the service with an initializer with keys on the calling thread.
    @inlinable
    @inline(__always)
    @_disfavoredOverload
    public static func initializer<each Parameter>(
        _ isolation: Locator.Anywhere,
        _ initializer: @escaping @Sendable (repeat each Parameter) throws -> Service,
        keys key: repeat ServiceKey<each Parameter>?,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, keys: repeat each key, isolation: nil, fileID: fileID, line: line)
    }

    /// Creates the service with an initializer with keys on the main actor.
    @inlinable
    @inline(__always)
    @_disfavoredOverload
    public static func initializer<each Parameter>(
        _ isolation: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) throws -> Service,
        keys key: repeat ServiceKey<each Parameter>?,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        synchronousOnMainActor(.lazy, fileID, line) { locator in
            try initializer(repeat try locator.resolveParameter(by: each key, fileID, line))
        }
        .declaring(repeat each key)
    }

    /// Creates the service with an async initializer with keys, and awaits each parameter.
    @_disfavoredOverload
    public static func initializer<each Parameter>(
        _ initializer: @escaping @concurrent (repeat each Parameter) async throws -> Service,
        keys key: repeat ServiceKey<each Parameter>?,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        asynchronous(.lazy, isolation, fileID, line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync(
                    (each Parameter).self,
                    key: (each key).map(AnyHashable.init),
                    fileID: fileID,
                    line: line
                )
            )
        }
        .declaring(repeat each key)
    }

    /// Creates the service with an async initializer with keys on no actor.
    @_disfavoredOverload
    public static func initializer<each Parameter>(
        _ isolation: Locator.Anywhere,
        _ initializer: @escaping @concurrent @Sendable (repeat each Parameter) async throws -> Service,
        keys key: repeat ServiceKey<each Parameter>?,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        self.initializer(initializer, keys: repeat each key, isolation: nil, fileID: fileID, line: line)
    }

    /// Creates the service with an async initializer with keys on the main actor.
    @_disfavoredOverload
    public static func initializer<each Parameter>(
        _ isolation: Locator.OnMainActor,
        _ initializer: @escaping @MainActor (repeat each Parameter) async throws -> Service,
        keys key: repeat ServiceKey<each Parameter>?,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        asynchronousOnMainActor(.lazy, fileID, line) { locator in
            try await initializer(
                repeat try await locator.resolveAsync(
                    (each Parameter).self,
                    key: (each key).map(AnyHashable.init),
                    fileID: fileID,
                    line: line
                )
            )
        }
        .declaring(repeat each key)
    }

    /// Adds the dependencies of an initializer with keys.
    @usableFromInline
    consuming func declaring<each Parameter>(_ key: repeat ServiceKey<each Parameter>?) -> Self {
        if !isKnownUniquelyReferenced(&record) { record = record.copied() }
        record.ownRareFields.declaresDependencies = true
        func add<Other>(_ key: ServiceKey<Other>?) {
            let keyPart = key.map { Locator.Identity.KeyPart($0) }
            record.ownRareFields.dependencies.append(Dependency(type: Other.self, keyPart: keyPart))
        }
        for key in repeat each key { add(key) }
        return self
    }
}
