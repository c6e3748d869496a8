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

    /// The cells of an instance that the property alone has.
    struct OwnInstance {
        let cells: CellList
        /// The registration of the instance.
        let record: AnyRecord
        /// The locator of the request for it.
        let core: LocatorCore
    }

    @usableFromInline struct State {
        /// The instance that each read returns, once there is one.
        @usableFromInline var kept: AnyInstance?
        /// The instance that the property alone has.
        var own: OwnInstance?
        /// Whether it was set to nil.
        @usableFromInline var isCleared = false
        /// The arguments of a `Lazy`, until it is resolved.
        var arguments: Arguments?
        /// The number of first reads in progress.
        var firstReaders = 0

        /// Whether a read needs no service.
        var isSet: Bool { kept != nil || isCleared }

        /// Sets it to an argument of the creation, which can be nil.
        mutating func set(to argument: AnyInstance?) {
            kept = argument
            isCleared = argument == nil
        }
    }

    /// The core of the locator that created the property's owner, or that was bound in the task when the owner was
    /// created. Nil if each read looks in the current locator. A core, so that locator and owner may refer to each
    /// other in a circle.
    let bound: LocatorCore?
    @usableFromInline let borrowed: Borrowed<LocatorCore>?
    /// The locator that was bound in the task when the owner was created. The property keeps it alive, since the owner
    /// may be its last user.
    private let retained: Locator?
    private let key: Locator.Key?
    private let origin: Request.Origin
    let kind: Kind
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
        origin = Request.Origin(requester, location, .property)
        self.kind = kind
        guard let creator = Frame.creatingContext else {
            let locator = LocatorCore.boundLocator
            // A locator that is being built will probably retain the owner of the property.
            retained = locator?.core.isBeingBuilt == true ? nil : locator
            bound = locator?.core
            borrowed = locator.map { Borrowed($0.core) }
            state = Mutex(State())
            if self.key != nil { state.flags = 1 }
            return
        }
        bound = creator.core
        borrowed = Borrowed(creator.core)
        retained = nil
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
        retained = nil
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
        retained = nil
        key = nil
        origin = Request.Origin("Lazy", SourceLocation(#fileID, #line))
        kind = .lazy
        var state = State()
        state.kept = service
        self.state = Mutex(state)
    }

    /// The core of the locator to look in.
    @usableFromInline var core: LocatorCore { bound ?? LocatorCore.boundCore ?? .processCore }

    // MARK: Reading

    /// Returns the service. Nil only if none is registered and `isOptional`.
    @inlinable @inline(__always)
    func read<Service>(_ type: Service.Type, isOptional: Bool = false) throws(InjectleError) -> Service? {
        if let service = existing(type) { return service }
        return try readSlowly(type, isOptional: isOptional)
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
            return (LocatorCore.boundLocator ?? LocatorCore.processLocator).readableEntry(of: type)
        }
        return borrowed.read { $0.readableEntry(of: type) }
    }

    /// The service where the entry has no instance that a read may return at once.
    @usableFromInline func readSlowly<Service>(_ type: Service.Type, isOptional: Bool) throws(InjectleError) -> Service?
    {
        let (isCleared, kept) = state.withLock { ($0.isCleared, $0.kept) }
        if isCleared { return nil }
        if let kept { return kept.service(as: type) }
        let instance = try provideAlsoAfterEnd(request(type, isOptional: isOptional))
        guard instance?.isNil ?? true else { return instance?.service(as: type) }
        // The instance of a registration that was removed is released.
        releaseOwn()
        // Of an optional of an optional, the outer one is nil.
        return isOptional ? nil : instance?.service(as: type)
    }

    func request(_ type: Any.Type, _ arguments: Arguments? = nil, isOptional: Bool) -> Request {
        let isBound = bound == nil ? LocatorCore.boundLocator != nil : retained != nil
        let identity = Locator.Identity(type, key)
        return Request(identity, arguments, origin, isOptional: isOptional, isBound: isBound)
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
            if !state.isCleared { state.own = OwnInstance(cells: cells, record: record, core: core) }
            self.state.flags = 1
            return (cells, former)
        }
        withExtendedLifetime(former) {}
        return cells
    }

    /// Releases the property's own instance, since something else has the instances of the current registration.
    func releaseOwn() {
        switch kind {
        case .following: break
        // The end of the first read releases it.
        case .keepingFirst, .keepingFirstOrNil, .lazy: return
        }
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
            return (state.kept.take(), state.own.take())
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
        for observer in [core, LocatorCore.boundCore ?? core].flatMap(\.propertyObservers) {
            guard let text = observer.readDidFail(error, at: location.forTests) else { continue }
            fatalError(text, file: location.file, line: location.line)
        }
        fatalError(error.description, file: location.file, line: location.line)
    }
}
