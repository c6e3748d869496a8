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
        // Not a `Record<Service>`: in code that does not know the type, each use of that would fetch its metadata.
        @usableFromInline var record: AnyRecord

        @inlinable @inline(__always)
        init(_ record: AnyRecord) {
            self.record = record
        }

        /// A registration by a synchronous closure. The caller passes the types of the library's objects, which it
        /// knows, while this function would look their metadata up.
        @usableFromInline init(
            _ builder: Builder,
            _ isolation: (any Actor)?,
            _ location: SourceLocation,
            declaring declared: [Any.Type]? = nil,
            receivesResolver: Bool = true,
            records: Record<Service>.Type = Record<Service>.self,
            instances: Instance<Service>.Type = Instance<Service>.self,
            _ closure: @escaping Record<Service>.Closure
        ) {
            var traits = RegistrationTraits(Service.self, builder.lifetime, isolation, location, declared)
            traits.isSendable = builder.isSendable
            traits.receivesResolver = receivesResolver
            self.init(records.init(consume traits, of: instances, closure: closure))
        }

        /// Returns a changed copy.
        func changed(_ change: (Record<Service>) -> Void) -> Self {
            Self(required(record.typed(Service.self)).changed(change))
        }
    }
}

// A public structure that is frozen would else be `Sendable` if its properties are. The record is, for the library's
// own use.
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
    private(set) var listing: Locator.Listing
    private(set) var otherListings: [Locator.Listing] = []
    private var isListed = false
    /// The number of its last identities that it has got by overriding another registration.
    private var countByOverride = 0
    /// The dependencies that are known without creating the service.
    var dependencies: [Dependency] = []
    /// Whether these are all.
    var declaresDependencies = false
    /// The types of the arguments that callers pass to an initializer.
    var passed: [Any.Type] = []
    /// Whether an initializer creates the service, and so says which arguments it takes.
    var isInitializer = false
    /// Whether the closure decorates the service of another registration.
    var isDecorator = false
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
    /// Whether each request only has to call the closure, where that runs: transient, synchronous, without hooks, and
    /// no decorator.
    private(set) var isPlainTransient = false
    /// Whether the closure is isolated to an actor.
    private(set) var isIsolated = false

    @usableFromInline init(
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
        listing = Locator.Listing(identity: Locator.Identity(unwrapped(serviceType), nil), isContribution: false)
    }

    /// Completes it for one locator.
    mutating func prepare() {
        // A decorator has the age of the decorated registration.
        if !isDecorator { lifetime.becomeOwn() }
        isPlainTransient = lifetime.isTransient && !isAsync && !hasHooks && !isDecorator
        isIsolated = isolation.isActor
    }

    /// Lets the main actor run a closure that any thread may run.
    mutating func moveToMainActor() {
        if case .actor = isolation { fatalError("A hook is on the main actor, and its closure on \(isolation.name).") }
        isolation = .mainActor
    }

    /// The first identity.
    var identity: Locator.Identity { listing.identity }

    /// All identities, and how requests find the service there.
    var listings: [Locator.Listing] { [listing] + otherListings }

    /// All identities.
    var identities: [Locator.Identity] { listings.map(\.identity) }

    /// Adds an identity. The first one replaces the type of the service.
    mutating func list(_ identity: Locator.Identity, isContribution: Bool = false) {
        // With the key of an equal identity: keys are compared by address where an entry is added.
        let known = isListed ? listings.first { $0.identity == identity }?.identity : nil
        let added = Locator.Listing(identity: known ?? identity, isContribution: isContribution)
        defer { isListed = true }
        if !isListed { return listing = added }
        // An identity that is listed twice counts where it is listed last.
        let others = isContribution ? listings : listings.filter { $0.isContribution || $0.identity != identity }
        listing = others.first ?? added
        otherListings = Array((others + [added]).dropFirst())
    }

    /// Adds identities that the registration does not list itself, for one attempt to insert it.
    mutating func listByOverride(_ listings: [Locator.Listing]) {
        otherListings += listings
        countByOverride = listings.count
    }

    /// Whether it has an identity as one of these.
    func isListedByOverride(_ listing: Locator.Listing) -> Bool {
        otherListings.suffix(countByOverride).contains(listing)
    }

    /// Removes these identities.
    mutating func removeListingsByOverride() {
        otherListings.removeLast(countByOverride)
        countByOverride = 0
    }

    /// Removes identities, but not all.
    mutating func removeListings(where isRemoved: (Locator.Listing) -> Bool) {
        let kept = listings.filter { !isRemoved($0) }
        listing = kept.first ?? listing
        otherListings = Array(kept.dropFirst())
    }

    /// The registration under one of its identities, in texts: with the arguments that it declares.
    func title(as listing: Locator.Listing) -> String {
        if listing.isContribution { return "\(listing.identity), one of several" }
        guard let declared else { return listing.identity.description }
        return "\(listing.identity), with (\(declared.map(spelled).joined(separator: ", ")))"
    }
}
