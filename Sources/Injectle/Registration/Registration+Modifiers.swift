extension Locator.Registration {
    /// Makes the service known as `type`, too, with or without a key.
    ///
    /// Once one identity is listed, only those that are listed count; ``asSelf(key:)`` adds the service's own type. All
    /// identities of a registration lead to the same instance.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.as((any Parking).self).as((any Lighting).self, key: "garage"))
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
    /// ```
    ///
    /// - Parameter key: The key to find it by.
    /// - Returns: A copy with the identity added.
    public func asSelf(key: AnyHashable? = nil) -> Self {
        self.as(Service.self, key: key)
    }

    /// Refuses to be replaced.
    ///
    /// A later registration under one of its identities throws ``InjectleError/forbiddenReassignment`` if it was given
    /// a throwing `and:`, and stops the program with that error's text otherwise. Unregistering and resetting are free.
    ///
    /// ```swift
    /// locator.register(.eager(Keychain()).final())
    /// ```
    ///
    /// - Returns: A copy that is final.
    public func final() -> Self {
        changed { $0.isFinal = true }
    }

    /// Finishes a made service before anybody else sees it.
    ///
    /// Runs once for each instance, in the order the hooks were added, where the factory runs, as part of the making:
    /// what it throws is what the resolve throws, and then the instance is given to nobody. On an eager registration,
    /// it runs at first use.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.afterInit { locator, garage in
    ///     garage.light = try locator.resolve()
    /// })
    /// ```
    ///
    /// - Parameter hook: Is given the resolver of the making and the service, which it may change or replace.
    /// - Returns: A copy with the hook added.
    public func afterInit(_ hook: @escaping (Locator.Resolver, inout Service) throws -> Void) -> Self {
        let make = record.make
        // What is given is finished at first use, like what is made.
        return Self(
            record.copied { core, storage in
                try make(core, storage)
                let service = storage.assumingMemoryBound(to: Service.self)
                do {
                    try core.withResolver { try hook($0, &service.pointee) }
                } catch {
                    service.deinitialize(count: 1)
                    throw error
                }
            }
        )
    }
}
