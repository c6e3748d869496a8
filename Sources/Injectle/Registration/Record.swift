internal import CInjectle

/// A registration: in a `Registration` value until it is registered, then in one locator.
///
/// Its only subclass is `Record`, which has the closures. Everything here does not depend on the type of the service, so that
/// the engine is not generic.
///
/// Invariant: `traits` and the closures change only while one value has the record. `core` is set once, before others see the
/// record. The lock of that core guards `entries`, `liveEntries`, `order` and `isReplaced`; `isEnded` is an atomic word.
@usableFromInline class AnyRecord: @unchecked Sendable {
    // Sound to share: see the invariant. The closures run on the actor of `traits.isolation`; their authors protect the
    // captured state.

    @safe @exclusivity(unchecked) @usableFromInline final var traits: RegistrationTraits
    /// The locator that registers it. It breaks the cycle of references by ending the record.
    @safe @exclusivity(unchecked) private(set) final var core: LocatorCore!
    /// The places of its identities.
    @safe @exclusivity(unchecked) final var entries: [Entry] = []
    /// The number of these that still lead to it.
    @safe @exclusivity(unchecked) final var liveEntries = 0
    /// The position of its first entry in the locator's order of registration.
    @safe @exclusivity(unchecked) final var order = 0
    /// Whether its last entry was replaced and not removed.
    @safe @exclusivity(unchecked) final var isReplaced = false
    @safe @exclusivity(unchecked) private final var endedWord: UInt = 0
    /// The stores of scopes that have cells of it. The stores of locators are found without a list, since each request
    /// would write to it.
    final private(set) var scopes: Mutex<[ObjectIdentifier: CellStore]>?

    fileprivate init(_ traits: RegistrationTraits) {
        self.traits = traits
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
    /// - Parameter identity: The identity that a call of `register` names.
    final func prepare(for core: LocatorCore, as identity: Locator.Identity? = nil) {
        if let identity { traits.list(identity) }
        self.core = core
        traits.prepare()
        if traits.lifetime.usesScopes { scopes = Mutex([:]) }
    }

    // MARK: What depends on the type of the service

    /// A copy for another value or locator.
    func copied() -> AnyRecord { abstract() }
    /// The instance of an eager registration without hooks.
    var given: AnyInstance? { nil }
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

    // One of these three creates the service.
    private let givenInstance: Instance<Service>?
    @usableFromInline let closure: Closure?
    private let asyncClosure: AsyncClosure?
    /// Copies the prototype that the factory creates.
    private let copyPrototype: ((Service) throws -> Service)?
    // Nil in place of an empty array, which would fetch the metadata of a function type for each registration.
    private var hooks: [Hook]?
    /// Return the disposers of an instance.
    private var disposers: [(Service) -> Disposer]?

    init(
        _ traits: RegistrationTraits,
        given: Instance<Service>? = nil,
        closure: Closure? = nil,
        asyncClosure: AsyncClosure? = nil,
        copy: ((Service) throws -> Service)? = nil
    ) {
        givenInstance = given
        self.closure = closure
        self.asyncClosure = asyncClosure
        copyPrototype = copy
        super.init(traits)
    }

    /// Returns a copy with a change.
    func changed(_ change: (Record) -> Void) -> Record {
        let record = Record(
            traits,
            given: givenInstance,
            closure: closure,
            asyncClosure: asyncClosure,
            copy: copyPrototype
        )
        (record.hooks, record.disposers) = (hooks, disposers)
        change(record)
        return record
    }

    func add(_ hook: @escaping Hook) {
        hooks = (hooks ?? []) + [hook]
        traits.hasHooks = true
    }

    func add(_ disposer: @escaping (Service) -> Disposer) {
        disposers = (disposers ?? []) + [disposer]
        traits.hasDisposers = true
    }

    override func copied() -> AnyRecord { changed { _ in } }

    override var given: AnyInstance? { traits.hasHooks ? nil : givenInstance }

    override var copiesPrototype: Bool { copyPrototype != nil }

    // MARK: Creating

    /// The arguments that the resolver has: those that a closure declares are its own.
    @usableFromInline func resolver(in core: LocatorCore, _ arguments: Arguments?) -> Locator.Resolver {
        Locator.Resolver(core: core, arguments: traits.declared == nil ? arguments : nil)
    }

    private func instance(_ service: Service, in core: LocatorCore) -> AnyInstance {
        let disposal = traits.hasDisposers ? Disposal(self, core) : nil
        return Instance(created: service, disposal: disposal)
    }

    override func create(in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        let resolver = resolver(in: core, arguments)
        let service = try givenInstance?.service ?? required(closure)(resolver, arguments)
        return try copiesPrototype ? instance(service, in: core) : finished(service, resolver, in: core)
    }

    override func copy(_ prototype: AnyInstance, in core: LocatorCore, _ arguments: Arguments?) throws -> AnyInstance {
        let service = prototype.service(as: Service.self)
        return try finished(copyPrototype?(service) ?? service, resolver(in: core, arguments), in: core)
    }

    override func createAsync(in core: LocatorCore, _ arguments: Arguments?) async throws -> AnyInstance {
        let resolver = resolver(in: core, arguments)
        let service = try await required(asyncClosure)(resolver, arguments)
        if !traits.hasHooks { return instance(service.value, in: core) }
        return try await traits.isolation.run { [self] in try finished(service.value, resolver, in: core) }
    }

    /// Runs the hooks. Meanwhile, a request within this creation gets the instance, if it is an object.
    private func finished(_ service: Service, _ resolver: Locator.Resolver, in core: LocatorCore) throws -> AnyInstance
    {
        if !traits.hasHooks { return instance(service, in: core) }
        Frame.setEarly(Instance(service))
        defer { Frame.removeEarly() }
        var service = service
        for hook in hooks ?? [] { try hook(resolver, &service) }
        return instance(service, in: core)
    }

    override func revived(_ object: AnyObject, order: UInt, _ disposal: Disposal?) -> AnyInstance? {
        guard let service = object as? Service else { return nil }
        return Instance(service, order: order, disposal: disposal)
    }

    // MARK: Disposing

    override func disposers(of instance: AnyInstance) -> [Disposer] {
        let service = instance.service(as: Service.self)
        return (disposers ?? []).map { $0(service) }
    }
}

/// A disposer of one instance: where it runs and how, if it is synchronous; and a function that runs it where it belongs.
typealias Disposer = (
    here: (isolation: ClosureIsolation, run: () throws -> Void)?, run: @concurrent @Sendable () async throws -> Void
)

extension AnyRecord {
    /// The record with its closures, if they return this type.
    @inlinable @inline(__always)
    final func typed<Service>(_ type: Service.Type) -> Record<Service>? {
        // Sound: the class is `Record<Service>` if and only if the type of the service is `Service`.
        traits.serviceType == type ? unsafe unsafeDowncast(self, to: Record<Service>.self) : nil
    }
}
