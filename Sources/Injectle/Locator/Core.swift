internal import CInjectle

/// What a locator is made of, and what the instances it made hold on to.
///
/// A `Locator` is a handle over its core. The core and what it keeps may refer to each other in circles; when the last
/// handle goes, it empties the core, which ends them.
///
/// Invariant: `table` and all that stands under "guarded" change only under `lock`, and no code of a user runs while it is
/// held: not a factory, not a hash, not a `deinit`. Readers reach the table's block and the parent through `head`, inside
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

    private var table = Table()
    /// Slots with a key, by the key's hash, in order of registration.
    private var keyed: [Int: [Slot]] = [:]
    /// Slots that were found by their key alone, by the key's hash.
    private var derived: [Int: [Slot]] = [:]
    /// What this locator makes and keeps, by record.
    private var cells: [ObjectIdentifier: Cell] = [:]
    /// Counts the changes, so that who looked without the lock sees whether that still holds.
    private var revision = 0
    /// Counts the slots that were ever registered.
    private var registered = 0
    private var policy: Locator.Isolation
    private var isGone = false

    init(title: String, expression: String = "locator", parent: Core? = nil, isolation: Locator.Isolation? = nil) {
        self.title = title
        self.expression = expression
        self.parent = parent
        policy = isolation ?? parent?.isolation ?? .waiting(upTo: .seconds(2))
        head = .allocate(capacity: 1)
        head.initialize(to: CoreHead(table: table.block, parent: parent?.head))
        head.pointee.isStrict = policy == .strict ? 1 : 0
    }

    deinit {
        head.deallocate()
    }

    /// The locator and its ancestors, nearest first.
    var chain: some Sequence<Core> { sequence(first: self, next: \.parent) }

    // MARK: Looking up

    /// The slot that a service is found by: under its identity, from here up to the root; else under its key alone, in the
    /// same order, and then the latest.
    func find(_ identity: ServiceKey) -> Slot? {
        guard let label = identity.label else { return slot(tagged: identity.tag) }
        let tag = identity.tag
        for core in chain {
            // A slot that was derived counts in a locator without a parent, where nothing can stand behind it.
            let countsDerived = core === self && core.parent == nil
            let slot = core.slot(tagged: tag) { slot in
                (slot.standing == .registered || countsDerived) && slot.identity == identity
            }
            if let slot { return slot }
        }
        for core in chain {
            guard let slot = core.slots(under: label).last else { continue }
            if core === self, core.parent == nil, let derived = remember(identity, from: slot) { return derived }
            return Slot(identity: identity, record: slot.record, core: core, order: slot.order, standing: .transient)
        }
        return nil
    }

    /// The slot of an identity without a key, from here up to the root.
    private func slot(tagged tag: UInt) -> Slot? {
        reading {
            CoreHead.find(tag, from: head)?.pointee.owner.map { $0.takeUnretainedValue() }
        }
    }

    /// The first slot of this locator alone that has a tag and is the one that is looked for. The question may run code of
    /// a user, so it is asked of each candidate after the read that found it.
    private func slot(tagged tag: UInt, where isWanted: (Slot) -> Bool) -> Slot? {
        let candidate = reading { CoreHead.findOwn(tag, in: head)?.pointee.owner.map { $0.takeUnretainedValue() } }
        guard let candidate else { return nil }
        if isWanted(candidate) { return candidate }
        // Two identities with one tag: rare enough for the lock.
        return slots(tagged: tag).first(where: isWanted)
    }

    /// Slots of this locator alone that share a tag, derived ones included.
    private func slots(tagged tag: UInt) -> [Slot] {
        lock.withLock { table.slots(tagged: tag) }
    }

    /// Slots of this locator alone that are registered under a key, in order of registration.
    func slots(under label: ServiceKey.Label) -> [Slot] {
        let candidates = lock.withLock { keyed[label.hash] ?? [] }
        return candidates.filter { $0.identity.label == label }
    }

    /// The slot registered in this locator itself under exactly this identity.
    func ownSlot(_ identity: ServiceKey) -> Slot? {
        slots(tagged: identity.tag).first { $0.standing == .registered && $0.identity == identity }
    }

    /// All slots of this locator itself, in order of registration.
    var ownSlots: [Slot] {
        lock.withLock { table.slots }.filter { $0.standing == .registered }.sorted { $0.order < $1.order }
    }

    /// Keeps what was found by its key alone in the table, until something changes under that key.
    private func remember(_ identity: ServiceKey, from origin: Slot) -> Slot? {
        guard let hash = identity.label?.hash else { return nil }
        let slot = Slot(identity: identity, record: origin.record, core: self, order: origin.order, standing: .derived)
        var garbage = Garbage()
        let isRemembered = lock.withLock {
            guard keyed[hash]?.last === origin, table.slots(tagged: identity.tag).isEmpty else { return false }
            put(slot, replacing: nil, &garbage)
            derived[hash, default: []].append(slot)
            return true
        }
        garbage.dispose()
        return isRemembered ? slot : nil
    }

    // MARK: Registering

    /// Inserts registrations as one step: either all of them or, if one is refused, none.
    ///
    /// `check` is called without the lock for each identity, and again for one that changed before the lock was taken, so
    /// that of two who both saw it free only one goes on.
    func insert<Refusal: Error>(
        _ records: [Record],
        check: (ServiceKey) throws(Refusal) -> Void,
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) {
        let identities = records.flatMap { record in record.identities.map { (record, $0) } }
        // Where one identity stands twice in a step, the later one wins, as always.
        let earlier = identities.indices.map { index in
            identities[..<index].lastIndex { $0.1 == identities[index].1 }
        }
        // An eager service's other forms are made here, by casts, which need no lock and show early what it is not.
        let forms = identities.map { record, identity in record.given?.cast(to: identity.type) }
        for (form, (record, identity)) in zip(forms, identities) where form == nil && record.given != nil {
            try refuse(.wrongType(record, asked: identity))
        }
        var checked: [[Slot]?] = Array(repeating: nil, count: identities.count)

        while true {
            let (revision, candidates) = lock.withLock {
                let candidates = identities.map { _, identity in
                    identity.label.map { keyed[$0.hash] ?? [] } ?? table.slots(tagged: identity.tag)
                }
                return (self.revision, candidates)
            }
            var replaced: [Slot?] = []
            for (index, (_, identity)) in identities.enumerated() {
                let taken = candidates[index].filter { $0.identity.label == identity.label }
                if checked[index] == nil || !taken.elementsEqual(checked[index] ?? [], by: ===) {
                    checked[index] = taken
                    try check(identity)
                }
                let old = taken.first { $0.identity == identity }
                if let old, old.record.isFinal { try refuse(.forbidden(identity, in: self, taken: old)) }
                replaced.append(old)
            }
            let garbage: Garbage? = lock.withLock {
                guard self.revision == revision else { return nil }
                var garbage = Garbage()
                guard !isGone else { return garbage }
                self.revision += 1
                var inserted: [Slot] = []
                for (index, (record, identity)) in identities.enumerated() {
                    let present = earlier[index].map { inserted[$0] } ?? replaced[index]
                    inserted.append(insert(record, identity, forms[index], replacing: present, &garbage))
                }
                return garbage
            }
            if let garbage {
                garbage.dispose()
                return
            }
        }
    }

    private func insert(
        _ record: Record,
        _ identity: ServiceKey,
        _ form: Instance?,
        replacing present: Slot?,
        _ garbage: inout Garbage
    ) -> Slot {
        registered += 1
        if record.slots == 0 { record.serial = registered }
        let slot = Slot(identity: identity, record: record, core: self, order: registered)
        if let hash = identity.label?.hash {
            forgetDerived(hash, &garbage)
            keyed[hash, default: []].removeAll { $0 === present }
            keyed[hash, default: []].append(slot)
        }
        record.slots += 1
        put(slot, replacing: present, &garbage)
        if let form { publish(form, in: slot) }
        if let present { retire(present, &garbage) }
        return slot
    }

    private func put(_ slot: Slot, replacing old: Slot?, _ garbage: inout Garbage) {
        guard !table.put(slot, replacing: old) else { return }
        let outgrown = table
        table = table.grown()
        _ = table.put(slot, replacing: old)
        injectle_store(&head.pointee.table, table.block)
        garbage.add(outgrown)
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
    func make(of record: Record) -> Record.Make? {
        lock.withLock { record.make }
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
                for slot in table.slots(tagged: identity.tag) where slot.record === record { publish(form, in: slot) }
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
        if !slot.record.isSendable, policy == .strict, case .on = slot.record.place { return }
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
            for slot in doomed where !slot.isDetached {
                table.remove(slot)
                if let hash = slot.identity.label?.hash {
                    forgetDerived(hash, &garbage)
                    keyed[hash]?.removeAll { $0 === slot }
                    if keyed[hash]?.isEmpty == true { keyed[hash] = nil }
                }
                retire(slot, &garbage)
            }
            return garbage
        }
        garbage.dispose()
    }

    /// Removes everything, in place. With `forGood`, nothing can be registered afterwards.
    func empty(forGood: Bool = false) {
        let garbage = lock.withLock {
            var garbage = Garbage()
            revision += 1
            isGone = isGone || forGood
            let outgrown = table
            table = Table()
            injectle_store(&head.pointee.table, table.block)
            for slot in outgrown.slots { retire(slot, &garbage) }
            garbage.add(outgrown)
            keyed = [:]
            derived = [:]
            return garbage
        }
        garbage.dispose()
    }

    /// Takes a slot out of service, and with a record's last slot what was made for it. The lock is held.
    private func retire(_ slot: Slot, _ garbage: inout Garbage) {
        garbage.add(slot.detach())
        garbage.add(slot)
        guard slot.standing == .registered else { return }
        let record = slot.record
        record.slots -= 1
        guard record.slots == 0 else { return }
        record.release(&garbage)
        guard let cell = cells.removeValue(forKey: ObjectIdentifier(record)) else { return }
        garbage.add(cell.state.discard())
        garbage.add(cell)
    }

    private func forgetDerived(_ hash: Int, _ garbage: inout Garbage) {
        for slot in derived.removeValue(forKey: hash) ?? [] {
            table.remove(slot)
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
                injectle_store_number(&head.pointee.isStrict, newValue == .strict ? 1 : 0)
                if newValue == .strict {
                    for slot in table.slots where !slot.record.isSendable { garbage.add(slot.withdraw()) }
                }
                return garbage
            }
            garbage.dispose()
        }
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
