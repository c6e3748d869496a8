// What a service reads later than its creation. A start creates it before the service, so that it ends after the
// service.

extension LocatorCore {
    /// Creates what a service reads later, as far as its registration declares it or the properties of its type show
    /// it.
    ///
    /// An error concerns the code that reads it, and is thrown there.
    func createDeferredDependencies(of found: Found, _ request: Request) async {
        var visited: Set<ObjectIdentifier> = []
        await createDeferredDependencies(of: found, request, &visited)
    }

    /// - Parameter visited: The registrations whose services exist by now, or are on the way to here.
    private func createDeferredDependencies(of found: Found, _ request: Request, _ visited: inout Set<ObjectIdentifier>)
        async
    {
        visited.insert(ObjectIdentifier(found.record))
        // The locator that creates the service.
        let core = found.record.traits.lifetime.isSharedWithDescendants ? found.entry.core : self
        for identity in found.record.deferredDependencies(in: core) where !Task.isCancelled {
            guard let dependency = core.find(identity).found, dependency.record.isCreatedForOthers,
                !visited.contains(ObjectIdentifier(dependency.record))
            else { continue }
            await core.createDeferredDependencies(of: dependency, request, &visited)
            _ = try? await core.provideInTask(request.part(identity.type), of: dependency, isolation: nil)
        }
    }
}

extension LocatorCore {
    /// Whether a registration of this locator or of an ancestor has a type and a key.
    fileprivate func hasKeys(for type: Any.Type) -> Bool {
        chain.contains { core in
            let keyed = core.state.withLock { state in
                state.entriesByKeyHash.values.joined().filter { $0.identity.type == type }
            }
            return keyed.contains { !$0.isEmpty }
        }
    }
}

extension AnyRecord {
    /// The services that an instance reads by its properties, and those that `depending(on:)` declares.
    ///
    /// The type of a property has no key: where a type is registered under keys, too, its property is left out.
    fileprivate func deferredDependencies(in core: LocatorCore) -> [Locator.Identity] {
        let declared = traits.dependencies.filter { $0.source == .modifier }.map { dependency in
            Locator.Identity(serviceType(of: dependency.type), dependency.key)
        }
        var types: [Any.Type] = []
        var visited: Set<ObjectIdentifier> = []
        addProperties(of: traits.serviceType, to: &types, &visited)
        return declared + types.filter { !core.hasKeys(for: $0) }.map { Locator.Identity($0, nil) }
    }

    /// Adds the services of the properties of a type and of the structures and tuples in it.
    private func addProperties(of type: Any.Type, to types: inout [Any.Type], _ visited: inout Set<ObjectIdentifier>) {
        guard visited.insert(ObjectIdentifier(type)).inserted else { return }
        for stored in StoredProperty.all(of: type).map({ unwrapped($0.type) }) {
            if stored is any ResolvingType.Type {
                types.append(serviceType(of: stored))
            } else if !(stored is AnyClass), !isOfSystem(stored) {
                addProperties(of: stored, to: &types, &visited)
            }
        }
    }

    /// Whether a cache keeps its one instance for all that read it.
    fileprivate var isCreatedForOthers: Bool {
        let lifetime = traits.lifetime
        return traits.declared == nil && readyInstance == nil && !copiesPrototype && lifetime.isKept && !lifetime.isWeak
            && !lifetime.distinguishesArguments
    }
}
