/// Who keeps the instance that a request is about, in the order in which they are asked for it, and which locator makes
/// it if none has one.
///
/// This is what a lifetime comes to. What comes after asks no more than whether a closure is called once or again.
struct Plan {
    /// One who keeps it.
    struct Keep {
        let holder: any CellHolder
        /// What tells its instances of one registration apart.
        var key: Arguments.Key?
        /// Whether it keeps no more than a note of an object that others hold.
        var isWeak = false
        /// What ends the holder when it goes, if that is not sure to stay for as long as it is used.
        var owner: Locator.Keeper?
        /// Whether it keeps it for the time of one resolve only.
        var isOfResolve = false

        /// Whether what it keeps is its own to dispose of, and not that of who reads a property.
        var isOwner: Bool { !isWeak && !(holder is Property) }
    }

    /// Most plans have no more than two, which need no memory of their own.
    private var first, second: Keep?
    private var others: [Keep] = []
    /// The locator that makes it, and that its dependencies come from.
    private(set) var maker: Core
    /// What tells instances apart, whoever keeps them, for a lifetime that is per argument.
    private var key: Arguments.Key?
    /// Whether somebody keeps it who was named by a custom lifetime.
    private(set) var isOfKeeper = false
    /// Whether the locator that is asked keeps it in a way that readers can see without asking.
    private(set) var isForReaders = false
    /// Whether it is about what a factory makes its copies of.
    private(set) var isOfPrototype = false

    private init(maker: Core) {
        self.maker = maker
    }

    /// The plan for the prototype of a factory.
    static func prototype(of slot: Slot) -> Plan {
        var plan = Plan(maker: slot.core)
        plan.isOfPrototype = true
        plan.first = Keep(holder: slot.core)
        return plan
    }

    /// The plan for a request that has found its slot.
    init(
        for slot: Slot,
        _ request: Request,
        asking: Core,
        _ property: Property? = nil
    ) throws(InjectleError) {
        self.init(maker: asking)
        let lifetime = slot.record.lifetime
        if lifetime.isPerArgument, let arguments = request.arguments {
            guard let key = arguments.key else {
                throw .unhashable(request, slot, arguments.unhashable ?? Any.self)
            }
            self.key = key
        }
        try add(lifetime, slot, request, asking: asking)
        guard let property, !slot.record.kind.isShared else { return }
        // What is kept by nobody for longer than somebody else holds it, a property keeps for itself; but for what is
        // another's.
        if slot.record.kind == .unowned || contains(where: { !$0.isWeak && !$0.isOfResolve }) {
            property.forgetOwn()
        } else {
            property.prepare(for: slot.record, askedIn: asking)
            insert(Keep(holder: property))
        }
    }

    // MARK: Those who keep it

    private var count: Int { (first == nil ? 0 : 1) + (second == nil ? 0 : 1) + others.count }

    private(set) subscript(position: Int) -> Keep? {
        get {
            switch position {
            case 0: first
            case 1: second
            default: position - 2 < others.count ? others[position - 2] : nil
            }
        }
        set {
            switch position {
            case 0: first = newValue
            case 1: second = newValue
            default: if let newValue { others[position - 2] = newValue }
            }
        }
    }

    private func contains(where isWanted: (Keep) -> Bool) -> Bool {
        first.map(isWanted) == true || second.map(isWanted) == true || others.contains(where: isWanted)
    }

    /// All of them.
    var keeps: [Keep] { [first, second].compactMap(\.self) + others }

    private mutating func append(_ keep: Keep) {
        if first == nil {
            first = keep
        } else if second == nil {
            second = keep
        } else {
            others.append(keep)
        }
    }

    private mutating func insert(_ keep: Keep) {
        if let second { others.insert(second, at: 0) }
        second = first
        first = keep
    }

    // MARK: What a lifetime comes to

    private mutating func add(
        _ lifetime: Locator.Lifetime,
        _ slot: Slot,
        _ request: Request,
        asking: Core,
        isPart: Bool = false
    ) throws(InjectleError) {
        switch lifetime.kind {
        case .eager, .lazy:
            add(Keep(holder: key == nil ? slot.core : slot.core.store, key: key), madeBy: slot.core)
        case .weak, .unowned:
            add(Keep(holder: key == nil ? slot.core : slot.core.store, key: key, isWeak: true), madeBy: slot.core)
        case .factory:
            maker = slot.core
        case .volatile:
            break
        case .graph:
            // Where none is in progress, this is the outermost, which needs no other to be the only one.
            guard let store = Frame.storeOfResolve(for: asking) else { return }
            // What cannot be hashed is compared all the same: there are not many in one resolve.
            let key = request.arguments.map { $0.key ?? Arguments.Key(arguments: $0, hash: 0) }
            add(Keep(holder: store, key: key, isOfResolve: true), madeBy: asking)
        case .perLocator:
            isForReaders = !isPart && slot.standing == .registered && slot.identity.label == nil
            add(Keep(holder: asking.store, key: key), madeBy: asking)
        case .perNamedLocator:
            let name = lifetime.details?.name
            guard let named = asking.chain.first(where: { $0.name == name }) else {
                if isPart { return }
                throw .noSuchLocator(request, slot, named: name ?? "", from: asking)
            }
            if named.hasEnded { throw .ended(request, named) }
            add(Keep(holder: named.store, key: key), madeBy: named)
        case .perArgument:
            add(Keep(holder: slot.core.store, key: key), madeBy: slot.core)
        case .custom:
            guard let keeper = try keeper(lifetime, slot, request, asking: asking) else { return }
            isOfKeeper = true
            add(Keep(holder: keeper.store, key: key, owner: keeper), madeBy: slot.core)
        case .composite:
            for part in lifetime.details?.parts ?? [] { try add(part, slot, request, asking: asking, isPart: true) }
        }
    }

    private mutating func add(_ keep: Keep, madeBy core: Core) {
        // Of several, that which is nearest to the root: what it makes is not to depend on a child that asked first.
        if maker.chain.contains(where: { $0 === core }) { maker = core }
        // Two parts of a composite may come to the same, as a lazy and a weak one.
        let position = (0..<count).first { position in
            self[position]?.holder === keep.holder
        }
        guard let position else { return append(keep) }
        if !keep.isWeak { self[position]?.isWeak = false }
    }

    /// Whom a custom lifetime names. One that asks for its own service to say so is a cycle.
    private func keeper(
        _ lifetime: Locator.Lifetime,
        _ slot: Slot,
        _ request: Request,
        asking: Core
    ) throws(InjectleError) -> Locator.Keeper? {
        if Frame.isDeciding(slot.record) { throw .cycle(request, slot) }
        if Frame.isTooDeep { throw .tooDeep(request, slot) }
        var keeper: Locator.Keeper?
        do {
            try Frame.run(slot: slot, as: .ofDecisions, core: asking, strand: nil) {
                let resolver = Locator.Resolver(core: asking, arguments: request.arguments)
                keeper = try lifetime.details?.custom?.keeper(for: resolver)
            }
        } catch {
            throw .making(slot, threw: error, askedBy: request)
        }
        return keeper
    }
}
