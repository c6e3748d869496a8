extension Locator {
    /// How a service comes to be, how long it lives, and as what it is known: a value, complete before a locator sees it.
    ///
    /// Made by a lifetime and refined by modifiers, each of which returns a copy:
    ///
    /// ```swift
    /// let registration = Locator.Registration<Engine>.lazy { Engine(fuel: .electric) }
    ///     .as((any Motor).self)
    ///     .final()
    /// locator.register(registration)
    /// ```
    ///
    /// The same value can be registered in several locators; each makes its own instances, except that of an eager one,
    /// which is the value that was given.
    public struct Registration<Service> {
        let lifetime: Lifetime
        let place: Place
        let isSendable: Bool
        let site: Site
        /// The value of an eager registration that nothing is done with.
        var given: Service?
        var make: (Resolver) throws -> Service
        let copy: ((Service) throws -> Service)?
        var identities: [ServiceKey] = []
        var isFinal = false

        init(
            lifetime: Lifetime,
            place: Place,
            isSendable: Bool,
            site: Site,
            given: Service? = nil,
            make: @escaping (Resolver) throws -> Service,
            copy: ((Service) throws -> Service)? = nil
        ) {
            self.lifetime = lifetime
            self.place = place
            self.isSendable = isSendable
            self.site = site
            self.given = given
            self.make = make
            self.copy = copy
        }

        /// What a locator keeps of this registration, known as `identity` or else as what the modifiers listed.
        func record(as identity: ServiceKey?) -> Record {
            var identities = self.identities
            if let identity { identities.append(identity) }
            if identities.isEmpty { identities = [ServiceKey(Service.self)] }

            let make = make
            let copy = copy
            return Record(
                serviceType: Service.self,
                isSendable: isSendable,
                lifetime: lifetime,
                place: place,
                identities: identities,
                isFinal: isFinal,
                site: site,
                given: given.map(Instance.init),
                make: { resolver, storage in
                    storage.initializeMemory(as: Service.self, to: try make(resolver))
                },
                copy: copy.map { copy in
                    { prototype, storage in
                        let service = try copy(prototype.assumingMemoryBound(to: Service.self).pointee)
                        storage.initializeMemory(as: Service.self, to: service)
                    }
                }
            )
        }
    }
}
