extension Locator {
    /// A value that describes a service: its factory closure, its lifetime and its identities.
    ///
    /// A lifetime creates it, and each modifier returns a changed copy:
    ///
    /// ```swift
    /// let registration = Locator.Registration<Garage>.lazy { Garage() }
    ///     .as((any Parking).self)
    ///     .final()
    /// locator.register(registration)
    /// ```
    ///
    /// Several locators can register the same value. Each creates its own instances; an eager instance is shared.
    ///
    /// It is not `Sendable`, since its closure can capture values that are not. Any thread can resolve its service.
    @frozen
    public struct Registration<Service> {
        @usableFromInline var record: Record<Service>

        @usableFromInline init(_ record: Record<Service>) {
            self.record = record
        }

        /// A registration by a synchronous closure.
        @usableFromInline init(
            _ builder: Builder,
            _ isolation: (any Actor)?,
            _ location: SourceLocation,
            declaring declared: [Any.Type]? = nil,
            receivesResolver: Bool = true,
            _ closure: @escaping Record<Service>.Closure
        ) {
            var traits = RegistrationTraits(Service.self, builder.lifetime, isolation, location, declared)
            traits.isSendable = builder.isSendable
            traits.receivesResolver = receivesResolver
            self.init(Record(traits, closure: closure))
        }

        /// The record, which no other value has: for a locator.
        mutating func claimed() -> AnyRecord {
            if !isKnownUniquelyReferenced(&record) { record = record.changed { _ in } }
            return record
        }

        /// Returns a changed copy.
        func changed(_ change: (Record<Service>) -> Void) -> Self { Self(record.changed(change)) }
    }
}

// A public structure that is frozen would else be `Sendable` if its properties are. The record is, for the library's own use.
@available(*, unavailable)
extension Locator.Registration: Sendable {}

/// What a registration says of a service beside its closures.
@usableFromInline struct RegistrationTraits {
    @usableFromInline let serviceType: Any.Type
    var lifetime: Locator.Lifetime
    private(set) var isolation: ClosureIsolation
    let location: SourceLocation
    /// The types of the arguments that the closure declares, or nil if it declares none.
    let declared: [Any.Type]?
    /// The first identity: the first one that was listed, or the type of the service.
    private(set) var identity: Locator.Identity
    private(set) var otherIdentities: [Locator.Identity] = []
    private var isListed = false
    /// The dependencies that are known without creating the service.
    var dependencies: [Dependency] = []
    /// Whether these are all.
    var declaresDependencies = false
    /// The types of the arguments that callers pass to an initializer.
    var passed: [Any.Type] = []
    /// Whether checks leave it out.
    var isSkipped = false
    /// Whether the closure is async.
    var isAsync = false
    /// Whether the closure receives a resolver, and so can resolve dependencies that it does not declare.
    var receivesResolver = false
    var hasDisposers = false
    /// Whether the service is `Sendable`. Nil if that is not known.
    var isSendable: Bool?
    /// Whether the start of its locator creates the instance.
    var isAtStart = false
    /// Whether no other registration may replace it.
    var isFinal = false
    var hasHooks = false
    /// Whether each request only has to call the closure, on any thread.
    @usableFromInline private(set) var isPlainTransient = false

    init(
        _ serviceType: Any.Type,
        _ lifetime: Locator.Lifetime,
        _ isolation: (any Actor)?,
        _ location: SourceLocation,
        _ declared: [Any.Type]? = nil,
        isAsync: Bool = false
    ) {
        self.serviceType = serviceType
        self.lifetime = lifetime
        self.isolation = ClosureIsolation(isolation)
        self.location = location
        self.declared = declared
        self.isAsync = isAsync
        identity = Locator.Identity(unwrapped(serviceType), nil, declared.map { .declaring($0) })
    }

    /// Completes it for one locator.
    mutating func prepare() {
        lifetime = lifetime.ownCopy
        isPlainTransient = lifetime.isTransient && !isolation.isActor && !isAsync && !hasHooks
    }

    /// Lets the main actor run a closure that any thread may run.
    mutating func moveToMainActor() {
        if case .actor = isolation { fatalError("A hook is on the main actor, and its closure on \(isolation.name).") }
        isolation = .mainActor
    }

    /// All identities.
    var identities: [Locator.Identity] { [identity] + otherIdentities }

    /// Adds an identity. The first one replaces the type of the service.
    mutating func list(_ identity: Locator.Identity) {
        var identity = identity
        if let declared, !identity.isContribution, identity.decorated == nil {
            identity = Locator.Identity(identity.type, identity.keyed, .declaring(declared))
        }
        if isListed { otherIdentities.append(identity) } else { self.identity = identity }
        isListed = true
    }
}
