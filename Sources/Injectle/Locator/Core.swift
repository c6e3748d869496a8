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
final class Core: CellHolder, @unchecked Sendable {
    // Sound to share: see the invariant.

    /// How errors call the locator, and how code does.
    let title, expression: String
    let parent: Core?
    @usableFromInline let head: UnsafeMutablePointer<CoreHead>
    private let lock = Lock()

    // MARK: Guarded

    // Unchecked here and below where it is hot: the lock excludes what the check would look for.
    @exclusivity(unchecked) private var index = SlotIndex()
    /// What this locator makes and keeps, by record.
    private var cells: [ObjectIdentifier: Cell] = [:]
    /// Counts the changes, so that who looked without the lock sees whether that still holds.
    @exclusivity(unchecked) private var revision = 0
    /// Counts the slots that were ever registered.
    @exclusivity(unchecked) private var registered = 0
    private var policy: Locator.Isolation
    private var isGone = false

    init(title: String, expression: String = "locator", parent: Core? = nil, isolation: Locator.Isolation? = nil) {
        self.title = title
        self.expression = expression
        self.parent = parent
        policy = isolation ?? parent?.isolation ?? .waiting(upTo: .seconds(2))
        head = .allocate(capacity: 1)
        head.initialize(
            to: CoreHead(parent: parent?.head, isStrict: policy == .strict ? 1 : 0, owner: .passUnretained(self))
        )
    }

    deinit {
        // Nobody refers to it, so nobody reads from it.
        index.destroy()
        head.deallocate()
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
        slots(tagged: identity.tag).first { $0.standing == .registered && $0.identity == identity }
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
            identity: ServiceKey(type: identity.type, label: label),
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

    // MARK: Registering

    /// Inserts registrations as one step: either all of them or, if one is refused, none.
    ///
    /// `check` is called without the lock for each identity, and again for one that changed before the lock was taken,
    /// so that of two who both saw it free only one goes on.
    func insert<Refusal: Error>(
        _ records: [Record],
        check: (ServiceKey) throws(Refusal) -> Void,
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) {
        var entries = try Insertion.entries(of: records, refuse: refuse)
        var survey = attempt(entries, at: nil)
        while let seen = survey {
            for (index, candidates) in seen.taken.enumerated() {
                let identity = entries[index].identity
                // Keys are compared here, since that is code of a user.
                let taken = candidates.filter { $0.identity.label == identity.label }
                let isAnswered = entries[index].checked.map { taken.elementsEqual($0, by: ===) } ?? false
                if !isAnswered {
                    entries[index].checked = taken
                    try check(identity)
                }
                let present = taken.first { $0.identity == identity }
                if let present, present.record.isFinal { try refuse(.forbidden(identity, in: self, taken: present)) }
                entries[index].present = present
            }
            survey = attempt(entries, at: seen.revision)
        }
    }

    /// Inserts all entries if nothing has changed since a revision. Returns what is there if something has.
    private func attempt(_ entries: [Insertion], at revision: Int?) -> Insertion.Survey? {
        let (survey, garbage): (Insertion.Survey?, Garbage) = lock.withLock {
            var garbage = Garbage()
            guard revision == self.revision else {
                let taken = entries.map { index.taken(under: $0.identity) }
                return (Insertion.Survey(revision: self.revision, taken: taken), garbage)
            }
            if !isGone { insert(entries, &garbage) }
            return (nil, garbage)
        }
        garbage.dispose()
        return survey
    }

    /// Inserts a registration that has one identity, if that is new and nothing is asked about it, which most are.
    /// False if it takes more than that.
    func insertNew(_ record: Record) -> Bool {
        guard let identity = record.soleIdentity else { return false }
        let form = record.given
        if let form, form.type != identity.type { return false }
        var garbage = Garbage()
        let isInserted = lock.withLock {
            guard !isGone, !index.isTaken(identity) else { return false }
            revision += 1
            _ = insert(record, as: identity, form: form, replacing: nil, &garbage)
            return true
        }
        garbage.dispose()
        return isInserted
    }

    private func insert(_ entries: [Insertion], _ garbage: inout Garbage) {
        revision += 1
        var inserted: [Unmanaged<Slot>] = []
        for entry in entries {
            let present = entry.earlier.map { inserted[$0].takeUnretainedValue() } ?? entry.present
            inserted.append(insert(entry.record, as: entry.identity, form: entry.form, replacing: present, &garbage))
        }
    }

    private func insert(
        _ record: Record,
        as identity: ServiceKey,
        form: Instance?,
        replacing present: Slot?,
        _ garbage: inout Garbage
    ) -> Unmanaged<Slot> {
        registered += 1
        if record.slots == 0 { record.serial = Int32(truncatingIfNeeded: registered) }
        let slot = Slot.make(identity: identity, record: record, core: self, order: registered)
        if let label = identity.label { forgetDerived(under: label, &garbage) }
        record.slots += 1
        put(slot, replacing: present, &garbage)
        if let form { publish(form, in: slot) }
        if let present { retire(present, &garbage) }
        // Retained for being in the index.
        return .passRetained(slot)
    }

    /// Puts a slot into the index, in the place of another. The lock is held.
    private func put(_ slot: Slot, replacing old: Slot?, _ garbage: inout Garbage) {
        garbage.add(block: index.put(slot, replacing: old))
        injectle_store(&head.pointee.table, index.block)
    }

    // MARK: Making

    func withCell<Value>(of record: Record, for asking: Core, _ body: (Cell) -> Value) -> Value? {
        lock.withLock {
            guard record.slots > 0 else { return nil }
            let id = ObjectIdentifier(record)
            let cell = cells[id] ?? Cell(for: record, given: record.given)
            cells[id] = cell
            return body(cell)
        }
    }

    /// The closure of a record that is kept here, as long as it has not been let go of.
    func make(of record: Record) -> Make? {
        lock.withLock { record.makeOnce }
    }

    func succeed(_ cell: Cell, with instance: Instance) -> [Cell.Waiter] {
        let record = cell.record
        // Casts may call the code that conforms a type; they are done before the lock is taken.
        let forms = record.lifetime.isShared ? record.identities.map { instance.cast(to: $0.type) } : []
        var garbage = Garbage()
        let waiters = lock.withLock {
            let (waiters, isKept) = cell.state.succeed(with: instance)
            guard isKept else { return waiters }
            for (identity, form) in zip(record.identities, forms) {
                guard let form else { continue }
                for slot in index.slots(tagged: identity.tag) where slot.record === record { publish(form, in: slot) }
            }
            record.release(&garbage)
            return waiters
        }
        garbage.dispose()
        return waiters
    }

    func fail(_ cell: Cell) -> [Cell.Waiter] {
        lock.withLock { cell.state.fail() }
    }

    private func publish(_ form: Instance, in slot: Slot) {
        guard form.type == slot.identity.type, slot.record.lifetime.isShared else { return }
        // In a strict locator, each read of what may not cross actors is looked at.
        if !slot.record.isSendable, policy == .strict, slot.record.place.isActor { return }
        slot.publish(form)
    }

    /// Keeps the form of a service that an identity asks for, for the next who read it.
    func keep(_ form: Instance, in slot: Slot) {
        lock.withLock {
            guard !slot.isDetached else { return }
            publish(form, in: slot)
        }
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
        let garbage = lock.withLock {
            var garbage = Garbage()
            revision += 1
            isGone = isGone || forGood
            injectle_store(&head.pointee.table, nil)
            let (slots, block) = index.removeAll()
            for slot in slots { retire(slot, &garbage) }
            garbage.add(block: block)
            return garbage
        }
        garbage.dispose()
    }

    /// Takes a slot that has left the tables out of service, and with a record's last slot what was made for it. The
    /// lock is held.
    private func retire(_ slot: Slot, _ garbage: inout Garbage) {
        garbage.add(slot.detach())
        garbage.add(Unmanaged.passUnretained(slot).takeRetainedValue())
        guard slot.standing == .registered else { return }
        let record = slot.record
        record.slots -= 1
        guard record.slots == 0 else { return }
        record.release(&garbage)
        guard let cell = cells.removeValue(forKey: ObjectIdentifier(record)) else { return }
        garbage.add(cell.state.discard())
        garbage.add(cell)
    }

    private func forgetDerived(under label: ServiceKey.Label, _ garbage: inout Garbage) {
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
                policy = newValue
                revision += 1
                injectle_store_number(&head.pointee.isStrict, newValue == .strict ? 1 : 0)
                if newValue == .strict {
                    // Each is looked at from now on, also by properties that remember where they read it.
                    for slot in index.all where !slot.record.isSendable { renew(slot, &garbage) }
                }
                return garbage
            }
            garbage.dispose()
        }
    }

    /// Puts an equal slot in the place of one, so that nobody remembers where to read it. The lock is held.
    private func renew(_ slot: Slot, _ garbage: inout Garbage) {
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
        lock.withLock { record.given ?? cells[ObjectIdentifier(record)]?.state.product }
    }

    /// Whether it refuses what belongs elsewhere.
    var isStrict: Bool { injectle_load_number(&head.pointee.isStrict) != 0 }

    /// Whether the last handle went.
    var hasEnded: Bool { lock.withLock { isGone } }
}
