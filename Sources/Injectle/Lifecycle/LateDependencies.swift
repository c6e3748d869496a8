// What a service reads later than its creation. A start creates it before the service, so that it ends after the
// service.

extension LocatorCore {
    /// Creates what a service reads later, as far as its registration declares it or the properties of its type show
    /// it.
    ///
    /// An error concerns the code that reads it, and is thrown there.
    func createLateDependencies(of found: Found, _ request: Request) async {
        var visited: Set<ObjectIdentifier> = []
        await createLateDependencies(of: found, request, &visited)
    }

    /// - Parameter visited: The registrations whose services exist by now, or are on the way to here.
    private func createLateDependencies(of found: Found, _ request: Request, _ visited: inout Set<ObjectIdentifier>)
        async
    {
        visited.insert(ObjectIdentifier(found.record))
        // The locator that creates the service.
        let core = found.record.traits.lifetime.isSharedWithDescendants ? found.entry.core : self
        for identity in found.record.lateDependencies where !Task.isCancelled {
            guard let dependency = core.find(identity).found, dependency.record.isCreatedForOthers,
                !visited.contains(ObjectIdentifier(dependency.record))
            else { continue }
            await core.createLateDependencies(of: dependency, request, &visited)
            _ = try? await core.provideInTask(request.part(identity.type), of: dependency, isolation: nil)
        }
    }
}

extension AnyRecord {
    /// The services that an instance reads by its properties, and those that `depending(on:)` declares.
    fileprivate var lateDependencies: [Locator.Identity] {
        var identities: [Locator.Identity] = []
        for dependency in traits.dependencies where dependency.source == .modifier {
            identities.append(Locator.Identity(serviceType(of: dependency.type), dependency.key))
        }
        var visited: Set<ObjectIdentifier> = []
        addProperties(of: traits.serviceType, to: &identities, &visited)
        return identities
    }

    /// Adds the properties of a type and of the structures and tuples in it.
    private func addProperties(
        of type: Any.Type,
        to identities: inout [Locator.Identity],
        _ visited: inout Set<ObjectIdentifier>
    ) {
        guard visited.insert(ObjectIdentifier(type)).inserted else { return }
        for stored in StoredProperty.all(of: type).map({ unwrapped($0.type) }) {
            if stored is any ResolvingType.Type {
                identities.append(Locator.Identity(serviceType(of: stored), nil))
            } else if !(stored is AnyClass) {
                addProperties(of: stored, to: &identities, &visited)
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
