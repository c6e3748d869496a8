internal import CInjectle

// What the frames on the way to the calling code say.

extension Frame {
    /// The graph instances of one resolve, by the locator from which they are requested.
    typealias Graph = Mutex<[CellList]>

    /// The frames on the way to here, from the innermost.
    private static var chain: UnfoldSequence<Link, Link?> {
        sequence(state: Link.current) { next in
            defer { next = next?.outer }
            return next
        }
    }

    /// The locator that creates a service on this thread, and the arguments of the creation, unless its closure
    /// declares them.
    static var creatingContext: (core: LocatorCore, arguments: Arguments?)? {
        Link.current.map { ($0.creator, $0.record?.traits.declared == nil ? $0.arguments : nil) }
    }

    /// The request of the innermost creation.
    static var currentOrigin: Request.Origin? { Link.current?.origin }

    /// The largest number of nested creations. A deeper graph is taken for an infinite one.
    private static let depthLimit = 200

    /// Whether the chain is too long, or the stack too short, for another creation.
    static var isTooDeep: Bool { Link.current.map { $0.depth >= depthLimit || injectle_stack_is_short() } ?? false }

    /// The size of the thread's stack in kilobytes, if that is what allows no other creation.
    static var shortStack: Int? { injectle_stack_is_short() ? Int(injectle_stack_size() >> 10) : nil }

    /// The services that are being created, from the outermost resolve to the innermost.
    static var path: [Locator.Identity] { chain.map(\.identity).reversed() }

    /// The request that began the outermost resolve.
    static var outermostOrigin: Request.Origin? { chain.reduce(nil) { $1.origin } }

    /// The innermost creation that the calling code is part of. A list that is being composed is none. The choice of a
    /// scope is part of none.
    static var creationInProgress: Link? { chain.prefix { !$0.isChoice }.first { $0.record != nil } }

    /// The innermost service, on the way to here, that `core` creates from its own dependencies, whichever of its
    /// children resolves it. Nil if another locator creates one before that.
    static func shared(by core: LocatorCore) -> Locator.Identity? { sharedCreation(by: core)?.identity }

    /// Whether callers pass arguments to the creation of that service.
    static func sharedTakesArguments(by core: LocatorCore) -> Bool { sharedCreation(by: core)?.arguments != nil }

    private static func sharedCreation(by core: LocatorCore) -> Link? {
        chain.prefix { $0.creator === core }.first { $0.record?.traits.lifetime.resolvesFromCaller == false }
    }

    /// The innermost service, on the way to here, that `core` creates for itself alone, as each of its descendants
    /// does.
    static func own(of core: LocatorCore) -> Locator.Identity? {
        chain.prefix { $0.creator === core }.first { $0.record?.traits.lifetime.isPerLocator == true }?.identity
    }

    /// The choice of a scope for `record` on the way to here.
    static func choice(of record: AnyRecord) -> Link? { chain.first { $0.isChoice && $0.record === record } }

    /// The outermost service, on the way to here, that is created from the dependencies of the locator that resolves
    /// it.
    static func resolvedFromCaller(by core: LocatorCore) -> Locator.Identity? {
        let last = chain.prefix { $0.creator === core && $0.record?.traits.lifetime.resolvesFromCaller == true }
        return last.reduce(nil) { $1.identity }
    }

    /// The creation of an instance of `record` by `core` on the way to here; if arguments distinguish its instances,
    /// with equal arguments.
    static func creation(of record: AnyRecord, in core: LocatorCore, given arguments: Arguments?) -> Link? {
        var next = Link.current
        while let link = next {
            if !link.isChoice, link.record === record, link.creator === core {
                let distinguishes = record.traits.lifetime.distinguishesArguments
                if !distinguishes || Arguments.areEqual(link.arguments, arguments) { return link }
            }
            next = link.outer
        }
        return nil
    }

    /// The innermost creation, if its registration says that callers pass a service as an argument.
    static func creationLacking(_ identity: Locator.Identity) -> Link? {
        guard identity.keyed == nil, let link = Link.current, let passed = link.record?.traits.passed else {
            return nil
        }
        return passed.contains { $0 == identity.type } ? link : nil
    }

    /// The innermost creation, if its closure makes a request to a locator that is neither the creating one, nor an
    /// ancestor or a descendant of that. Nil for a property, which has a locator of its own.
    static func foreignCreation(requesting request: Request, from core: LocatorCore) -> InjectleError.ForeignCreation? {
        guard request.origin.kind != .property, let link = creationInProgress else { return nil }
        let creator = link.creator
        let isRelated = creator.chain.contains { $0 === core } || core.chain.contains { $0 === creator }
        return isRelated ? nil : InjectleError.ForeignCreation(service: link.identity, creator: creator)
    }

    /// Whether an initializer requests the service for one of its parameters.
    static func isParameter(_ request: Request) -> Bool {
        guard request.identity.keyed == nil, request.origin.kind != .property, let traits = Link.current?.record?.traits
        else {
            return false
        }
        return traits.isInitializer
            && traits.dependencies.contains { $0.source == .initializer && $0.type == request.identity.type }
    }

    // MARK: Early instances

    /// Lets requests within the innermost creation get its instance, whose hooks run.
    static func setEarly(_ instance: AnyInstance, of record: AnyRecord) {
        guard let object = instance.object, let link = Link.current, link.record === record,
            link.early?.object !== object
        else { return }
        let former = link.keep(early: instance)
        withExtendedLifetime(former) {}
    }

    /// Lets them get it no more.
    static func removeEarly(of record: AnyRecord) {
        guard let link = Link.current, link.record === record else { return }
        let early = link.takeEarly()
        withExtendedLifetime(early) {}
    }

    // MARK: Failures of properties

    /// The error of a property that resolves its service when it is created.
    final class PropertyFailure: Sendable {
        let error: InjectleError

        init(_ error: InjectleError) {
            self.error = error
        }
    }

    /// Lets the innermost creation throw the error of a property once its closure has returned. Returns false if the
    /// calling code is part of no creation.
    static func keepPropertyFailure(_ error: InjectleError) -> Bool {
        guard let link = Link.current, link.record != nil, !link.isChoice else { return false }
        link.keep(PropertyFailure(error))
        return true
    }

    /// Throws the first error of a property of the innermost creation, once.
    static func checkProperties() throws(InjectleError) {
        if let failure = Link.current?.takeFailure() { throw failure.error }
    }
}
