/// Records what the closures and properties of a locator and of its descendants resolve.
///
/// A locator has it as a behavior, so it costs nothing while nothing is recorded. It retains no registration: a registration
/// of the same line, type and key, as each request makes it, has the same dependencies.
final class DependencyRecorder: Locator.Behavior {
    /// A registration of the source code.
    struct Registration: Hashable {
        let location: SourceLocation
        let serviceType: ObjectIdentifier
        let hash: Int

        init(_ record: RegistrationRecord) {
            location = record.location
            serviceType = ObjectIdentifier(record.serviceType)
            hash = record.identities[0].userKey?.hash ?? 0
        }
    }

    /// A dependency, compared without the `==` of its key, which is user code.
    struct Recorded: Hashable {
        let identity: Locator.Identity
        let isProperty: Bool

        static func == (left: Recorded, right: Recorded) -> Bool {
            left.identity.isAlike(right.identity) && left.identity.userKey?.hash == right.identity.userKey?.hash
                && left.isProperty == right.isProperty
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(identity.type))
            hasher.combine(identity.userKey?.hash)
        }
    }

    private let lock = Lock()
    // Sound to share: touched only under `lock`.
    private nonisolated(unsafe) var recorded: [Registration: Set<Recorded>] = [:]

    let observedKinds: Set<Locator.Event.Kind> = [.didResolve, .didCreate]

    func handle(_ event: Locator.Event) {
        switch event.kind {
        case .didResolve where event.failure == nil:
            if let creation = Frame.creationsInProgress.first(where: { _ in true }) {
                add(event.identity, to: creation.record)
            }
        case .didCreate where event.failure == nil:
            // A service without dependencies is recorded, too.
            if let creation = Frame.creationsInProgress.first(where: { _ in true }) { add(nil, to: creation.record) }
        default:
            break
        }
    }

    func add(_ identity: Locator.Identity?, isProperty: Bool = false, to record: RegistrationRecord) {
        let registration = Registration(record)
        lock.withLock {
            var dependencies = unsafe recorded[registration] ?? []
            if let identity { dependencies.insert(Recorded(identity: identity, isProperty: isProperty)) }
            unsafe recorded[registration] = dependencies
        }
    }

    /// What a registration has resolved, or nil if its service was not created while this recorded.
    func dependencies(of record: RegistrationRecord) -> Set<Recorded>? {
        let registration = Registration(record)
        // Decorators of one line are recorded together, and each requests its own service.
        return lock.withLock { unsafe recorded[registration] }?.filter {
            $0.identity.keyPart?.decorated == nil || $0.identity.keyPart === record.decoratedPart
        }
    }
}

extension LocatorCore {
    /// The recorder of this locator or of its nearest ancestor that has one.
    var dependencyRecorder: DependencyRecorder? {
        guard observes(.didResolve) else { return nil }
        return chain.lazy.compactMap { core in
            core.lock.withLock { core.behaviors }.lazy.compactMap { $0.behavior as? DependencyRecorder }.first
        }.first
    }
}

extension InjectionPoint {
    /// Records a property of the service that is being created.
    @inline(never)
    static func record(_ type: Any.Type, _ userKey: Locator.Identity.KeyPart?, in core: LocatorCore) {
        guard let recorder = core.dependencyRecorder,
            let creation = Frame.creationsInProgress.first(where: { _ in true })
        else {
            return
        }
        recorder.add(Locator.Identity(type: type, keyPart: userKey), isProperty: true, to: creation.record)
    }
}

extension Locator {
    /// Whether the locator records which services the closures and properties of its services resolve.
    ///
    /// ```swift
    /// locator.recordsDependencies = true
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// _ = try locator.resolve(Garage.self)
    /// print(locator.graph.dependencies.map(\.isRecorded))  // Prints "[true]"
    /// ```
    ///
    /// ``graph`` shows recorded dependencies, and ``validate(roots:)-6uosj`` compares them with the declared ones.
    /// They cover this locator and its descendants, from then on. Like a ``Behavior``, it makes each resolve slower; while
    /// it is off, it costs nothing. Turning it off drops the recorded dependencies.
    public var recordsDependencies: Bool {
        get { core.ownDependencyRecorder != nil }
        set {
            let present = core.ownDependencyRecorder
            if newValue, present == nil { _ = core.add(DependencyRecorder(), observesDescendants: true) }
            if !newValue, let present { core.removeBehavior(present) }
        }
    }
}

extension LocatorCore {
    /// The number of the recorder among the behaviors of this locator itself.
    fileprivate var ownDependencyRecorder: Int? {
        lock.withLock { behaviors }.first { $0.behavior is DependencyRecorder }?.number
    }
}
