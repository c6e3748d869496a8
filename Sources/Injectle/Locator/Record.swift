internal import CInjectle

/// A registration: in a `Registration` value until it is registered, then in one locator.
///
/// Its only subclass is `Record`, which has the closures. Everything here does not depend on the type of the service,
/// so that the engine is not generic.
///
/// Invariant: `traits` and the closures change only while one value has the record. `core` is set once, before others
/// see the record; so is `order`, before an entry has it. The lock of that core guards `entries`, `cells`,
/// `isOverridable`, `isReplaced` and `isLeftToEnding`; `isEnded` is an atomic word.
@usableFromInline class AnyRecord: @unchecked Sendable {
    // Sound to share: see the invariant. The closures run on the actor of `traits.isolation`; their authors protect the
    // captured state.

    @safe @exclusivity(unchecked) @usableFromInline final var traits: RegistrationTraits
    /// The locator that registers it. It breaks the cycle of references by ending the record.
    @safe @exclusivity(unchecked) private(set) final var core: LocatorCore!
    /// The entries that lead to it.
    @safe @exclusivity(unchecked) private(set) final var entries = Few<Entry>()
    /// The cells of the instances that its locator creates.
    @safe @exclusivity(unchecked) final var cells = CellSet()
    /// The position in the locator's order of registration.
    @safe @exclusivity(unchecked) final var order = 0
    /// Whether a later registration of one of its identities is an override, which replaces it under all of them, with
    /// any declared arguments: as in a copy of a locator, or in a test with several traits.
    @safe @exclusivity(unchecked) final var isOverridable = false
    /// Whether its last entry was replaced and not removed.
    @safe @exclusivity(unchecked) final var isReplaced = false
    /// Whether the ending of its last instance empties its entries.
    @safe @exclusivity(unchecked) final var isLeftToEnding = false
    @safe @exclusivity(unchecked) private final var endedWord: UInt = 0
    /// The scopes that have cells of it.
    final private(set) var scopes: Mutex<[ObjectIdentifier: CellList]>?

    /// The value of an eager registration.
    final let suppliedInstance: AnyInstance?

    @usableFromInline init(_ traits: consuming RegistrationTraits, supplied: AnyInstance?) {
        self.traits = traits
        suppliedInstance = supplied
    }

    /// The value of an eager registration without hooks, which requests get as it is.
    final var readyInstance: AnyInstance? { traits.hasHooks ? nil : suppliedInstance }

    /// The record of a registration as no other value has it: for a locator.
    static func claimed(_ record: inout AnyRecord) -> AnyRecord {
        if !isKnownUniquelyReferenced(&record) { record = record.copied() }
        return record
    }

    /// Whether it has left its locator, or is about to: then nothing is created for it.
    final var isEnded: Bool { unsafe injectle_load(&endedWord) != 0 }

    /// Returns false if it has ended before. The lock of the core is held.
    final func markEnded() -> Bool {
        if isEnded { return false }
        unsafe injectle_store(&endedWord, 1)
        return true
    }

    /// Prepares it for its locator.
    ///
    /// - Parameters:
    ///   - isListed: Whether a call of `register` names the type of the service.
    ///   - key: The key that it names.
    final func prepare(for core: LocatorCore, isListed: Bool = false, _ key: Locator.Key? = nil) {
        if isListed || key != nil { traits.list(Locator.Identity(unwrapped(traits.serviceType), key)) }
        self.core = core
        traits.prepare()
        if traits.lifetime.usesScopes { scopes = Mutex([:]) }
    }

    /// Adds an entry that leads to it. The lock of the core is held.
    final func add(_ entry: Entry) { entries.append(entry) }

    /// Removes an entry that no longer leads to it, once: one that has the registration as a service and as a
    /// contribution is here twice. The lock of the core is held.
    final func remove(_ entry: Entry) { entries.removeFirst { $0 === entry } }

    /// Removes all entries. Returns them, to be released without a lock.
    final func removeEntries() -> Few<Entry> { exchange(&entries, with: Few()) }

    /// Removes all cells of its locator. Returns them, to be released without a lock.
    final func removeCells() -> CellSet { exchange(&cells, with: CellSet()) }

    /// Whether requests find it only by a decorator. The lock of the core is held.
    final var isWrapped: Bool { entries.first?.isWrapped ?? false }

    /// The arguments that the resolver has: those that a closure declares are its own.
    final func resolver(in core: LocatorCore, _ arguments: Arguments?) -> Locator.Resolver {
        Locator.Resolver(core: core, arguments: traits.declared == nil ? arguments : nil)
    }

    // MARK: What depends on the type of the service

    /// A copy for another value or locator.
    func copied() -> AnyRecord { abstract() }
    /// A cell with that instance, for a registration with disposers, which the cell owns.
    func makeCellOfValue() -> Cell? { nil }
    /// The service that it wraps, if it is a decorator.
    var decorated: DecoratedService? { nil }
    /// Returns the same decorator of another registration.
    func decorating(_ decorated: DecoratedService) -> AnyRecord { abstract() }
    /// Whether each request gets a copy of one prototype.
    var copiesPrototype: Bool { false }
    /// Runs the closure and the hooks, in the frame of the creation.
    func create(in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance { abstract() }
    /// Copies the prototype, and runs the hooks.
    func copy(_ prototype: AnyInstance, in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        abstract()
    }
    /// Awaits the closure, and runs the hooks on its actor.
    func createAsync(in core: LocatorCore, _ arguments: Arguments?) async throws -> AnyInstance { abstract() }
    /// The object of a weak reference as an instance.
    func revived(_ object: AnyObject, order: UInt, _ disposal: Disposal?) -> AnyInstance? { abstract() }
    /// The disposers of an instance: on their actors, or async.
    func disposers(of instance: AnyInstance) -> [Disposer] { abstract() }

    private func abstract() -> Never { preconditionFailure("A record is a Record<Service>.") }
}

/// The closures of a registration.
@usableFromInline final class Record<Service>: AnyRecord, @unchecked Sendable {
    // Sound to share: as its superclass.

    @usableFromInline typealias Closure = (Locator.Resolver, Arguments?) throws -> Service
    @usableFromInline typealias AsyncClosure =
        @concurrent (Locator.Resolver, Arguments?) async throws -> UncheckedBox<Service>
    typealias Hook = (Locator.Resolver, inout Service) throws -> Void

    /// The type of its instances. In code that does not know the type of the service, each use of `Instance<Service>`
    /// would fetch its metadata.
    let instances: Instance<Service>.Type

    // One of these three creates the service, unless the registration has its value.
    let closure: Closure?
    let asyncClosure: AsyncClosure?
    let decorator: Decorator?
    /// Copies the prototype that the factory creates.
    let copyPrototype: ((Service) throws -> Service)?
    // Nil in place of an empty array, which would fetch the metadata of a function type for each registration.
    var hooks: [Hook]?
    /// Return the disposers of an instance.
    var disposers: [(Service) -> Disposer]?

    @usableFromInline required init(
        _ traits: consuming RegistrationTraits,
        of instances: Instance<Service>.Type = Instance<Service>.self,
        supplied: AnyInstance? = nil,
        closure: Closure? = nil,
        asyncClosure: AsyncClosure? = nil,
        copy: ((Service) throws -> Service)? = nil,
        decorator: Decorator? = nil
    ) {
        self.instances = instances
        self.closure = closure
        self.asyncClosure = asyncClosure
        copyPrototype = copy
        self.decorator = decorator
        super.init(traits, supplied: supplied)
    }

    /// Returns a copy with a change.
    func changed(_ change: (Record) -> Void) -> Record {
        let record = Record(
            traits,
            of: instances,
            supplied: suppliedInstance,
            closure: closure,
            asyncClosure: asyncClosure,
            copy: copyPrototype,
            decorator: decorator
        )
        record.hooks = hooks
        record.disposers = disposers
        change(record)
        return record
    }

    override func copied() -> AnyRecord { changed { _ in } }

    override func makeCellOfValue() -> Cell? {
        guard let readyInstance else { return nil }
        while true {
            let disposal = Disposal.shared(by: readyInstance)
            let service = readyInstance.service(as: Service.self)
            let instance = instances.init(service, order: readyInstance.order, disposal: disposal)
            let cell = Cell(for: self, CellSet.Key(), CellState(instance))
            // If not, another thread disposes of the value at this moment, and there is another disposal soon.
            if disposal.retain(by: cell) { return cell }
        }
    }

    override var decorated: DecoratedService? { decorator?.decorated }

    override func decorating(_ decorated: DecoratedService) -> AnyRecord {
        let record = Record(traits, decorator: decorator.map { Decorator(decorated: decorated, body: $0.body) })
        if let other = decorated.record { record.traits.lifetime = other.traits.lifetime.ofDecorator }
        return record
    }

    override var copiesPrototype: Bool { copyPrototype != nil }

    // MARK: Creating

    /// A created service, whose properties have found what they resolve when they are created.
    func instance(_ service: Service, in core: LocatorCore) throws(InjectleError) -> AnyInstance {
        try Frame.checkProperties()
        guard traits.hasDisposers else { return instances.init(service, order: AnyInstance.nextOrder) }
        let disposal = suppliedInstance.map { Disposal.shared(by: $0) } ?? Disposal(self, in: core)
        return instances.init(service, order: AnyInstance.nextOrder, disposal: disposal)
    }

    override func create(in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        if decorator != nil { return try createDecorator(in: core, arguments) }
        if let closure { return try call(closure, in: core, arguments) }
        return try finishSupplied(in: core, arguments)
    }

    private func createDecorator(in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        let decorated = try instance(of: required(decorator).decorated, in: core, arguments)
        return try decorate(decorated, in: core, arguments)
    }

    private func finishSupplied(in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        let service = required(suppliedInstance).service(as: Service.self)
        return try completed(service, resolver(in: core, arguments))
    }

    private func call(_ closure: Closure, in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        let resolver = resolver(in: core, arguments)
        return try completed(try closure(resolver, arguments), resolver)
    }

    /// A prototype gets no hooks, but its copies do.
    private func completed(_ service: Service, _ resolver: Locator.Resolver) throws -> AnyInstance {
        try copiesPrototype ? instance(service, in: resolver.core) : finished(service, resolver)
    }

    override func copy(_ prototype: AnyInstance, in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        let service = prototype.service(as: Service.self)
        return try finished(copyPrototype?(service) ?? service, resolver(in: core, arguments))
    }

    override func createAsync(in core: LocatorCore, _ arguments: Arguments?) async throws -> AnyInstance {
        if let decorator {
            let instance = try await instanceAsync(of: decorator.decorated, in: core, arguments)
            return try await traits.isolation.run { [self] in try decorate(instance, in: core, arguments) }
        }
        guard let asyncClosure else {
            return try await traits.isolation.run { [self] in try create(in: core, arguments) }
        }
        let resolver = resolver(in: core, arguments)
        let service = try await asyncClosure(resolver, arguments)
        return traits.hasHooks ? try await finishedAsync(service, resolver) : try instance(service.value, in: core)
    }

    override func revived(_ object: AnyObject, order: UInt, _ disposal: Disposal?) -> AnyInstance? {
        guard let service = object as? Service else { return nil }
        return instances.init(service, order: order, disposal: disposal)
    }

    // MARK: Disposing

    override func disposers(of instance: AnyInstance) -> [Disposer] {
        let service = instance.service(as: Service.self)
        return (disposers ?? []).map { $0(service) }
    }
}

extension AnyRecord {
    /// The record with its closures, if they return this type.
    @inlinable @inline(__always)
    final func typed<Service>(_ type: Service.Type) -> Record<Service>? {
        // Sound: the class is `Record<Service>` if and only if the type of the service is `Service`.
        traits.serviceType == type ? unsafe unsafeDowncast(self, to: Record<Service>.self) : nil
    }
}
