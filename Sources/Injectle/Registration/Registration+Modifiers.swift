extension Locator.Registration {
    /// Makes the service known as `type`, too, with or without a key.
    ///
    /// Once one identity is listed, only those that are listed count; ``asSelf(key:)`` adds the service's own type. All
    /// identities of a registration lead to the same instance.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self).as((any Lighting).self, key: "garage"))
    /// let parking: any Parking = try locator.resolve()
    /// let lighting = try locator.resolve((any Lighting).self, key: "garage")
    /// print(parking === lighting)  // Prints "true"
    /// print(locator.isRegistered(Garage.self))  // Prints "false"
    /// ```
    ///
    /// - Parameters:
    ///   - type: A type that the service is: a protocol it conforms to, or a superclass. If it turns out to be none,
    ///     the resolve that asks for it throws ``InjectleError/wrongType``; for an eager service, registering stops the
    ///     program with that text.
    ///   - key: The key to find it by.
    /// - Returns: A copy with the identity added.
    /// - Complexity: O(*n*) in the number of identities listed.
    public func `as`<Other>(_ type: Other.Type, key: AnyHashable? = nil) -> Self {
        let identity = ServiceKey(type, key: key)
        return changed { $0.list(identity) }
    }

    /// Makes the service known as its own type, beside what ``as(_:key:)`` lists.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self).asSelf())
    /// print(locator.isRegistered(Garage.self))  // Prints "true"
    /// ```
    ///
    /// - Parameter key: The key to find it by.
    /// - Returns: A copy with the identity added.
    /// - Complexity: O(*n*) in the number of identities listed.
    public func asSelf(key: AnyHashable? = nil) -> Self {
        self.as(Service.self, key: key)
    }

    /// Refuses to be replaced.
    ///
    /// A later registration under one of its identities throws ``InjectleError/forbiddenReassignment`` if it was given
    /// a throwing `and:`, and stops the program with that error's text otherwise. Unregistering and resetting are free.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")).final())
    /// do {
    ///     try locator.register(.eager(Settings(currency: "USD")), and: forbidReassignment)
    /// } catch InjectleError.forbiddenReassignment {
    ///     print(try locator.resolve(Settings.self).currency)  // Prints "EUR"
    /// }
    /// ```
    ///
    /// - Returns: A copy that is final.
    /// - Complexity: O(1).
    public func final() -> Self {
        changed { $0.isFinal = true }
    }

    /// Finishes a made service before anybody else sees it.
    ///
    /// Runs once for each instance, in the order the hooks were added, where the factory runs, as part of the creation.
    /// On an eager registration, it runs at first use; on a factory, for each copy.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// locator.register(.lazy { User(name: "Ada") }.afterInit { locator, user in
    ///     let settings: Settings = try locator.resolve()
    ///     user = User(name: "\(user.name), paid in \(settings.currency)")
    /// })
    /// print(try locator.resolve(User.self).name)  // Prints "Ada, paid in EUR"
    /// ```
    ///
    /// - Parameter hook: Is given the resolver of the creation and the service, which it may change or replace.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. What the hook throws, the resolve throws, an ``InjectleError`` as it is and else as
    ///   ``InjectleError/factoryFailed``, and then the instance is given to nobody.
    /// - Complexity: O(1). Each creation then costs what the hook does.
    public func afterInit(_ hook: @escaping (Locator.Resolver, inout Service) throws -> Void) -> Self {
        // What the closure declares is its own.
        let handsOver = record.declared == nil
        func finish(_ core: Unmanaged<LocatorCore>, _ arguments: Arguments?, _ storage: UnsafeMutableRawPointer) throws
        {
            let service = storage.assumingMemoryBound(to: Service.self)
            try core.withResolver(handsOver ? arguments : nil) { try hook($0, &service.pointee) }
        }
        func finishOrEnd(_ core: Unmanaged<LocatorCore>, _ arguments: Arguments?, _ storage: UnsafeMutableRawPointer)
            throws
        {
            do {
                try finish(core, arguments, storage)
            } catch {
                storage.assumingMemoryBound(to: Service.self).deinitialize(count: 1)
                throw error
            }
        }
        if let make = record.asyncFactory {
            let place = record.isolation
            return Self(
                record.copied(inTask: { core, arguments in
                    let instance = try await make(core, arguments)
                    try await place.run {
                        // Nobody else has it yet, and if this throws, it ends with its owner.
                        try finish(.passUnretained(core), arguments, instance.storage)
                    }
                    return instance
                })
            )
        }
        let make = record.make
        if let copy = record.copy {
            let copyAndFinish: Copy = { core, arguments, prototype, storage in
                try copy(core, arguments, prototype, storage)
                try finishOrEnd(core, arguments, storage)
            }
            return Self(record.copied(copy: copyAndFinish, make: make))
        }
        // What is given is finished at first use, like what is made.
        return Self(
            record.copied(make: { core, arguments, storage in
                try make(core, arguments, storage)
                try finishOrEnd(core, arguments, storage)
            })
        )
    }

    /// Keeps the closure, so that the instance can be dropped and made again.
    ///
    /// See ``Locator/resetInstance(of:key:arguments:fileID:line:)``. It is for a lazy service, or the prototype of a factory:
    /// what other lifetimes make, they can make again anyway.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.resettable())
    /// let database: Database = try locator.resolve()
    /// try locator.resetInstance(of: Database.self)
    /// print(try locator.resolve(Database.self) === database)  // Prints "false"
    /// ```
    ///
    /// - Returns: A copy that can be reset.
    /// - Complexity: O(1). What the closure captures is kept for as long as the registration stands.
    public func resettable() -> Self {
        changed { $0.isResettable = true }
    }

    /// Adds the service to the list that ``Locator/resolveAll(_:key:arguments:isolation:fileID:line:)`` returns.
    ///
    /// It is known as nothing else then, unless ``asSelf(key:)`` or ``as(_:key:)`` say so.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { Taxi() }.contributing(to: (any Car).self).asSelf())
    /// print(try locator.resolveAll((any Car).self).map(\.name))  // Prints "["DeLorean", "taxi"]"
    /// print(try locator.resolve(Taxi.self).name)  // Prints "taxi"
    /// ```
    ///
    /// - Parameters:
    ///   - type: A type that the service is.
    ///   - key: The key of the list.
    /// - Returns: A copy that contributes.
    /// - Complexity: O(*n*) in the number of identities listed.
    public func contributing<Other>(to type: Other.Type, key: AnyHashable? = nil) -> Self {
        let userKey = key.map(ServiceKey.KeyPart.init)
        let identity = ServiceKey(
            type: ServiceKey(type).type,
            keyPart: ServiceKey.KeyPart(.contributing, userKey: userKey)
        )
        return changed { $0.list(identity) }
    }

    /// Sets a property of each made service, before anybody else sees it.
    ///
    /// ```swift
    /// struct Desk {
    ///     var owner = User(name: "nobody")
    /// }
    ///
    /// locator.register(.eager(User(name: "Ada")))
    /// locator.register(.lazy { Desk() }.injecting(\.owner))
    /// print(try locator.resolve(Desk.self).owner.name)  // Prints "Ada"
    /// ```
    ///
    /// A property that is optional, as one declared `User?` or `User!`, gets what it wraps. An argument of its type
    /// that was passed to the resolve stands in for it. It is set where the factory runs.
    ///
    /// - Parameters:
    ///   - path: The property, of a class or a structure.
    ///   - key: The key that its service is registered with.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: A copy with the property added. If there is no service for it, the resolve throws
    ///   ``InjectleError/missing``.
    /// - Complexity: O(1). Each creation then costs one more resolve.
    public func injecting<Value>(
        _ path: WritableKeyPath<Service, Value>,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        afterInit { locator, service in
            service[keyPath: path] = try locator.resolve(Value.self, key: key, fileID: fileID, line: line)
        }
    }

    /// Sets an optional property of each made service, before anybody else sees it, to what it wraps.
    ///
    /// The same as ``injecting(_:key:fileID:line:)-9qjbv``: that there is no service for it is an error here, too.
    ///
    /// ```swift
    /// struct Desk {
    ///     var owner: User?
    /// }
    ///
    /// locator.register(.eager(User(name: "Ada")), key: "owner")
    /// locator.register(.lazy { Desk() }.injecting(\.owner, key: "owner"))
    /// print(try locator.resolve(Desk.self).owner?.name ?? "none")  // Prints "Ada"
    /// ```
    public func injecting<Value>(
        _ path: WritableKeyPath<Service, Value?>,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        afterInit { locator, service in
            let value = try locator.resolve(Value.self, key: key, fileID: fileID, line: line)
            service[keyPath: path] = value
        }
    }

    /// Rejects a property that cannot be set.
    @available(*, unavailable, message: "the property is read-only: declare it with 'var'")
    @_disfavoredOverload
    public func injecting<Value>(_ path: KeyPath<Service, Value>, key: AnyHashable? = nil) -> Self { self }

    /// Sets an optional property of each made service, before anybody else sees it, if there is a service for it.
    ///
    /// ```swift
    /// struct Desk {
    ///     var owner: User? = User(name: "nobody")
    /// }
    ///
    /// locator.register(.volatile { Desk() }.injectingIfPresent(\.owner))
    /// print(try locator.resolve(Desk.self).owner?.name ?? "none")  // Prints "nobody"
    /// locator.register(.eager(User(name: "Ada")))
    /// print(try locator.resolve(Desk.self).owner?.name ?? "none")  // Prints "Ada"
    /// ```
    ///
    /// Otherwise the property keeps what it has. A service that is registered and cannot be made is an error. It is set
    /// where the factory runs.
    ///
    /// - Parameters:
    ///   - path: The property, of a class or a structure.
    ///   - key: The key that its service is registered with.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: A copy with the property added.
    /// - Complexity: O(1). Each creation then costs one more resolve.
    public func injectingIfPresent<Value>(
        _ path: WritableKeyPath<Service, Value?>,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        afterInit { locator, service in
            let value = try locator.resolveOptional(Value.self, key: key, fileID: fileID, line: line)
            if let value { service[keyPath: path] = value }
        }
    }
}
