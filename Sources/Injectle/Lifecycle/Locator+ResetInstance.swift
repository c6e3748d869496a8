extension Locator {
    /// Releases an instance and keeps its registration, so that the next resolve creates another one.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() })
    /// let old = try locator.resolve(Garage.self)
    /// try locator.resetInstance(of: Garage.self)
    /// print(try locator.resolve(Garage.self) === old)  // Prints "false"
    /// ```
    ///
    /// It resets the instance that this locator would resolve: the locator's own instance of a service per locator, the
    /// prototype of a factory, and without arguments all instances of a service per argument. If the type only has a
    /// list of contributions, it resets all of them. A property with a volatile, weak, graph or copied instance keeps
    /// it; other properties return the new one. An eager service stays as it is, since the locator did not create it.
    ///
    /// - Parameters:
    ///   - type: The type by which the service is resolved.
    ///   - key: The key by which it is resolved.
    ///   - argument: The arguments of the instance, for a service that is cached per argument.
    /// - Throws: ``InjectleError/missing`` if no registration is found; ``InjectleError/locatorNotFound`` if no locator
    ///   has the lifetime's name; ``InjectleError/factoryFailed`` with the error of a ``CustomLifetime``.
    /// - Complexity: O(1) on average for each searched locator, or O(*k*) where *k* instances are released.
    public func resetInstance<Service, each Argument>(
        of type: Service.Type,
        key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        let arguments = Arguments.list(repeat each argument)
        let location = SourceLocation(fileID, line)
        try core.resetInstance(Request(type, .make(key), arguments, "resetInstance", location))
    }
}

extension LocatorCore {
    /// Ends the instances that a request can return, and keeps their registrations.
    fileprivate func resetInstance(_ request: Request) throws(InjectleError) {
        let identity = Locator.Identity(unwrapped(request.identity.type), request.identity.keyed)
        var found: [Found] = []
        switch find(identity, given: request.arguments) {
        case .registration(let registration): found.append(registration)
        case .otherArguments: break
        case .nothing:
            let alone = identity.keyed.flatMap { findByKeyAlone($0, as: identity.type, given: request.arguments) }
            if let alone { found.append(alone) }
        }
        if request.arguments == nil { found += registrationsWithArguments(as: identity) }
        if found.isEmpty { found = contributions(to: identity) }
        if found.isEmpty { throw .missing(request, in: self) }
        var due: [(record: AnyRecord, candidate: Candidate)] = []
        // The locator cannot create another eager instance, and returns this one again.
        for found in found.flatMap(withDecorated) where !found.record.traits.lifetime.isSupplied {
            let requested = try Acquisition(found, for: request, from: self)
            let acquisition = found.record.copiesPrototype ? requested.ofPrototype : requested
            due += acquisition.candidates.all.filter { !$0.isGraph }.map { (found.record, $0) }
        }
        Ending.endNow { items in
            let ending = Ending.add(forDisposersOf: due.map { ($0.record, $0.candidate.holder) })
            items = due.flatMap { record, candidate in candidate.holder.endCells(of: record, for: candidate.key) }
            return ending
        }
    }

    /// A registration, and those that only it requests, as a decorator.
    private func withDecorated(_ found: Found) -> [Found] {
        var all = [found]
        while case .registration(let decorated)? = all[all.count - 1].record.decorated,
            state.withLock({ _ in decorated.record.isWrapped && decorated.record.entries.isSingle })
        {
            all.append(decorated)
        }
        return all
    }
}
