extension Locator.Registration {
    /// Adds an identity, by which the service is resolved.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self).as((any Lighting).self, key: "garage"))
    /// let parking: any Parking = try locator.resolve()
    /// let lighting = try locator.resolve((any Lighting).self, key: "garage")
    /// print(parking === lighting)  // Prints "true"
    /// print(locator.isRegistered(Garage.self))  // Prints "false"
    /// ```
    ///
    /// The listed identities replace the service's own type; ``asSelf(key:)`` adds it. All identities of a registration
    /// lead to the same instance.
    ///
    /// - Parameters:
    ///   - type: A protocol that the service conforms to, or a superclass. A type to which it only bridges, as a string
    ///     to `NSString`, is neither, on any platform. If the service is not of this type, its resolve throws
    ///     ``InjectleError/wrongType``; an eager service traps when it is registered.
    ///   - key: The key of the identity.
    public func `as`<Other>(_ type: Other.Type, key: AnyHashable? = nil) -> Self {
        let identity = Locator.Identity(type, key: key)
        return changed { $0.traits.list(identity) }
    }

    /// Adds a key whose type is known.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.as(.fast))  // a ServiceKey<any Car>
    /// print(try locator.resolve(.fast).name)  // Prints "DeLorean"
    /// ```
    public func `as`<Other>(_ key: ServiceKey<Other>) -> Self { self.as(Other.self, key: key) }

    /// Adds the service's own type to the identities that ``as(_:key:)`` lists.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self).asSelf())
    /// print(locator.isRegistered(Garage.self))  // Prints "true"
    /// ```
    ///
    /// - Parameter key: The key of the identity.
    public func asSelf(key: AnyHashable? = nil) -> Self { self.as(Service.self, key: key) }

    /// Prevents other registrations from replacing this one.
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
    /// A later registration of one of its identities throws ``InjectleError/forbiddenReassignment`` if it has a
    /// throwing `and:`, and traps otherwise. Unregistering and resetting remove a final registration.
    public func final() -> Self { changed { $0.traits.isFinal = true } }

    /// Adds a hook that runs after each creation, before any caller gets the instance.
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
    /// Hooks run in the order of the modifiers, on the actor of the factory closure. The hook of an eager registration
    /// runs on first use, and the hook of a factory for each copy. If a hook throws, the resolve throws
    /// ``InjectleError/factoryFailed``, or the ``InjectleError`` of the hook, and the instance is released: its
    /// `onDispose` hooks do not run, so a hook that throws closes first what the closure has opened.
    ///
    /// Meanwhile, a request within this creation gets the instance, if it is an object that is shared: see
    /// <doc:WhenAServiceIsMissing>.
    ///
    /// After a factory closure of several statements, the compiler needs its result type, as in `{ () -> User in … }`,
    /// or the types of the hook's parameters.
    ///
    /// - Parameter hook: Receives the resolver and the service, which it can change or replace.
    public func afterInit(_ hook: @escaping (Locator.Resolver, inout Service) throws -> Void) -> Self {
        changed { $0.add(hook) }
    }

    /// Adds a hook of the main actor, on which the service is then created, too.
    ///
    /// ```swift
    /// @MainActor final class ViewModel { var title = "" }
    ///
    /// locator.register(.lazy(.main) { ViewModel() }.afterInit(.main) { _, model in model.title = "Todo" })
    /// ```
    ///
    /// For a registration on the main actor that is written elsewhere. A closure on another actor traps.
    ///
    /// - Parameters:
    ///   - isolation: `.main`.
    ///   - hook: Receives the resolver and the service, which it can change or replace.
    public func afterInit(
        _ isolation: Locator.OnMainActor,
        _ hook: @escaping @MainActor (Locator.Resolver, inout Service) throws -> Void
    ) -> Self {
        changed { record in
            record.traits.moveToMainActor()
            record.add { resolver, service in
                let box = UncheckedBox(service)
                service = try onMainActor {
                    var service = box.value
                    try hook(resolver, &service)
                    return service
                }
            }
        }
    }

    /// Adds the service to the list that ``Locator/resolveAll(_:key:arguments:fileID:line:)`` returns.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.contributing(to: (any Car).self))
    /// locator.register(.lazy { Taxi() }.contributing(to: (any Car).self).asSelf())
    /// print(try locator.resolveAll((any Car).self).map(\.name))  // Prints "["DeLorean", "taxi"]"
    /// print(try locator.resolve(Taxi.self).name)  // Prints "taxi"
    /// ```
    ///
    /// Without ``asSelf(key:)`` or ``as(_:key:)``, the service is resolved only as an element of the list.
    ///
    /// - Parameters:
    ///   - type: The type of the elements.
    ///   - key: The key of the list.
    public func contributing<Other>(to type: Other.Type, key: AnyHashable? = nil) -> Self {
        let identity = Locator.Identity(type, key: key)
        return changed { $0.traits.list(identity, isContribution: true) }
    }

    /// Sets a property of each created service to another service.
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
    /// The property is set on the actor of the factory closure, before any caller gets the instance. An optional
    /// property is set to its wrapped type. An argument of the resolve replaces a service of its type. If the service
    /// of the property is not registered, the resolve throws ``InjectleError/missing``.
    ///
    /// - Parameters:
    ///   - path: The property of a class or a structure.
    ///   - key: The key of the property's service.
    public func injecting<Value>(
        _ path: WritableKeyPath<Service, Value>,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        afterInit { locator, service in
            service[keyPath: path] = try locator.resolve(Value.self, key: key, fileID: fileID, line: line)
        }
        .adding(Value.self, key)
    }

    /// Sets an optional property of each created service to another service, which must be registered.
    public func injecting<Value>(
        _ path: WritableKeyPath<Service, Value?>,
        key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        afterInit { locator, service in
            service[keyPath: path] = try locator.resolve(Value.self, key: key, fileID: fileID, line: line) as Value
        }
        .adding(Value.self, key)
    }

    /// Rejects a property that cannot be set.
    @available(*, unavailable, message: "the property is read-only: declare it with 'var'")
    @_disfavoredOverload
    public func injecting<Value>(_ path: KeyPath<Service, Value>, key: AnyHashable? = nil) -> Self { self }

    /// Sets an optional property of each created service, before any caller gets it, if one is registered.
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
    /// Without a service, the property keeps its value. A registered service that cannot be created is an error.
    ///
    /// - Parameters:
    ///   - path: The property of a class or a structure.
    ///   - key: The key of the property's service.
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
        .adding(Value?.self, key)
    }
}

extension Locator.Registration {
    /// Lets ``Locator/start(timeout:isolation:fileID:line:)`` create the service.
    ///
    /// A resolve before the start creates it as usual. A start does not create services that no cache keeps, nor those
    /// that belong to another locator, such as a child's instance of a service per locator.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start()
    /// print(locator.registrations)  // Prints "[App.Database: lazy, created]"
    /// ```
    ///
    /// - Returns: A copy that is created at the start.
    /// - Complexity: O(1)
    public func atStart() -> Self { changed { $0.traits.isAtStart = true } }
}
