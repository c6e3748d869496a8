// The semantics of the library as plain dictionaries, written from its documentation and not from its code.
//
// `perform` executes one statement of a program and returns what the program observes: the result, and the calls of
// closures and hooks in order. Instances have the numbers 0, 1, 2, … in the order of their creation.

typealias InstanceID = Int

/// A call of code that the program passed to the library, or a new instance.
enum Effect: Hashable {
    /// The closure of a registration, with the locator of its resolver. A prototype's closure has none.
    case called(RegistrationID, in: LocatorID?)
    case created(InstanceID, RegistrationID)
    case disposed(InstanceID)
}

/// The error of a call.
struct Failure: Error, Hashable {
    var code: String
    var identity: Identity?
}

/// The result of a statement.
enum Result: Hashable {
    case done
    case instance(InstanceID?)
    case list([InstanceID])
    case failure(Failure)
    /// The number of errors that hooks threw.
    case disposal(failures: Int)
}

struct Observation: Equatable {
    var result: Result
    var effects: [Effect]
}

extension [Effect] {
    /// The numbers of the created instances, by their registrations.
    var numbers: [RegistrationID: InstanceID] {
        var numbers: [RegistrationID: InstanceID] = [:]
        for case .created(let number, let registration) in self { numbers[registration] = number }
        return numbers
    }
}

/// The state that a program can observe between two statements.
struct Snapshot: Equatable {
    struct Line: Hashable {
        var identity: Identity
        var isCreated: Bool
    }

    var alive: Set<InstanceID>
    var registrations: [LocatorID: [Line]]
    var registered: [LocatorID: Set<Identity>]

    /// Nothing states the order of the registrations of a copy.
    mutating func sortRegistrations(of id: LocatorID) { registrations[id]?.sort { "\($0)" < "\($1)" } }
}

/// The documentation states no result, or the statement would trap: the program skips it.
struct NotApplicable: Error {}

struct Model {
    struct Entry: Hashable {
        var listing: Recipe.Listing
        var registration: RegistrationID
    }

    struct LocatorState {
        var name: String
        var parent: LocatorID?
        /// The names of the locators that it is a copy of. Nil for one that is no copy.
        var copiedNames: Set<String>?
        var isHeld = true
        var isClosed = false
        var isReleased = false
        var isObserved = false
        /// In order of registration.
        var entries: [Entry] = []
        var modules: Set<Int> = []
        /// Nil for one that was closed with an ancestor.
        var failuresOfClose: Int?
    }

    struct RegistrationState {
        var recipe: Recipe
        var locator: LocatorID
        /// The registration of the program, of which this one can be a copy.
        var origin: RegistrationID
        /// Whether its last entry was replaced and not removed.
        var isReplaced = false
    }

    struct InstanceState {
        var registration: RegistrationID?
        var type: ServiceType
        var hooks: [Recipe.Hook]
        /// The locator that created the instance: its properties resolve there.
        var creator: LocatorID?
        /// The services that the closure resolved.
        var dependencies: [InstanceID]
        /// The argument that replaces a service of its type in the properties.
        var substitute: InstanceID?
        var isDisposed = false
    }

    /// An argument as a value.
    enum ArgumentValue: Hashable {
        case none
        case number(Int)
        case text(String)
        case service(InstanceID)
    }

    /// An object that caches instances.
    enum Place: Hashable {
        case locator(LocatorID)
        /// The weak references of the registering locator.
        case weak(LocatorID)
        case scope(Int)
        /// The caches that a resolve has for the requests of one locator.
        case resolve(LocatorID)
    }

    struct CacheKey: Hashable {
        var place: Place
        var registration: RegistrationID
        /// Nil unless the lifetime distinguishes arguments.
        var argument: ArgumentValue?
    }

    enum HolderID: Hashable {
        case owner(VariableID)
        case instance(InstanceID)
    }

    struct PropertyID: Hashable {
        var holder: HolderID
        var property: Property
    }

    struct PropertyState {
        /// The instance that only this property caches, and the registration and the locator for which it does.
        var own: (instance: InstanceID, registration: RegistrationID, locator: LocatorID)?
        /// The first service of `Injected`.
        var kept: InstanceID?
        var isCleared = false
    }

    /// A creation in progress.
    struct Creation {
        var registration: RegistrationID?
        var creator: LocatorID
        var argument: ArgumentValue
        /// The caches that will have the instance.
        var caches: [CacheKey] = []
    }

    var locators: [LocatorID: LocatorState] = [:]
    var registrations: [RegistrationID: RegistrationState] = [:]
    /// How often closures are still going to throw.
    var failuresLeft: [RegistrationID: Int] = [:]
    var instances: [InstanceID: InstanceState] = [:]
    var created = 0
    var strong: [CacheKey: InstanceID] = [:]
    var weak: [CacheKey: InstanceID] = [:]
    var variables: [VariableID: [InstanceID]] = [:]
    /// The objects that the program created itself, with the override in which it did.
    var owners: [VariableID: LocatorID?] = [:]
    var properties: [PropertyID: PropertyState] = [:]
    /// The scope objects, by the variables that refer to them.
    var scopes: [ScopeID: Int] = [:]
    var createdScopes = 0
    /// The number of registrations in copies, which have negative numbers.
    var copiedRegistrations = 0

    /// The creations in progress, the outermost first.
    var creations: [Creation] = []
    /// The instances that running code refers to.
    var held: [InstanceID] = []
    var effects: [Effect] = []
    /// Whether the order of the effects is known.
    var isOrdered = true
    /// The async service that a synchronous closure lacks.
    var lacking: (entry: Entry, identity: Identity, argument: ArgumentValue, caller: LocatorID)?

    // MARK: Statements

    /// Executes a statement, or throws ``NotApplicable`` and changes nothing.
    mutating func perform(_ operation: Operation) throws(NotApplicable) -> Observation {
        var next = self
        next.effects = []
        next.isOrdered = true
        let result = try next.result(of: operation)
        next.held = []
        next.removeReleased()
        let observation = Observation(result: result, effects: next.effects)
        self = next
        return observation
    }

    /// Releases everything that the program refers to. Returns the instances that refer to each other.
    mutating func end() -> Set<InstanceID> {
        variables = [:]
        owners = [:]
        properties = properties.filter { if case .instance = $0.key.holder { true } else { false } }
        for id in locators.keys { locators[id]?.isHeld = false }
        releaseUnreferencedLocators()
        for id in scopes.keys { _ = try? perform(.closeScope(id)) }
        removeReleased()
        return Set(instances.keys)
    }

    private mutating func result(of operation: Operation) throws(NotApplicable) -> Result {
        switch operation {
        case .makeLocator(let id, let name, let parent):
            guard locators[id] == nil else { throw NotApplicable() }
            if let parent {
                try require(parent)
                if isClosed(parent) { throw NotApplicable() }
            }
            locators[id] = LocatorState(name: name, parent: parent)
        case .copyLocator(let id, let name, let original):
            guard locators[id] == nil else { throw NotApplicable() }
            try require(original)
            try copy(original, as: id, name)
        case .observe(let id):
            try require(id)
            guard locators[id]?.parent == nil, locators[id]?.isObserved == false else { throw NotApplicable() }
            locators[id]?.isObserved = true
        case .releaseLocator(let id):
            try require(id)
            locators[id]?.isHeld = false
            releaseUnreferencedLocators()
        case .close(let id):
            try require(id)
            return .disposal(failures: try close(id))
        case .start(let id):
            try require(id)
            return try start(id)
        case .reset(let id):
            try require(id)
            reset(id)
        case .register(let id, let recipe, let locator, let check):
            try require(locator)
            return try register(id, recipe, in: locator, check)
        case .removeHandle(let id):
            guard id > 0, let registration = registrations[id] else { throw NotApplicable() }
            remove(from: registration.locator) { $0.registration == id }
        case .unregister(let identity, let locator):
            try require(locator)
            remove(from: locator) { $0.listing.identity == identity }
        case .unregisterKey(let key, let locator):
            try require(locator)
            remove(from: locator) { $0.listing.identity.key == key }
        case .resetInstance(let identity, let argument, let locator):
            try require(locator)
            return try resetInstance(identity, value(of: argument), in: locator)
        case .resolve(let request, let locator, let variable):
            try require(locator)
            return try resolve(request, in: locator, into: variable)
        case .drop(let variable):
            guard variables[variable] != nil else { throw NotApplicable() }
            variables[variable] = nil
        case .makeOwner(let variable, let locator):
            if let locator { try require(locator) }
            guard owners[variable] == nil else { throw NotApplicable() }
            owners[variable] = .some(locator)
        case .read(let property, let holder, let locator):
            try require(locator)
            return try read(property, of: holder, in: locator)
        case .clearOptject(let holder):
            properties[PropertyID(holder: try self.holder(holder), property: .optject)] = PropertyState(isCleared: true)
        case .dropOwner(let variable):
            guard owners[variable] != nil else { throw NotApplicable() }
            owners[variable] = nil
            properties = properties.filter { $0.key.holder != .owner(variable) }
            releaseUnreferencedLocators()
        case .openScope(let id):
            guard scopes[id] == nil else { throw NotApplicable() }
            createdScopes += 1
            scopes[id] = createdScopes
        case .resetScope(let id):
            guard let scope = scopes[id] else { throw NotApplicable() }
            release { $0.place == .scope(scope) }
        case .closeScope(let id):
            guard let scope = scopes.removeValue(forKey: id) else { throw NotApplicable() }
            release { $0.place == .scope(scope) }
        case .apply(let modules, let locator):
            try require(locator)
            return try apply(modules, in: locator)
        }
        return .done
    }

    // MARK: Locators

    /// The program can use only a locator to which it has a reference.
    func require(_ id: LocatorID) throws(NotApplicable) {
        guard let locator = locators[id], locator.isHeld, !locator.isReleased else { throw NotApplicable() }
    }

    func isClosed(_ id: LocatorID) -> Bool { locators[id]?.isClosed ?? true }

    /// A locator and its ancestors, the nearest first.
    func chain(_ id: LocatorID) -> [LocatorID] {
        [id] + (locators[id]?.parent.map(chain) ?? [])
    }

    /// A child retains its parent, and an object retains the override in which it was created.
    private mutating func releaseUnreferencedLocators() {
        while let (id, _) = locators.first(where: { id, locator in
            !locator.isHeld && !locator.isReleased && !owners.values.contains(id)
                && !locators.values.contains { $0.parent == id && !$0.isReleased }
        }) {
            reset(id)
            locators[id]?.isReleased = true
        }
    }

    /// Removes all registrations of a locator, and the instances that it caches for registrations of its ancestors.
    private mutating func reset(_ id: LocatorID) {
        let removed = Set((locators[id]?.entries ?? []).map(\.registration))
        locators[id]?.entries = []
        locators[id]?.modules = []
        release { removed.contains($0.registration) || $0.place == .locator(id) }
    }

    private mutating func close(_ id: LocatorID) throws(NotApplicable) -> Int {
        if isClosed(id) {
            guard let failures = locators[id]?.failuresOfClose else { throw NotApplicable() }
            return failures
        }
        let closing = locators.keys.filter { !isClosed($0) && chain($0).contains(id) }
        let removed = closing.flatMap { locators[$0]?.entries ?? [] }.map(\.registration)
        for id in closing {
            locators[id]?.entries = []
            locators[id]?.isClosed = true
        }
        func isReleased(_ key: CacheKey) -> Bool {
            removed.contains(key.registration) || closing.contains { key.place == .locator($0) }
        }
        let failures = release(where: isReleased)
        // A descendant has those of its own instances and of those below it, whose locators are not known here.
        locators[id]?.failuresOfClose = failures
        return failures
    }

    // MARK: Copies

    private func hasName(_ id: LocatorID, _ name: String) -> Bool {
        locators[id]?.name == name || locators[id]?.copiedNames?.contains(name) == true
    }

    /// The nearest locator with a name, which can be the copy of one.
    func nearest(named name: String, from locator: LocatorID) -> LocatorID? {
        chain(locator).first { hasName($0, name) }
    }

    /// Copies the registrations that a locator sees. The copy has instances of its own, except for eager values.
    private mutating func copy(_ original: LocatorID, as id: LocatorID, _ name: String) throws(NotApplicable) {
        if isClosed(original) { throw NotApplicable() }
        let chain = chain(original)
        var copy = LocatorState(name: name, parent: nil, copiedNames: [], isObserved: true)
        for locator in chain.compactMap({ locators[$0] }) {
            copy.copiedNames?.formUnion(locator.copiedNames ?? [])
            copy.copiedNames?.insert(locator.name)
            copy.modules.formUnion(locator.modules)
        }
        var copies: [RegistrationID: RegistrationID] = [:]
        for locator in chain.reversed() {
            for entry in locators[locator]?.entries ?? [] where try isCopied(entry, from: original, in: chain) {
                let number = copies[entry.registration] ?? -(copiedRegistrations + 1)
                if copies.updateValue(number, forKey: entry.registration) == nil {
                    copiedRegistrations += 1
                    try copyRegistration(entry.registration, as: number, in: id, from: locator)
                }
                copy.entries.append(Entry(listing: entry.listing, registration: number))
            }
        }
        locators[id] = copy
    }

    private func isCopied(_ entry: Entry, from original: LocatorID, in chain: [LocatorID]) throws(NotApplicable) -> Bool
    {
        guard case .service(let identity) = entry.listing else {
            return contributions(entry.listing.identity, from: original).contains(entry)
        }
        let named = chain.map { locator in services(in: locator).filter { $0.listing.identity == identity } }
        let levels = named.filter { !$0.isEmpty }
        // Nothing states which registrations with arguments of several locators a copy has.
        if levels.count > 1, levels.joined().contains(where: { declared($0) != .none }) { throw NotApplicable() }
        return levels.first?.contains(entry) == true
    }

    private mutating func copyRegistration(
        _ registration: RegistrationID,
        as number: RegistrationID,
        in id: LocatorID,
        from owner: LocatorID
    ) throws(NotApplicable) {
        guard var state = registrations[registration] else { throw NotApplicable() }
        state.locator = id
        registrations[number] = state
        if state.recipe.source != .eager { return }
        // Nothing states which of two locators disposes of a value that both have.
        let given = strong[CacheKey(place: .locator(owner), registration: registration)]
        guard state.recipe.hooks.isEmpty, let given else { throw NotApplicable() }
        strong[CacheKey(place: .locator(id), registration: number)] = given
    }

    /// The registration of the program.
    func origin(_ id: RegistrationID) -> RegistrationID { registrations[id]?.origin ?? id }

    // MARK: Registration and removal

    private mutating func register(_ id: RegistrationID, _ recipe: Recipe, in locator: LocatorID, _ check: Check)
        throws(NotApplicable) -> Result
    {
        guard registrations[id] == nil else { throw NotApplicable() }
        // Without behaviors, hooks that throw are reported to standard error.
        let isObserved = chain(locator).contains { locators[$0]?.isObserved == true }
        if !isObserved, recipe.hooks.contains(where: { $0 != .plain }) { throw NotApplicable() }
        var given: InstanceID?
        if recipe.source == .eager { given = create(recipe.type, of: id, recipe: recipe, creator: nil) }
        // Of two equal listings of one registration, the second replaces the first.
        var listings: [Recipe.Listing] = []
        for listing in recipe.listings {
            if case .service = listing { listings.removeAll { $0 == listing } }
            listings.append(listing)
        }
        let entries = locators[locator]?.entries ?? []
        var replaced: [Entry] = []
        if isClosed(locator) {
            guard check != .none, let first = listings.first else { return .done }
            return .failure(Failure(code: "locatorClosed", identity: first.identity))
        }
        for listing in listings {
            guard case .service(let identity) = listing else { continue }
            let present = entries.filter { $0.listing == listing && declared($0) == recipe.declared }
            // A registration in a copy hides the copied ones, whichever arguments they declare, as one in a child does.
            let hidden = entries.filter {
                $0.listing == listing && $0.registration < 0 && declared($0) != recipe.declared
            }
            // Nothing states whether a copied registration with other arguments is protected.
            let isProtected = hidden.contains { registrations[$0.registration]?.recipe.isFinal == true }
            if !hidden.isEmpty, isProtected || check != .none { throw NotApplicable() }
            // With a key, the key must be free under any type and arguments.
            let taken =
                identity.key == nil ? present : services(in: locator).filter { $0.listing.identity.key == identity.key }
            if check == .forbidding, let last = taken.last {
                return .failure(Failure(code: "forbiddenReassignment", identity: last.listing.identity))
            }
            if present.contains(where: { registrations[$0.registration]?.recipe.isFinal == true }) {
                if check == .none || check == .registering { throw NotApplicable() }
                return .failure(Failure(code: "forbiddenReassignment", identity: identity))
            }
            replaced += present + hidden
        }
        extend(&listings, &replaced, of: recipe.type, over: entries)
        if check == .registering {
            // The other registration declares no arguments and has one identity, as this one.
            let isAlike =
                recipe.declared == .none && recipe.listings.count == 1 && listings.first?.identity.type == recipe.type
            guard isAlike, case .service = recipe.listings[0] else { throw NotApplicable() }
        }
        registrations[id] = RegistrationState(recipe: recipe, locator: locator, origin: id)
        failuresLeft[id] = recipe.failures
        if let given {
            let key = CacheKey(place: .locator(locator), registration: id)
            if recipe.source == .eager { strong[key] = given } else { weak[key] = given }
        }
        remove(from: locator, isReplaced: true) { replaced.contains($0) }
        locators[locator]?.entries += listings.map { Entry(listing: $0, registration: id) }
        return .done
    }

    /// In a copy, a registration replaces a copied one under all of its identities: under those that it is of, it is
    /// found.
    private func extend(
        _ listings: inout [Recipe.Listing],
        _ replaced: inout [Entry],
        of type: ServiceType,
        over entries: [Entry]
    ) {
        let copied = Set(replaced.map(\.registration).filter { $0 < 0 })
        for entry in entries where copied.contains(entry.registration) {
            replaced.append(entry)
            if listings.contains(entry.listing) || !entry.listing.identity.type.includes(type) { continue }
            listings.append(entry.listing)
            if case .contribution = entry.listing { continue }
            replaced += entries.filter { $0.listing == entry.listing && $0.registration < 0 }
        }
    }

    func declared(_ entry: Entry) -> DeclaredArgument {
        registrations[entry.registration]?.recipe.declared ?? .none
    }

    /// The entries of a locator that are no contributions to lists.
    func services(in locator: LocatorID) -> [Entry] {
        (locators[locator]?.entries ?? []).filter { if case .service = $0.listing { true } else { false } }
    }

    /// Removes entries. Without its last entry, a registration releases its instances.
    private mutating func remove(
        from locator: LocatorID,
        isReplaced: Bool = false,
        where matches: (Entry) -> Bool
    ) {
        let entries = locators[locator]?.entries ?? []
        let rest = entries.filter { !matches($0) }
        locators[locator]?.entries = rest
        let removed = Set(entries.filter(matches).map(\.registration)).subtracting(rest.map(\.registration))
        for id in entries.filter(matches).map(\.registration) { registrations[id]?.isReplaced = isReplaced }
        releaseInstances(of: removed)
    }

    /// Releases the instances of registrations without entries. If a registration was replaced, instances with hooks
    /// stay in the caches of descendants, whose code can use them.
    private mutating func releaseInstances(of removed: Set<RegistrationID>) {
        let used = strong.keys.filter { key in
            guard case .locator(let place) = key.place, let state = registrations[key.registration] else {
                return false
            }
            return state.isReplaced && !state.recipe.hooks.isEmpty && chain(place).dropFirst().contains(state.locator)
        }
        release { removed.contains($0.registration) && !used.contains($0) }
    }

    // MARK: Release and disposal

    /// Empties caches, and runs the hooks of the instances that no cache has any more, in reverse order of creation.
    /// Returns the number of hooks that threw.
    @discardableResult
    private mutating func release(where matches: (CacheKey) -> Bool) -> Int {
        let released = Set(strong.filter { matches($0.key) }.values)
        strong = strong.filter { !matches($0.key) }
        weak = weak.filter { !matches($0.key) }
        return dispose(released.subtracting(strong.values))
    }

    @discardableResult
    mutating func dispose(_ due: Set<InstanceID>) -> Int {
        var failures = 0
        for id in due.sorted(by: >) where !isDisposed(id) {
            guard let hooks = instances[id]?.hooks, !hooks.isEmpty else { continue }
            instances[id]?.isDisposed = true
            for hook in hooks {
                effects.append(.disposed(id))
                if hook == .failing { failures += 1 }
            }
        }
        return failures
    }

    private mutating func resetInstance(_ identity: Identity, _ argument: ArgumentValue, in locator: LocatorID)
        throws(NotApplicable) -> Result
    {
        if isClosed(locator) { throw NotApplicable() }
        var found: [Entry] = []
        do {
            found = (try? find(identity, argument, from: locator)).map { [$0] } ?? []
            // Without arguments, the instances of all arguments.
            if argument == .none { found += entriesWithArguments(identity, from: locator) }
            if found.isEmpty { found = contributions(identity, from: locator) }
            if found.isEmpty { throw Failure(code: "missing", identity: identity) }
            var caches: [CacheKey] = []
            for entry in found {
                guard let recipe = registrations[entry.registration]?.recipe else { continue }
                let isGiven = recipe.source == .eager || recipe.lifetime == nil && recipe.source != .prototype
                if isGiven { continue }
                caches += try plan(entry.registration, identity, argument, from: locator).caches.map(\.key)
            }
            release { key in
                caches.contains { cache in
                    var cached = cache
                    if argument == .none { cached.argument = key.argument }
                    return cached == key
                }
            }
            return .done
        } catch let failure as Failure {
            // Nothing states which of several registrations fails first, nor which of several identities the error
            // names.
            if found.count > 1 { throw NotApplicable() }
            return .failure(Failure(code: failure.code))
        } catch {
            throw NotApplicable()
        }
    }

    // MARK: Modules

    /// Applies modules. Their registrations stay if one throws, and they can be applied again.
    private mutating func apply(_ modules: [ModuleSpecification], in locator: LocatorID) throws(NotApplicable) -> Result
    {
        if isClosed(locator) { throw NotApplicable() }
        let before = locators[locator]?.modules ?? []
        var applied = before
        let new = modules.filter { applied.insert($0.id).inserted }
        locators[locator]?.modules = applied
        func run(_ phase: ModuleSpecification.Failure, of module: ModuleSpecification, _ operations: [Operation])
            throws(NotApplicable) -> Bool
        {
            for operation in operations { if case .failure = try result(of: operation) { return false } }
            return module.failure != phase
        }
        var succeeded = true
        for module in new where succeeded { succeeded = try run(.register, of: module, module.registering) }
        for module in new where succeeded { succeeded = try run(.didRegister, of: module, module.warmingUp) }
        if succeeded { return .done }
        locators[locator]?.modules = before
        return .failure(Failure(code: "module"))
    }

    // MARK: Start

    /// Creates the services that are async or marked, and that the locator caches.
    private mutating func start(_ locator: LocatorID) throws(NotApplicable) -> Result {
        if isClosed(locator) { throw NotApplicable() }
        var seen: Set<RegistrationID> = []
        var entries: [Entry] = []
        for owner in chain(locator) {
            for entry in locators[owner]?.entries ?? [] {
                guard let recipe = registrations[entry.registration]?.recipe, recipe.declared == .none else { continue }
                let isDue: Bool =
                    switch recipe.lifetime {
                    case nil: recipe.source == .prototype && recipe.isAtStart
                    case .lazy, .perLocator, .perLocatorNamed: recipe.isAtStart || recipe.isAsync
                    case .perArgument, .custom, .composite: recipe.isAtStart
                    case .volatile, .weak, .graph: false
                    }
                if !isDue || !isStarted(recipe.lifetime ?? .lazy, by: locator, registeredIn: owner) { continue }
                if isCreated(entry.registration, in: locator, withArguments: false) { continue }
                if owner != locator, !isVisible(entry, from: locator) { continue }
                if seen.insert(entry.registration).inserted { entries.append(entry) }
            }
        }
        let first = created
        do {
            for entry in entries {
                _ = try provide(entry, entry.listing.identity, .none, from: locator, isAsync: true)
            }
            if entries.count > 1 {
                isOrdered = false
                try requireOneOrder(after: first)
            }
            return .done
        } catch let failure as Failure {
            if entries.count > 1 { throw NotApplicable() }
            return .failure(failure)
        } catch {
            throw NotApplicable()
        }
    }

    /// The registering locator creates what its descendants share; the descendants create their own instances per
    /// locator.
    private func isStarted(_ lifetime: Lifetime, by locator: LocatorID, registeredIn owner: LocatorID) -> Bool {
        func isShared(_ part: Lifetime) -> Bool {
            switch part {
            case .volatile, .graph, .perLocator, .perLocatorNamed: false
            default: true
            }
        }
        if lifetime.parts.contains(where: isShared) { return locator == owner }
        return lifetime.parts.contains { part in
            switch part {
            case .perLocator: locator != owner
            case .perLocatorNamed(let name): hasName(locator, name)
            default: false
            }
        }
    }

    /// Several services are created concurrently. The model knows the result if each is created once and cached, and if
    /// the order cannot be observed later.
    private func requireOneOrder(after first: InstanceID) throws(NotApplicable) {
        let new = instances.filter { $0.key >= first }
        let kept = Set(strong.values)
        let isKnown = new.keys.allSatisfy(kept.contains) && new.count == effects.numbers.count
        if !isKnown || new.values.filter({ !$0.hooks.isEmpty }).count > 1 { throw NotApplicable() }
    }

    /// Gives the instances of an unordered statement the numbers that the library gave them. Returns false if these are
    /// others, or if an instance was created before its dependencies.
    mutating func renumber(_ expected: [Effect], as observed: [Effect]) -> Bool {
        let (old, new) = (expected.numbers, observed.numbers)
        guard Set(old.keys) == Set(new.keys), Set(old.values) == Set(new.values) else { return false }
        var numbers: [InstanceID: InstanceID] = [:]
        for (registration, number) in old { numbers[number] = new[registration] }
        func renumbered(_ id: InstanceID) -> InstanceID { numbers[id] ?? id }
        strong = strong.mapValues(renumbered)
        weak = weak.mapValues(renumbered)
        var renamed: [InstanceID: InstanceState] = [:]
        for (id, var instance) in instances {
            instance.dependencies = instance.dependencies.map(renumbered)
            renamed[renumbered(id)] = instance
        }
        instances = renamed
        return instances.allSatisfy { id, instance in instance.dependencies.allSatisfy { $0 < id } }
    }

    /// Whether no registration nearer to a locator hides one of an ancestor.
    func isVisible(_ entry: Entry, from locator: LocatorID) -> Bool {
        switch entry.listing {
        case .service(let identity): (try? find(identity, .none, from: locator)) == entry
        case .contribution(let identity): contributions(identity, from: locator).contains(entry)
        }
    }

    // MARK: Observation

    /// The instances that something retains. Instances that retain each other stay alive.
    func alive() -> Set<InstanceID> {
        var retains: [InstanceID: Int] = [:]
        var retained: [InstanceID: [InstanceID]] = [:]
        for id in held { retains[id, default: 0] += 1 }
        for id in variables.values.joined() { retains[id, default: 0] += 1 }
        for id in strong.values { retains[id, default: 0] += 1 }
        for (id, instance) in instances {
            retained[id] = instance.dependencies + (instance.substitute.map { [$0] } ?? [])
        }
        for (id, state) in properties {
            let services = [state.own?.instance, state.kept].compactMap(\.self)
            switch id.holder {
            case .owner: for id in services { retains[id, default: 0] += 1 }
            case .instance(let holder): retained[holder, default: []] += services
            }
        }
        for id in retained.values.joined() { retains[id, default: 0] += 1 }
        var alive = Set(instances.keys)
        var released = alive.filter { retains[$0] == nil }
        while let id = released.popFirst() {
            alive.remove(id)
            for service in retained[id] ?? [] {
                retains[service, default: 0] -= 1
                if retains[service] == 0 { released.insert(service) }
            }
        }
        return alive
    }

    private mutating func removeReleased() {
        let reached = alive()
        instances = instances.filter { reached.contains($0.key) }
        weak = weak.filter { reached.contains($0.value) }
        properties = properties.filter { id, _ in
            if case .instance(let holder) = id.holder { reached.contains(holder) } else { true }
        }
    }

    /// Whether a locator has an instance of a registration, or the prototype of a factory.
    private func isCreated(_ registration: RegistrationID, in locator: LocatorID, withArguments: Bool = true) -> Bool {
        func matches(_ key: CacheKey) -> Bool {
            (key.place == .locator(locator) || key.place == .weak(locator)) && key.registration == registration
                && (withArguments || key.argument == nil || key.argument == ArgumentValue.none)
        }
        return strong.keys.contains(where: matches)
            || weak.contains { matches($0.key) && !isDisposed($0.value) }
    }

    /// Whether a scope has an instance of a registration of a locator.
    private func isCreatedInScope(_ registration: RegistrationID, of locator: LocatorID) -> Bool {
        guard registrations[registration]?.locator == locator else { return false }
        return strong.keys.contains { key in
            if case .scope = key.place { key.registration == registration } else { false }
        }
    }

    func isDisposed(_ id: InstanceID) -> Bool { instances[id]?.isDisposed ?? true }

    func snapshot() -> Snapshot {
        var snapshot = Snapshot(alive: Set(instances.keys), registrations: [:], registered: [:])
        for (id, locator) in locators where locator.isHeld && !locator.isReleased {
            snapshot.registrations[id] = locator.entries.map { entry in
                let isCreated =
                    isCreated(entry.registration, in: id) || isCreatedInScope(entry.registration, of: id)
                return Snapshot.Line(identity: entry.listing.identity, isCreated: isCreated)
            }
            if locator.copiedNames != nil { snapshot.sortRegistrations(of: id) }
            snapshot.registered[id] = Set(chain(id).flatMap(services(in:)).map(\.listing.identity))
        }
        return snapshot
    }
}
