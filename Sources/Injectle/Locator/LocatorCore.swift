internal import CInjectle

/// What a locator is made of, and what the instances it made hold on to.
///
/// A `Locator` is a handle over its core. The core and what it keeps may refer to each other in circles; when the last
/// handle goes, it empties the core, which ends them.
///
/// Invariant: all that stands under "guarded" changes only under `lock`, and no code of a user runs while it is held:
/// not a factory, not a hash, not a `deinit`. Readers reach the index's block and the parent through `header`, inside
/// `reading`, without the lock; what they could have reached is returned as `RetireList` by whoever unlinks it.
@usableFromInline
final class LocatorCore: @unchecked Sendable {
    // Sound to share: see the invariant.

    /// Whether it is one of the two of the process.
    enum Kind { case ordinary, `default`, test }

    /// What it was called when it was made.
    let name: String?
    private let kind: Kind
    let parent: LocatorCore?
    @usableFromInline let header: UnsafeMutablePointer<LocatorHeader>
    let lock = Lock()

    // MARK: Guarded

    // Touched in the files of this class alone: here, where registrations get in, and where instances are kept.
    // Unchecked here and below where it is hot: the lock excludes what the check would look for.
    @exclusivity(unchecked) var index = EntryIndex()
    /// What this locator makes and keeps, by record.
    @exclusivity(unchecked) var cells: [ObjectIdentifier: OnceCell] = [:]
    /// What it keeps besides, for lifetimes that ask for it.
    @exclusivity(unchecked) var scopedCache: ScopedCache?
    /// The transaction of the modules that are being applied.
    @exclusivity(unchecked) var transaction: Transaction?
    /// The ids of the modules that were applied before.
    @exclusivity(unchecked) var appliedModules: [AnyHashable] = []
    /// Counts the changes of the applied modules.
    @exclusivity(unchecked) var modulesRevision = 0
    /// Counts the changes, so that who looked without the lock sees whether that still holds.
    @exclusivity(unchecked) var revision = 0
    /// Counts the entries that were ever registered.
    @exclusivity(unchecked) var registered = 0
    @exclusivity(unchecked) var policy: Locator.Isolation
    @exclusivity(unchecked) var childLinks = ChildLinks()
    /// Its end, once that has begun.
    @exclusivity(unchecked) var closing: CloseOperation?
    /// Whether anything was registered that is to be disposed of.
    @exclusivity(unchecked) var hasDisposables = false
    /// The observers of this locator and of its descendants, in order.
    @exclusivity(unchecked) var behaviors: [(number: Int, behavior: any Locator.Behavior)] = []

    /// Made for a locator alone, which takes it out of its parent's list again.
    init(
        _ name: String?,
        kind: Kind = .ordinary,
        parent: LocatorCore? = nil,
        isolation: Locator.Isolation? = nil
    ) {
        self.name = name
        self.kind = kind
        self.parent = parent
        policy = isolation ?? .waiting(upTo: .seconds(2))
        header = .allocate(capacity: 1)
        header.initialize(to: LocatorHeader(parent: parent?.header, owner: .passUnretained(self)))
        set(LocatorHeader.strict, policy == .strict)
        guard let parent else { return }
        parent.lock.withLock {
            if isolation == nil {
                policy = parent.policy
                set(LocatorHeader.strict, policy == .strict)
            }
            if let closing = parent.closing {
                begin(closing)
                set(LocatorHeader.terminated, parent.isTerminated)
            }
            if parent.isObserved { set(LocatorHeader.observed, true) }
            // From here on others may see it.
            parent.addChild(self)
        }
    }

    deinit {
        // Nobody refers to it, so nobody reads from it.
        scopedCache?.end()
        index.destroy()
        header.deallocate()
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
    var chain: some Sequence<LocatorCore> { sequence(first: self, next: \.parent) }

    // MARK: Looking up

    /// Slots of this locator alone that share a tag, derived ones included.
    func entries(tagged tag: UInt) -> [Entry] {
        lock.withLock { index.entries(tagged: tag) }
    }

    /// Slots of this locator alone that are registered under a key, in order of registration.
    func entries(under userKey: ServiceKey.KeyPart) -> [Entry] {
        lock.withLock { index.registered(under: userKey) }
            .filter { $0.identity.userKey == userKey }
            .sorted { $0.order < $1.order }
    }

    /// The entry registered in this locator itself under exactly this identity.
    func ownEntry(_ identity: ServiceKey) -> Entry? {
        entries(equalTo: identity).first
    }

    /// The entries registered in this locator itself under exactly this identity, in order of registration: one at most,
    /// unless they are those of a list.
    func entries(equalTo identity: ServiceKey) -> [Entry] {
        entries(tagged: identity.tag)
            .filter { $0.role == .registered && $0.identity == identity }
            .sorted { $0.order < $1.order }
    }

    /// The entries registered in this locator itself as a type, with a key or without one: with arguments or without, and
    /// those of its list.
    func entries(as type: Any.Type, userKey: ServiceKey.KeyPart?) -> [Entry] {
        let identity = ServiceKey(type: unwrapped(type), keyPart: userKey)
        let list = ServiceKey(type: identity.type, keyPart: ServiceKey.KeyPart(.contributing, userKey: userKey))
        return [identity.tag, identity.tagDeclaringArguments, list.tag].flatMap(entries(tagged:)).filter { entry in
            entry.role == .registered && entry.identity.type == identity.type && entry.identity.userKey == userKey
        }
    }

    /// All entries of this locator itself, in order of registration.
    var ownEntries: [Entry] {
        lock.withLock { index.all }.filter { $0.role == .registered }.sorted { $0.order < $1.order }
    }

    /// The entries of a registration, or of several that were inserted as one step, in order of registration.
    func entries(of handle: Locator.RegistrationHandle) -> [Entry] {
        lock.withLock {
            // Another registration may have replaced the first identity.
            (handle.hash < 0 ? nil : index.entries(ofRecord: handle.serial, hash: handle.hash))
                ?? index.all.filter { $0.role == .registered && handle.includes($0.record) }
        }.sorted { $0.order < $1.order }
    }

    /// Keeps what was found by its key alone in the table, until something changes under that key.
    func remember(_ identity: ServiceKey, from origin: Entry) -> Entry? {
        guard let userKey = origin.identity.userKey else { return nil }
        let entry = Entry.make(
            // By the key that was registered: that which was asked for belongs to whoever asked.
            identity: ServiceKey(type: identity.type, keyPart: userKey),
            record: origin.record,
            core: self,
            order: origin.order,
            role: .keyAlias
        )
        var retired = RetireList()
        let isRemembered = lock.withLock {
            let isLatest = !origin.isDetached && !index.registered(under: userKey).contains { $0.order > origin.order }
            guard isLatest, index.entries(tagged: identity.tag).isEmpty else { return false }
            put(entry, replacing: nil, &retired)
            return true
        }
        retired.dispose()
        return isRemembered ? entry : nil
    }

    /// Lets readers find what stands in a entry by how its key looks.
    func cacheBits(_ cachedBits: CachedKeyBits, in entry: Entry) {
        lock.withLock { entry.cacheBits(cachedBits) }
    }

    // MARK: Removing

    /// Removes entries, and what was made for those records that lose their last identity.
    func remove(_ doomed: [Entry]) {
        guard !doomed.isEmpty else { return }
        let retired = lock.withLock {
            var retired = RetireList()
            revision += 1
            for entry in doomed.compactMap(current) { takeOut(entry, &retired) }
            return retired
        }
        retired.dispose()
    }

    /// Removes an entry from the index and retires it. The lock is held.
    func takeOut(_ entry: Entry, _ retired: inout RetireList) {
        index.remove(entry)
        if let userKey = entry.identity.userKey { removeKeyAliases(under: userKey, &retired) }
        retire(entry, &retired)
    }

    /// The entry that stands now for what a entry stood for. The lock is held.
    func current(_ entry: Entry) -> Entry? {
        guard entry.isDetached else { return entry }
        return index.entries(tagged: entry.identity.tag).first { $0.order == entry.order && $0.role == entry.role }
    }

    /// Removes everything, in place. With `forGood`, nothing can be registered afterwards.
    func empty(forGood: Bool = false) {
        var retired = RetireList()
        let cache = lock.withLock {
            revision += 1
            if forGood { set(LocatorHeader.terminated, true) }
            injectle_store(&header.pointee.table, nil)
            let cache = recordReset(&retired)
            let (entries, block) = index.removeAll()
            for entry in entries { retire(entry, &retired) }
            retired.add(block: block)
            return cache
        }
        // As one, so that the last made is disposed of first. Asked for anew, so that none is made after this.
        let emptied = forGood ? lock.withLock { scopedCache } : cache
        emptied?.removeAll(forGood: forGood, into: &retired)
        retired.dispose()
        if forGood { removeBehaviors() }
    }

    /// Takes a entry that has left the tables out of service, and with a record's last entry what was made for it. The
    /// lock is held.
    func retire(_ entry: Entry, _ retired: inout RetireList) {
        let form = entry.detach()
        retired.add(form)
        retired.add(Unmanaged.passUnretained(entry).takeRetainedValue())
        guard entry.role == .registered else { return }
        entry.record.entries -= 1
        if transaction != nil, recordRemoval(of: entry, showing: form) { return }
        release(entry.record, &retired)
    }

    /// Releases what was made of a record that has no entry any more. The lock is held.
    func release(_ record: RegistrationRecord, _ retired: inout RetireList) {
        guard record.entries == 0 else { return }
        if isObserved { reportUnregistration(record, &retired) }
        let given = record.given
        // The same may be given elsewhere, too, by a registration that says how it ends: that counts by itself.
        if record.hasDisposers { retired.add(cached: given) }
        record.release(&retired)
        retired.add(gone: record)
        guard let cell = cells.removeValue(forKey: ObjectIdentifier(record)) else { return }
        let product = cell.state.discard()
        // What is given was kept once, by being registered.
        if product !== given { retired.add(cached: product) }
        retired.add(cell)
    }

    func removeKeyAliases(under userKey: ServiceKey.KeyPart, _ retired: inout RetireList) {
        for entry in index.keyAlias(under: userKey) {
            index.remove(entry)
            retire(entry, &retired)
        }
    }

    // MARK: Isolation

    /// How this locator treats services that belong to an actor.
    var isolation: Locator.Isolation {
        get { lock.withLock { policy } }
        set {
            let retired = lock.withLock {
                var retired = RetireList()
                recordIsolation()
                enforce(newValue, &retired)
                return retired
            }
            retired.dispose()
        }
    }

    /// Changes how it treats services that belong to an actor. The lock is held.
    func enforce(_ policy: Locator.Isolation, _ retired: inout RetireList) {
        self.policy = policy
        revision += 1
        set(LocatorHeader.strict, policy == .strict)
        guard policy == .strict else { return }
        // Each is looked at from now on, also by properties that remember where they read it.
        for entry in index.all where !entry.record.isSendable { renew(entry, &retired) }
    }

    /// Lets readers see a flag. The lock is held, or nobody else has it.
    func set(_ flag: UInt, _ isSet: Bool) {
        let flags = injectle_load_number(&header.pointee.flags)
        injectle_store_number(&header.pointee.flags, isSet ? flags | flag : flags & ~flag)
    }

    /// Puts an equal entry in the place of one, so that nobody remembers where to read it. The lock is held.
    func renew(_ entry: Entry, _ retired: inout RetireList) {
        let renewed = Entry.make(
            identity: entry.identity,
            record: entry.record,
            core: self,
            order: entry.order,
            role: entry.role
        )
        put(renewed, replacing: entry, &retired)
        retired.add(entry.detach())
        retired.add(Unmanaged.passUnretained(entry).takeRetainedValue())
    }

    /// The instance of a record, or a factory's prototype, if it is there.
    func instance(of record: RegistrationRecord) -> Instance? {
        let (cached, cache) = lock.withLock {
            (record.given ?? cells[ObjectIdentifier(record)]?.state.product, scopedCache)
        }
        return (cached ?? cache?.instance(of: record))?.revived(as: record.serviceType)
    }

    /// Whether it refuses what belongs elsewhere.
    var isStrict: Bool { LocatorHeader.has(LocatorHeader.strict, header) }

    /// How often it was changed, and its ancestors.
    var revisions: [Int] { chain.map { core in core.lock.withLock { core.revision } } }

    /// Whether the last handle went, or it was closed.
    var isTerminated: Bool { LocatorHeader.has(LocatorHeader.terminated, header) }
}
