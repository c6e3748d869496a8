internal import CInjectle

/// What a locator is made of, and what the instances it made hold on to.
///
/// A `Locator` is a handle over its core. The core and what it keeps may refer to each other in circles; when the last
/// handle goes, it empties the core, which ends them.
///
/// Invariant: all that stands under "guarded" changes only under `lock`, and no code of a user runs while it is held:
/// not a factory, not a hash, not a `deinit`. Readers reach the index's block and the parent through `head`, inside
/// `reading`, without the lock; what they could have reached is returned as `Garbage` by whoever unlinks it.
@usableFromInline
final class Core: @unchecked Sendable {
    // Sound to share: see the invariant.

    /// Whether it is one of the two of the process.
    enum Kind { case ordinary, `default`, test }

    /// What it was called when it was made.
    let name: String?
    private let kind: Kind
    let parent: Core?
    @usableFromInline let head: UnsafeMutablePointer<CoreHead>
    let lock = Lock()

    // MARK: Guarded

    // Touched in the files of this class alone: here, where registrations get in, and where instances are kept.
    // Unchecked here and below where it is hot: the lock excludes what the check would look for.
    @exclusivity(unchecked) var index = SlotIndex()
    /// What this locator makes and keeps, by record.
    @exclusivity(unchecked) var cells: [ObjectIdentifier: Cell] = [:]
    /// What it keeps besides, for lifetimes that ask for it.
    @exclusivity(unchecked) var furtherStore: Store?
    /// What modules have to do with it, once there are any.
    @exclusivity(unchecked) var modules: ModuleState?
    /// Counts the changes, so that who looked without the lock sees whether that still holds.
    @exclusivity(unchecked) var revision = 0
    /// Counts the slots that were ever registered.
    @exclusivity(unchecked) var registered = 0
    @exclusivity(unchecked) var policy: Locator.Isolation
    @exclusivity(unchecked) var isGone = false
    @exclusivity(unchecked) var kinship = Kinship()
    /// Its end, once that has begun.
    @exclusivity(unchecked) var closing: Closing?
    /// Whether anything was registered that is to be disposed of.
    @exclusivity(unchecked) var isOfDisposed = false
    /// Who is told what happens here and below, in order.
    @exclusivity(unchecked) var behaviors: [Watcher] = []

    /// Made for a locator alone, which takes it out of its parent's list again.
    init(
        _ name: String?,
        kind: Kind = .ordinary,
        parent: Core? = nil,
        isolation: Locator.Isolation? = nil
    ) {
        self.name = name
        self.kind = kind
        self.parent = parent
        policy = isolation ?? .waiting(upTo: .seconds(2))
        head = .allocate(capacity: 1)
        head.initialize(to: CoreHead(parent: parent?.head, owner: .passUnretained(self)))
        set(CoreHead.strict, policy == .strict)
        guard let parent else { return }
        parent.lock.withLock {
            if isolation == nil {
                policy = parent.policy
                set(CoreHead.strict, policy == .strict)
            }
            if let closing = parent.closing {
                begin(closing)
                isGone = parent.isGone
            }
            if parent.isWatched { set(CoreHead.watched, true) }
            // From here on others may see it.
            parent.adopt(self)
        }
    }

    deinit {
        // Nobody refers to it, so nobody reads from it.
        furtherStore?.end()
        index.destroy()
        head.deallocate()
    }

    /// How errors call it.
    var title: String {
        switch kind {
        case .default: "the default locator"
        case .test: "the test locator"
        case .ordinary: name.map { "the locator \"\($0)\"" } ?? "a locator without a name"
        }
    }

    /// How code calls it.
    var expression: String {
        switch kind {
        case .default: "Locator.default"
        case .test: "Locator.test"
        case .ordinary: "locator"
        }
    }

    /// The locator and its ancestors, nearest first.
    var chain: some Sequence<Core> { sequence(first: self, next: \.parent) }

    // MARK: Looking up

    /// Slots of this locator alone that share a tag, derived ones included.
    func slots(tagged tag: UInt) -> [Slot] {
        lock.withLock { index.slots(tagged: tag) }
    }

    /// Slots of this locator alone that are registered under a key, in order of registration.
    func slots(under label: ServiceKey.Label) -> [Slot] {
        lock.withLock { index.registered(under: label) }
            .filter { $0.identity.label == label }
            .sorted { $0.order < $1.order }
    }

    /// The slot registered in this locator itself under exactly this identity.
    func ownSlot(_ identity: ServiceKey) -> Slot? {
        slots(equalTo: identity).first
    }

    /// The slots registered in this locator itself under exactly this identity, in order of registration: one at most,
    /// unless they are those of a list.
    func slots(equalTo identity: ServiceKey) -> [Slot] {
        slots(tagged: identity.tag)
            .filter { $0.standing == .registered && $0.identity == identity }
            .sorted { $0.order < $1.order }
    }

    /// The slots registered in this locator itself as a type, with a key or without one: with arguments or without, and
    /// those of its list.
    func slots(as type: Any.Type, label: ServiceKey.Label?) -> [Slot] {
        let identity = ServiceKey(type: unwrapped(type), qualifier: label)
        let list = ServiceKey(type: identity.type, qualifier: .contributing(label: label))
        return [identity.tag, identity.tagDeclaringArguments, list.tag].flatMap(slots(tagged:)).filter { slot in
            slot.standing == .registered && slot.identity.type == identity.type && slot.identity.label == label
        }
    }

    /// All slots of this locator itself, in order of registration.
    var ownSlots: [Slot] {
        lock.withLock { index.all }.filter { $0.standing == .registered }.sorted { $0.order < $1.order }
    }

    /// Keeps what was found by its key alone in the table, until something changes under that key.
    func remember(_ identity: ServiceKey, from origin: Slot) -> Slot? {
        guard let label = origin.identity.label else { return nil }
        let slot = Slot.make(
            // By the key that was registered: that which was asked for belongs to whoever asked.
            identity: ServiceKey(type: identity.type, qualifier: label),
            record: origin.record,
            core: self,
            order: origin.order,
            standing: .derived
        )
        var garbage = Garbage()
        let isRemembered = lock.withLock {
            let isLatest = !origin.isDetached && !index.registered(under: label).contains { $0.order > origin.order }
            guard isLatest, index.slots(tagged: identity.tag).isEmpty else { return false }
            put(slot, replacing: nil, &garbage)
            _ = Unmanaged.passRetained(slot)
            return true
        }
        garbage.dispose()
        return isRemembered ? slot : nil
    }

    /// Lets readers find what stands in a slot by how its key looks.
    func learn(_ image: KeyImage, in slot: Slot) {
        lock.withLock { slot.learn(image) }
    }

    // MARK: Removing

    /// Removes slots, and what was made for those records that lose their last identity.
    func remove(_ doomed: [Slot]) {
        guard !doomed.isEmpty else { return }
        let garbage = lock.withLock {
            var garbage = Garbage()
            revision += 1
            for slot in doomed.compactMap(current) {
                index.remove(slot)
                if let label = slot.identity.label { forgetDerived(under: label, &garbage) }
                retire(slot, &garbage)
            }
            return garbage
        }
        garbage.dispose()
    }

    /// The slot that stands now for what a slot stood for. The lock is held.
    private func current(_ slot: Slot) -> Slot? {
        guard slot.isDetached else { return slot }
        return index.slots(tagged: slot.identity.tag).first { $0.order == slot.order && $0.standing == slot.standing }
    }

    /// Removes everything, in place. With `forGood`, nothing can be registered afterwards.
    func empty(forGood: Bool = false) {
        var garbage = Garbage()
        let store = lock.withLock {
            revision += 1
            isGone = isGone || forGood
            injectle_store(&head.pointee.table, nil)
            let store = noteEmptying(&garbage)
            let (slots, block) = index.removeAll()
            for slot in slots { retire(slot, &garbage) }
            garbage.add(block: block)
            return store
        }
        // As one, so that the last made is disposed of first. Asked for anew, so that none is made after this.
        let emptied = forGood ? lock.withLock { furtherStore } : store
        emptied?.removeAll(forGood: forGood, into: &garbage)
        garbage.dispose()
        if forGood { removeBehaviors() }
    }

    /// Takes a slot that has left the tables out of service, and with a record's last slot what was made for it. The
    /// lock is held.
    func retire(_ slot: Slot, _ garbage: inout Garbage) {
        let form = slot.detach()
        garbage.add(form)
        garbage.add(Unmanaged.passUnretained(slot).takeRetainedValue())
        guard slot.standing == .registered else { return }
        slot.record.slots -= 1
        // What a module takes out is put back if it fails.
        if modules != nil, park(slot, form) { return }
        letGo(of: slot.record, &garbage)
    }

    /// Releases what was made of a record that has no slot any more. The lock is held.
    func letGo(of record: Record, _ garbage: inout Garbage) {
        guard record.slots == 0 else { return }
        if isWatched { noteGone(record, &garbage) }
        let given = record.given
        // The same may be given elsewhere, too, by a registration that says how it ends: that counts by itself.
        if record.isDisposed { garbage.add(kept: given) }
        record.release(&garbage)
        garbage.add(gone: record)
        guard let cell = cells.removeValue(forKey: ObjectIdentifier(record)) else { return }
        let product = cell.state.discard()
        // What is given was kept once, by being registered.
        if product !== given { garbage.add(kept: product) }
        garbage.add(cell)
    }

    func forgetDerived(under label: ServiceKey.Label, _ garbage: inout Garbage) {
        for slot in index.derived(under: label) {
            index.remove(slot)
            retire(slot, &garbage)
        }
    }

    // MARK: Isolation

    /// How this locator treats services that belong to an actor.
    var isolation: Locator.Isolation {
        get { lock.withLock { policy } }
        set {
            let garbage = lock.withLock {
                var garbage = Garbage()
                noteChange(of: policy, to: newValue)
                enforce(newValue, &garbage)
                return garbage
            }
            garbage.dispose()
        }
    }

    /// Changes how it treats services that belong to an actor. The lock is held.
    func enforce(_ policy: Locator.Isolation, _ garbage: inout Garbage) {
        self.policy = policy
        revision += 1
        set(CoreHead.strict, policy == .strict)
        guard policy == .strict else { return }
        // Each is looked at from now on, also by properties that remember where they read it.
        for slot in index.all where !slot.record.isSendable { renew(slot, &garbage) }
    }

    /// Lets readers see a flag. The lock is held, or nobody else has it.
    func set(_ flag: UInt, _ isSet: Bool) {
        let flags = injectle_load_number(&head.pointee.flags)
        injectle_store_number(&head.pointee.flags, isSet ? flags | flag : flags & ~flag)
    }

    /// Puts an equal slot in the place of one, so that nobody remembers where to read it. The lock is held.
    func renew(_ slot: Slot, _ garbage: inout Garbage) {
        let renewed = Slot.make(
            identity: slot.identity,
            record: slot.record,
            core: self,
            order: slot.order,
            standing: slot.standing
        )
        put(renewed, replacing: slot, &garbage)
        _ = Unmanaged.passRetained(renewed)
        garbage.add(slot.detach())
        garbage.add(Unmanaged.passUnretained(slot).takeRetainedValue())
    }

    /// The instance of a record, or a factory's prototype, if it is there.
    func instance(of record: Record) -> Instance? {
        let (kept, store) = lock.withLock {
            (record.given ?? cells[ObjectIdentifier(record)]?.state.product, furtherStore)
        }
        return (kept ?? store?.instance(of: record))?.revived(as: record.serviceType)
    }

    /// Whether it refuses what belongs elsewhere.
    var isStrict: Bool { CoreHead.has(CoreHead.strict, head) }

    /// How often it was changed, and its ancestors.
    var revisions: [Int] { chain.map { core in core.lock.withLock { core.revision } } }

    /// Whether the last handle went, or it was closed.
    var hasEnded: Bool { lock.withLock { isGone } }
}
