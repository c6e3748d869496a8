// From a request to an instance: lookup, caches, creation, properties.

extension Model {
    // MARK: Requests

    mutating func resolve(_ request: Request, in locator: LocatorID, into variable: VariableID?) throws(NotApplicable)
        -> Result
    {
        let argument = try value(of: request.argument)
        if let variable, variables[variable] != nil { throw NotApplicable() }
        do {
            let result: Result
            switch request.form {
            case .one:
                result = .instance(
                    try provide(request.identity, argument, from: locator, isOptional: false, isAsync: request.isAsync)
                )
            case .optional, .nested:
                result = .instance(
                    try provide(request.identity, argument, from: locator, isOptional: true, isAsync: request.isAsync)
                )
            case .list:
                result = .list(try provideList(request.identity, argument, from: locator, isAsync: request.isAsync))
            }
            if let variable {
                switch result {
                case .instance(let instance): variables[variable] = instance.map { [$0] }
                case .list(let list): variables[variable] = list.isEmpty ? nil : list
                default: break
                }
            }
            held = []
            return result
        } catch let failure as Failure {
            held = []
            // Nothing states whether an error names the type or its optional.
            return .failure(request.form == .nested ? Failure(code: failure.code) : failure)
        } catch {
            throw NotApplicable()
        }
    }

    func value(of argument: Argument) throws(NotApplicable) -> ArgumentValue {
        switch argument {
        case .none: return .none
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .service(let variable):
            guard let instance = variables[variable]?.first else { throw NotApplicable() }
            return .service(instance)
        }
    }

    private mutating func provide(
        _ identity: Identity,
        _ argument: ArgumentValue,
        from locator: LocatorID,
        isOptional: Bool,
        isAsync: Bool,
        for property: PropertyID? = nil
    ) throws -> InstanceID? {
        if isClosed(locator) { throw Failure(code: "locatorClosed", identity: identity) }
        guard let entry = try find(identity, argument, from: locator) else {
            if isOptional {
                if let property { properties[property]?.own = nil }
                return nil
            }
            throw Failure(code: "missing", identity: identity)
        }
        return try provide(entry, identity, argument, from: locator, isAsync: isAsync, for: property)
    }

    /// The contributions of the nearest locator that has any. They count as one resolve.
    private mutating func provideList(
        _ identity: Identity,
        _ argument: ArgumentValue,
        from locator: LocatorID,
        isAsync: Bool
    ) throws -> [InstanceID] {
        if isClosed(locator) { throw Failure(code: "locatorClosed", identity: identity) }
        creations.append(Creation(registration: nil, creator: locator, argument: .none))
        defer { endCreation() }
        var list: [InstanceID] = []
        for entry in contributions(identity, from: locator) {
            guard accepts(entry, argument) else { throw Failure(code: "wrongArguments", identity: identity) }
            let element = try provide(entry, identity, argument, from: locator, isAsync: isAsync)
            held.append(element)
            list.append(element)
        }
        return list
    }

    // MARK: Lookup

    /// The registration with the type and the key, in the nearest locator that has one; else the latest with the key.
    func find(_ identity: Identity, _ argument: ArgumentValue, from locator: LocatorID) throws -> Entry? {
        var exists = false
        for locator in chain(locator) where !exists {
            // A nearer registration hides all of the identity, whichever arguments they declare.
            let named = services(in: locator).filter { $0.listing.identity == identity }
            if let entry = select(named, argument) { return entry }
            exists = !named.isEmpty
        }
        if let key = identity.key, !exists {
            var other: Entry?
            for locator in chain(locator) {
                let named = services(in: locator).filter { $0.listing.identity.key == key }
                let selected = ordered(named, argument)
                if let entry = selected.first(where: { isOf($0, identity.type) }) { return entry }
                other = other ?? selected.first
                exists = exists || !named.isEmpty
            }
            if let other { return other }
        }
        if exists { throw Failure(code: "wrongArguments", identity: identity) }
        return nil
    }

    func entriesWithArguments(_ identity: Identity, from locator: LocatorID) -> [Entry] {
        let entries = chain(locator).flatMap(services(in:)).filter { declared($0) != .none }
        let named = entries.filter { $0.listing.identity == identity }
        guard named.isEmpty, let key = identity.key else { return named }
        return entries.filter { $0.listing.identity.key == key }
    }

    func contributions(_ identity: Identity, from locator: LocatorID) -> [Entry] {
        for locator in chain(locator) {
            let list = locators[locator]?.entries.filter { $0.listing == .contribution(identity) } ?? []
            if !list.isEmpty { return list }
        }
        return []
    }

    /// Of the entries of one identity: the one with exactly the types of the arguments, the latest that accepts them,
    /// the one without arguments.
    private func select(_ entries: [Entry], _ argument: ArgumentValue) -> Entry? { ordered(entries, argument).first }

    /// The same in order, for requests by a key alone, which take the first one of their type.
    private func ordered(_ entries: [Entry], _ argument: ArgumentValue) -> [Entry] {
        let latest = Array(entries.reversed())
        return latest.filter { declared($0) != .part && declared($0) != .none && accepts($0, argument) }
            + latest.filter { declared($0) == .part && accepts($0, argument) }
            + latest.filter { declared($0) == .none }
    }

    private func isOf(_ entry: Entry, _ type: ServiceType) -> Bool {
        registrations[entry.registration].map { type.includes($0.recipe.type) } ?? false
    }

    private func accepts(_ entry: Entry, _ argument: ArgumentValue) -> Bool {
        switch (declared(entry), argument) {
        case (.none, _), (.number, .number), (.text, .text), (.part, .service): true
        case (.engine, .service(let service)): instances[service]?.type == .engine
        default: false
        }
    }

    // MARK: Caches

    struct Cache {
        var key: CacheKey
        var isWeak = false
    }

    /// The caches that can have the instance, in order, and the locator that creates it if none has.
    func plan(_ id: RegistrationID, _ identity: Identity, _ argument: ArgumentValue, from caller: LocatorID) throws
        -> (caches: [Cache], creator: LocatorID)
    {
        guard let (recipe, owner) = registrations[id].map({ ($0.recipe, $0.locator) }) else { throw NotApplicable() }
        var caches: [Cache] = []
        var creator = caller
        let isPerArgument = recipe.lifetime?.parts.contains(.perArgument) ?? false
        if isPerArgument, case .service = argument { throw Failure(code: "wrongArguments", identity: identity) }
        /// The locator nearest to the root creates the instance.
        func add(_ place: Place, of locator: LocatorID, isWeak: Bool = false, _ argument: ArgumentValue? = nil) {
            if chain(creator).contains(locator) { creator = locator }
            let key = CacheKey(place: place, registration: id, argument: argument)
            if let index = caches.firstIndex(where: { $0.key == key }) {
                caches[index].isWeak = caches[index].isWeak && isWeak
            } else {
                caches.append(Cache(key: key, isWeak: isWeak))
            }
        }
        let distinguished = isPerArgument ? argument : nil
        guard let lifetime = recipe.lifetime else {
            add(.locator(owner), of: owner)
            return (caches, creator)
        }
        for part in lifetime.parts {
            switch part {
            case .lazy: add(.locator(owner), of: owner, distinguished)
            case .weak: add(isPerArgument ? .locator(owner) : .weak(owner), of: owner, isWeak: true, distinguished)
            case .perArgument: add(.locator(owner), of: owner, distinguished)
            case .volatile, .composite: break
            case .graph:
                // The service that is resolved itself is not cached.
                if !creations.isEmpty { add(.resolve(caller), of: caller, argument) }
            case .perLocator: add(.locator(caller), of: caller, distinguished)
            case .perLocatorNamed(let name):
                if let named = nearest(named: name, from: caller) {
                    add(.locator(named), of: named, distinguished)
                } else if lifetime == part {
                    throw Failure(code: "locatorNotFound", identity: identity)
                }
            case .custom(let scope):
                if let scope = scopes[scope] { add(.scope(scope), of: owner, distinguished) }
            }
        }
        return (caches, creator)
    }

    private func cached(_ cache: Cache) -> InstanceID? {
        if let id = strong[cache.key] { return id }
        guard cache.isWeak else { return nil }
        guard let id = weak[cache.key], alive().contains(id) else { return nil }
        return isDisposed(id) ? nil : id
    }

    private mutating func store(_ id: InstanceID, in caches: some Sequence<Cache>) {
        for cache in caches {
            if cache.isWeak { weak[cache.key] = id } else { strong[cache.key] = id }
        }
    }

    // MARK: Instances

    /// Returns the instance of a registration for a request.
    mutating func provide(
        _ entry: Entry,
        _ identity: Identity,
        _ argument: ArgumentValue,
        from caller: LocatorID,
        isAsync: Bool,
        for property: PropertyID? = nil
    ) throws -> InstanceID {
        let id = entry.registration
        guard let recipe = registrations[id]?.recipe else { throw NotApplicable() }
        let (caches, creator) = try plan(id, identity, argument, from: caller)
        var isOwn = false
        if let property {
            isOwn = recipe.source == .prototype || !caches.contains { !$0.isWeak && !isGraph($0) }
            let own = properties[property, default: PropertyState()].own
            // In an override, a read of a shared instance takes the shortest path, and the property keeps its own
            // instance.
            let isShared = recipe.source == .eager || recipe.lifetime == .lazy
            if own != nil, isShared, !isBound(property) { throw NotApplicable() }
            if !isOwn || own?.registration != id || own?.locator != caller { properties[property]?.own = nil }
            if let own = properties[property]?.own { return try checked(own.instance, identity) }
        }
        var instance: InstanceID?
        if recipe.source == .prototype {
            instance = try copy(of: id, recipe, identity, argument, caches[0].key)
        } else if let index = caches.firstIndex(where: { cached($0) != nil }) {
            instance = cached(caches[index])
            if let instance { store(instance, in: caches[..<index]) }
        } else {
            if recipe.isAsync, !isAsync {
                // A caller that awaits creates the service, and calls the closure again.
                lacking = caches.contains { !$0.isWeak } ? (entry, identity, argument, caller) : nil
                throw Failure(code: "requiresAsync", identity: identity)
            }
            while instance == nil {
                do {
                    instance = try create(id, recipe, identity, argument, in: creator, for: caches.map(\.key))
                } catch let failure as Failure {
                    guard failure.code == "requiresAsync", isAsync else { throw failure }
                    // Nothing states how often closures are called that cannot succeed.
                    guard let lacking else { throw NotApplicable() }
                    self.lacking = nil
                    if creations.contains(where: { $0.registration == lacking.entry.registration }) {
                        throw NotApplicable()
                    }
                    _ = try provide(
                        lacking.entry,
                        lacking.identity,
                        lacking.argument,
                        from: lacking.caller,
                        isAsync: true
                    )
                }
            }
            if let instance { store(instance, in: caches) }
        }
        guard let instance else { throw NotApplicable() }
        held.append(instance)
        if let property, isOwn { properties[property]?.own = (instance, id, caller) }
        return try checked(instance, identity)
    }

    private func isGraph(_ cache: Cache) -> Bool { if case .resolve = cache.key.place { true } else { false } }

    /// A service that a key alone has found can be of another type.
    private func checked(_ instance: InstanceID, _ identity: Identity) throws -> InstanceID {
        guard let type = instances[instance]?.type, identity.type.includes(type) else {
            throw Failure(code: "wrongType", identity: identity)
        }
        return instance
    }

    private mutating func copy(
        of id: RegistrationID,
        _ recipe: Recipe,
        _ identity: Identity,
        _ argument: ArgumentValue,
        _ key: CacheKey
    ) throws -> InstanceID {
        guard let owner = registrations[id]?.locator else { throw NotApplicable() }
        if strong[key] == nil {
            effects.append(.called(origin(id), in: nil))
            try failIfDue(id, identity)
            strong[key] = create(recipe.type, of: id, recipe: recipe, creator: owner)
        }
        var substitute: InstanceID?
        if case .service(let service) = argument { substitute = service }
        return create(recipe.type, of: id, recipe: recipe, creator: owner, substitute: substitute)
    }

    private mutating func failIfDue(_ id: RegistrationID, _ identity: Identity) throws {
        guard let left = failuresLeft[origin(id)], left > 0 else { return }
        failuresLeft[origin(id)] = left - 1
        throw Failure(code: "factoryFailed", identity: identity)
    }

    /// Adds an instance.
    mutating func create(
        _ type: ServiceType,
        of registration: RegistrationID,
        recipe: Recipe,
        creator: LocatorID?,
        dependencies: [InstanceID] = [],
        substitute: InstanceID? = nil
    ) -> InstanceID {
        let id = created
        created += 1
        instances[id] = InstanceState(
            registration: registration,
            type: type,
            hooks: recipe.hooks,
            creator: creator,
            dependencies: dependencies,
            substitute: substitute
        )
        effects.append(.created(id, origin(registration)))
        return id
    }

    /// Calls the closure of a registration.
    private mutating func create(
        _ id: RegistrationID,
        _ recipe: Recipe,
        _ identity: Identity,
        _ argument: ArgumentValue,
        in creator: LocatorID,
        for caches: [CacheKey]
    ) throws -> InstanceID {
        let distinguishes = distinguishesArguments(recipe.lifetime ?? .lazy)
        let isCycle = creations.contains { creation in
            creation.registration == id && creation.creator == creator
                && (!distinguishes || creation.argument == argument)
                || creation.caches.contains(where: caches.contains)
        }
        if isCycle { throw Failure(code: "circularDependency", identity: identity) }
        creations.append(Creation(registration: id, creator: creator, argument: argument, caches: caches))
        defer { endCreation() }
        let isHeld = held.count
        defer { held.removeSubrange(isHeld...) }
        effects.append(.called(origin(id), in: recipe.takesResolver ? creator : nil))
        // Without declared arguments, the argument replaces a service of its type.
        var substitute: InstanceID?
        if recipe.declared == .none, case .service(let instance) = argument {
            substitute = instance
            held.append(instance)
        }
        var dependencies: [InstanceID] = []
        for dependency in recipe.dependencies {
            if dependency.form != .list, dependency.identity.key == nil, dependency.argument == .none, let substitute,
                let type = instances[substitute]?.type, dependency.identity.type.includes(type)
            {
                dependencies.append(substitute)
                continue
            }
            let argument: ArgumentValue =
                switch dependency.argument {
                case .number(let number): .number(number)
                case .text(let text): .text(text)
                case .none, .service: .none
                }
            if dependency.form == .list {
                dependencies += try provideList(dependency.identity, argument, from: creator, isAsync: recipe.isAsync)
            } else {
                let instance = try provide(
                    dependency.identity,
                    argument,
                    from: creator,
                    isOptional: dependency.form == .optional,
                    isAsync: recipe.isAsync
                )
                if let instance { dependencies.append(instance) }
            }
        }
        try failIfDue(id, identity)
        return create(
            recipe.type,
            of: id,
            recipe: recipe,
            creator: creator,
            dependencies: dependencies,
            substitute: substitute
        )
    }

    private func distinguishesArguments(_ lifetime: Lifetime) -> Bool {
        lifetime.parts.contains { part in
            switch part {
            case .volatile, .graph, .perArgument, .custom: true
            default: false
            }
        }
    }

    /// Ends a creation, and with the outermost one the instances of the graph.
    private mutating func endCreation() {
        creations.removeLast()
        if creations.isEmpty { endResolve() }
    }

    private mutating func endResolve() {
        let ended = strong.filter { if case .resolve = $0.key.place { true } else { false } }
        for key in ended.keys { strong[key] = nil }
        dispose(Set(ended.values).subtracting(strong.values))
    }

    // MARK: Properties

    func holder(_ holder: Holder) throws(NotApplicable) -> HolderID {
        switch holder {
        case .owner(let variable):
            guard owners[variable] != nil else { throw NotApplicable() }
            return .owner(variable)
        case .service(let variable):
            guard let instance = variables[variable]?.first else { throw NotApplicable() }
            return .instance(instance)
        }
    }

    /// Whether a property uses the locator that its owner was created by or in.
    private func isBound(_ property: PropertyID) -> Bool {
        switch property.holder {
        case .owner(let variable): (owners[variable] ?? nil) != nil
        case .instance(let instance): instances[instance]?.creator != nil
        }
    }

    mutating func read(_ property: Property, of holder: Holder, in override: LocatorID) throws(NotApplicable) -> Result
    {
        let id = PropertyID(holder: try self.holder(holder), property: property)
        var locator = override
        var substitute: InstanceID?
        switch id.holder {
        case .owner(let variable):
            if let created = owners[variable], let created { locator = created }
        case .instance(let instance):
            if let creator = instances[instance]?.creator { locator = creator }
            substitute = instances[instance]?.substitute
        }
        var state = properties[id, default: PropertyState()]
        if state.isCleared { return .instance(nil) }
        if property.wrapper == .injectedOptional, let kept = state.kept { return .instance(kept) }
        if property.identity.key == nil, let substitute, let type = instances[substitute]?.type,
            property.identity.type.includes(type)
        {
            return .instance(substitute)
        }
        // The property traps.
        if isClosed(locator) || locators[locator]?.isReleased == true { throw NotApplicable() }
        properties[id] = state
        do {
            let instance = try provide(
                property.identity,
                .none,
                from: locator,
                isOptional: property.wrapper != .inject,
                isAsync: false,
                for: id
            )
            held = []
            if property.wrapper == .injectedOptional {
                state = properties[id, default: PropertyState()]
                state.kept = instance
                properties[id] = state
            }
            return .instance(instance)
        } catch {
            // The property traps.
            throw NotApplicable()
        }
    }
}
