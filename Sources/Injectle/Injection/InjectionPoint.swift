/// The object behind a wrapper: where it resolves its service, and the instances that it keeps.
///
/// A property looks its service up at each read. It keeps an instance only where the lifetime creates one for each
/// property, where an argument has set it, or where it keeps its first service.
@usableFromInline final class InjectionPoint: Sendable {
    /// What an injection point belongs to.
    @usableFromInline enum Kind: Sendable {
        /// A property that looks its service up at each read.
        case following
        /// A property that keeps the service that it resolves first.
        case keepingFirst
        /// A property that also keeps the nil that it resolves first.
        case keepingFirstOrNil
        /// A ``Locator/Lazy``, which throws where its locator has ended.
        case lazy
    }

    @usableFromInline struct State {
        /// The instance that it always returns.
        @usableFromInline var settled: AnyInstance?
        /// The cell of an instance that the property alone has, with the registration and the locator of the request
        /// for it.
        var own: (cells: CellList, record: AnyRecord, core: LocatorCore)?
        /// Whether it was set to nil.
        @usableFromInline var isCleared = false
        /// The arguments of a `Lazy`, until it is resolved.
        var arguments: Arguments?
        /// The number of first reads in progress.
        var firstReaders = 0

        /// Whether a read needs no service.
        var isSet: Bool { settled != nil || isCleared }

        /// Sets it to an argument of the creation, which can be nil.
        mutating func set(to argument: AnyInstance?) {
            settled = argument
            isCleared = argument == nil
        }
    }

    /// The core of the locator that created the property's owner, so that locator and owner may refer to each other in
    /// a circle; or of the override in which it was created. Nil if each read looks in the current locator.
    let bound: LocatorCore?
    @usableFromInline let borrowed: Borrowed<LocatorCore>?
    /// The override in which it was created, to which nothing else may refer when the property is read.
    private let override: Locator?
    private let key: Locator.Key?
    private let origin: Request.Origin
    private let kind: Kind
    /// Its flags are 0 if a read may return what the locator has for the type: without a key, an own instance or a nil.
    @usableFromInline let state: Mutex<State>

    /// Creates the injection point of a property.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - optional: The type of the property, if that is an `Optional` of the type.
    ///   - kind: Which results the property keeps.
    @usableFromInline init(
        _ type: Any.Type,
        optional: Any.Type? = nil,
        _ key: AnyHashable?,
        _ requester: StaticString,
        kind: Kind = .following,
        _ location: SourceLocation
    ) {
        self.key = .make(key)
        origin = Request.Origin(requester, location)
        self.kind = kind
        guard let creator = Frame.creatingContext else {
            let current = LocatorCore.overriding
            // A locator that is being built will probably retain the owner of the property.
            override = current?.core.isBeingBuilt == true ? nil : current
            bound = current?.core
            borrowed = current.map { Borrowed($0.core) }
            state = Mutex(State())
            if self.key != nil { state.flags = 1 }
            return
        }
        bound = creator.core
        borrowed = Borrowed(creator.core)
        override = nil
        var state = State()
        if self.key == nil,
            let given = creator.arguments.flatMap({ creator.core.argument(for: optional ?? type, in: $0) })
        {
            state.set(to: optional == nil ? given : given.isNil ? nil : given.cast(to: type))
        }
        self.state = Mutex(state)
        if state.isSet || self.key != nil { self.state.flags = 1 }
        if !state.isSet, creator.core.observes(.didResolve) {
            let identity = Locator.Identity(optional ?? type, self.key)
            creator.core.reportProperty(of: identity, at: location)
        }
    }

    /// Creates the injection point of a ``Locator/Lazy``.
    init(asLazy request: Request, in core: LocatorCore) {
        bound = core
        borrowed = Borrowed(core)
        override = nil
        key = request.identity.keyed
        origin = Request.Origin("Lazy", request.origin.location)
        kind = .lazy
        var state = State()
        state.arguments = request.arguments
        self.state = Mutex(state)
    }

    /// Creates the injection point of a ``Locator/Lazy`` that has its service.
    init(asLazy service: AnyInstance, in core: LocatorCore) {
        bound = core
        borrowed = Borrowed(core)
        override = nil
        key = nil
        origin = Request.Origin("Lazy", SourceLocation(#fileID, #line))
        kind = .lazy
        var state = State()
        state.settled = service
        self.state = Mutex(state)
    }

    /// The core of the locator to look in.
    @usableFromInline var core: LocatorCore { bound ?? LocatorCore.override ?? .current }

    // MARK: Reading

    /// Returns the service. Nil only if none is registered and `isOptional`.
    @inlinable @inline(__always)
    func read<Service>(_ type: Service.Type, isOptional: Bool = false) throws(InjectleError) -> Service? {
        if let service = existing(type) { return service }
        return try readElse(type, isOptional: isOptional)
    }

    @inlinable @inline(__always)
    func existing<Service>(_ type: Service.Type) -> Service? {
        defer { withExtendedLifetime(self) {} }
        return readableEntry(of: type)?.read { $0.existing(type) }
    }

    /// The entry of the type in the locator, if a read may return its instance at once. Not retained: the property
    /// retains the locator, or the binding of the task does.
    @usableFromInline @inline(never)
    func readableEntry(of type: Any.Type) -> Borrowed<Entry>? {
        if state.flags != 0 { return nil }
        guard let borrowed else {
            return (LocatorCore.overriding ?? LocatorCore.currentHandle).readableEntry(of: type)
        }
        return borrowed.read { $0.readableEntry(of: type) }
    }

    @usableFromInline func readElse<Service>(_ type: Service.Type, isOptional: Bool) throws(InjectleError) -> Service? {
        let (isCleared, settled) = state.withLock { ($0.isCleared, $0.settled) }
        if isCleared { return nil }
        if let settled { return settled.service(as: type) }
        let instance = try provideAlsoAfterEnd(request(type, isOptional: isOptional))
        guard instance?.isNil ?? true else { return instance?.service(as: type) }
        // The instance of a registration that was removed is released.
        releaseOwn()
        // Of an optional of an optional, the outer one is nil.
        return isOptional ? nil : instance?.service(as: type)
    }

    private func request(_ type: Any.Type, _ arguments: Arguments? = nil, isOptional: Bool) -> Request {
        let isOverride = bound == nil ? LocatorCore.overriding != nil : override != nil
        let identity = Locator.Identity(type, key)
        return Request(identity, arguments, origin, isOptional: isOptional, isOverride: isOverride)
    }

    /// Returns the service that the property keeps, which the first call resolves. Nil only if none is registered and
    /// `isOptional`.
    @usableFromInline
    func readFirst<Service>(_ type: Service.Type, isOptional: Bool = false) throws(InjectleError) -> Service? {
        let (settled, arguments) = beginFirstRead()
        if let settled { return settled.service(as: type) }
        defer { endFirstRead() }
        let request = request(type, arguments, isOptional: isOptional)
        let instance = try kind == .lazy ? core.provide(request, for: self) : provideAlsoAfterEnd(request)
        return instance.map { keep($0).service(as: type) }
    }

    /// Returns the service that the property keeps, which the first call resolves, also if the closure is async.
    func readFirst<Service>(_ type: Service.Type, _ isolation: isolated (any Actor)?)
        async throws(InjectleError) -> Service
    {
        let (settled, arguments) = beginFirstRead()
        if let settled { return settled.service(as: type) }
        defer { endFirstRead() }
        let request = request(type, arguments, isOptional: false)
        return keep(required(try await core.provideInTask(request, isolation: isolation))).service(as: type)
    }

    /// Keeps the instance that was resolved first; only `.keepingFirstOrNil` keeps nil. Returns the kept instance,
    /// since another caller may be first.
    private func keep(_ instance: AnyInstance) -> AnyInstance {
        if kind != .keepingFirstOrNil, instance.isNil { return instance }
        let (kept, former) = state.withLock { state in
            if let settled = state.settled { return (settled, Arguments?.none) }
            state.settled = instance
            return (instance, state.arguments.take())
        }
        withExtendedLifetime(former) {}
        return kept
    }

    /// Returns the instance that was resolved first, or nil and the arguments to resolve it with; then the caller ends
    /// the read.
    private func beginFirstRead() -> (AnyInstance?, Arguments?) {
        state.withLock { state in
            if state.settled == nil { state.firstReaders += 1 }
            return (state.settled, state.arguments)
        }
    }

    private func endFirstRead() {
        let former = state.withLock { state in
            state.firstReaders -= 1
            // Until then, the other first readers need the cell.
            return state.firstReaders == 0 && state.settled != nil ? state.own.take() : nil
        }
        withExtendedLifetime(former) {}
    }

    // MARK: Kept instances

    /// The holder of the property's own instance of a registration, for requests to `core`.
    func cells(for record: AnyRecord, requestedIn core: LocatorCore) -> CellList {
        let (cells, former) = state.withLock { state in
            // After the end of its locator, a property has the instance that it had before.
            if let own = state.own, own.record === record, own.core === core || bound != nil {
                return (own.cells, state.own)
            }
            let former = state.own
            let cells = CellList()
            if !state.isCleared { state.own = (cells, record, core) }
            self.state.flags = 1
            return (cells, former)
        }
        withExtendedLifetime(former) {}
        return cells
    }

    /// Releases the property's own instance, since something else has the instances of the current registration.
    func releaseOwn() {
        if kind != .following { return }
        let former = state.withLock { state in
            if !state.isSet, key == nil { self.state.flags = 0 }
            return state.own.take()
        }
        withExtendedLifetime(former) {}
    }

    /// Makes the property nil permanently.
    @usableFromInline func clear() {
        let former = state.withLock { state in
            state.isCleared = true
            self.state.flags = 1
            return (state.settled.take(), state.own.take())
        }
        withExtendedLifetime(former) {}
    }

    // MARK: Failing

    /// Calls `body`, whose error the caller gets, and notifies the observers of the error.
    @inlinable @inline(__always)
    func throwing<Value>(_ body: () throws(InjectleError) -> Value) throws(InjectleError) -> Value {
        do throws(InjectleError) {
            return try body()
        } catch {
            willThrow(error)
            throw error
        }
    }

    @usableFromInline func willThrow(_ error: InjectleError) { core.willThrow(error, at: origin.location) }

    /// Traps with the text of an error, to which a test adds its name.
    @usableFromInline func fail(_ error: InjectleError) -> Never {
        let location = origin.location
        for observer in [core, LocatorCore.override ?? core].flatMap(\.propertyObservers) {
            guard let text = observer.readDidFail(error, at: location.forTests) else { continue }
            fatalError(text, file: location.file, line: location.line)
        }
        fatalError(error.description, file: location.file, line: location.line)
    }
}

extension LocatorCore {
    /// The argument of a creation in this locator that replaces a service of a type.
    func argument(for type: Any.Type, in arguments: Arguments) -> AnyInstance? {
        if unwrapped(type) == Locator.Resolver.self {
            arguments.takeAll()
            return Instance(Locator.Resolver(core: self, arguments: arguments)).cast(to: type)
        }
        if let instance = arguments.instance(for: type) { return instance }
        guard let later = ComposedTypes.composition(of: type), let service = later.resolvedLater else { return nil }
        return arguments.instance(for: service).map { later.resolved(to: $0, in: self) }
    }
}
