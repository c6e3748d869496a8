internal import CInjectle

/// What stands behind a wrapper: where it looks, what it found last, and what was made for it alone.
///
/// One object for each property. In front lies what a read needs, so that reading again follows one pointer, takes no lock
/// and retains nothing but the service.
///
/// Invariant: the words of `head` are written under this property's stripe lock and read by anyone. `slot` is null or the
/// head of `seen`; `own` is null or the storage of what `cell` made, or of `settled`. Inside `reading`, what they lead to
/// stays allocated: whoever takes it out of the words disposes of it as `Garbage`. The memory behind the state, one element
/// of it, is touched only under the stripe lock; the rest of the state never changes.
final class Property: ManagedBuffer<PropertyState, PropertyMemory>, CellHolder {

    /// - Parameter keepsFirst: Whether it stays with what it resolved first.
    static func make(
        key: AnyHashable?,
        asker: StaticString,
        keepsFirst: Bool = false,
        _ fileID: StaticString,
        _ line: UInt
    ) -> PropertyReference {
        let buffer = create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(to: PropertyMemory()) }
            return PropertyState(
                label: key.map(ServiceKey.Label.init),
                home: PropertyState.Home.current,
                keepsFirst: keepsFirst,
                asker: asker,
                site: Site(fileID, line)
            )
        }
        // `create` makes an object of the class it is called on.
        let property = unsafeDowncast(buffer, to: Property.self)
        property.head.pointee.owner = .passUnretained(property)
        return PropertyReference(property)
    }

    deinit {
        _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: 1) }
    }

    /// The words that a read looks at, which live as long as this object.
    var head: UnsafeMutablePointer<PropertyHead> {
        // They are the first thing in the state, and so at its address.
        withUnsafeMutablePointerToHeader { UnsafeMutableRawPointer($0).assumingMemoryBound(to: PropertyHead.self) }
    }

    private var state: UnsafeMutablePointer<PropertyState> { withUnsafeMutablePointerToHeader { $0 } }

    /// Few locks for many properties: one is held for some instructions, and only when what is remembered changes.
    private static let stripes = (0..<64).map { _ in Lock() }

    /// Changes what is guarded, and releases afterwards what the change took out.
    private func change<Value>(_ body: (inout PropertyMemory, inout Garbage) -> Value) -> Value {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        let (value, garbage) = Property.stripes[Int(address >> 5 & 63)].withLock {
            var garbage = Garbage()
            let value = withUnsafeMutablePointerToElements { body(&$0.pointee, &garbage) }
            return (value, garbage)
        }
        garbage.dispose()
        return value
    }

    // MARK: Reading

    /// Initializes `storage`, memory for a value of `type`, by the service. False if none is registered and `isOptional`.
    func provide(
        _ type: Any.Type,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        if state.pointee.keepsFirst { return try provideFirst(type, isOptional: isOptional, into: storage) }
        let core = place.core
        let isProvided = try Resolution.provide(
            request(type),
            in: core,
            for: self,
            isOptional: isOptional,
            into: storage
        )
        // What was made for it by a registration that is gone goes with it.
        if !isProvided, injectle_load(&head.pointee.own) != nil {
            change { memory, garbage in forget(&memory, &garbage) }
        }
        return isProvided
    }

    /// Where a read that has to look can find what needs no making.
    var lookup: PropertyHead.Lookup {
        if state.pointee.keepsFirst { return .nowhere }
        let place = place
        if place.stamp == injectle_load_number(&head.pointee.stamp) { return .remembered }
        if state.pointee.label != nil { return .nowhere }
        // A property that is read once, as in an object made for one request, is not worth a note; the next read makes one.
        if injectle_load_number(&head.pointee.isRead) != 0, place.stamp != nil { return .nowhere }
        injectle_store_number(&head.pointee.isRead, 1)
        return .at(place.core.head)
    }

    private func provideFirst(
        _ type: Any.Type,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        if let settled = change({ memory, _ in memory.settled }) {
            try allowHandingOut()
            settled.copy(to: storage)
            return true
        }
        let instance = try Instance(orNone: type) { storage throws(InjectleError) in
            try Resolution.provide(request(type), in: place.core, for: self, isOptional: isOptional, into: storage)
        }
        guard let instance else { return false }
        if instance.isNil {
            // That there is none is not kept.
            instance.copy(to: storage)
            return true
        }
        let isStrict = place.core.isStrict
        let settled = change { memory, _ in
            // Of two who read first at once, one settles it for both.
            if let settled = memory.settled { return settled }
            memory.settled = instance
            // In a strict locator, each read is looked at.
            if !isStrict { injectle_store(&head.pointee.own, instance.storage) }
            return instance
        }
        settled.copy(to: storage)
        return true
    }

    /// Throws where a strict locator would not let what was settled leave the actor it was made on.
    private func allowHandingOut() throws(InjectleError) {
        guard place.core.isStrict, let slot = change({ memory, _ in memory.seen }) else { return }
        guard slot.record.isSendable || slot.record.place.isHere(nil) else {
            throw .isolation(request(slot.identity.type), slot, waited: nil)
        }
    }

    private func request(_ type: Any.Type) -> Request {
        Request(
            identity: ServiceKey(type: type, label: state.pointee.label),
            asker: state.pointee.asker,
            site: state.pointee.site,
            isolation: nil,
            isOverride: place.isOverride
        )
    }

    // MARK: Where it looks

    /// The locator to look in, and the stamp under which what is found there may be remembered, if it may.
    private var place: (core: Core, stamp: UInt?, isOverride: Bool) {
        switch state.pointee.home {
        case .maker(let core):
            return (core, PropertyHead.alwaysValid, false)
        case .override(let locator):
            return (locator.core, PropertyHead.alwaysValid, true)
        case nil:
            // The word is read before what it stands for: a change in between makes the stamp outdated, never the value.
            let word = injectle_ambient()
            if let override = Ambient.override { return (override.core, nil, true) }
            return (Ambient.core, word & ~1, false)
        }
    }

    /// Notes what was found, for the next read.
    func remember(_ slot: Slot, foundIn core: Core) {
        let isShared = slot.record.lifetime.isShared
        // What a parent has may be hidden by a child at any time, and an override may be gone at the next read.
        if state.pointee.keepsFirst {
            if core.isStrict { change { memory, _ in if memory.seen == nil { memory.seen = slot } } }
            return
        }
        guard slot.core === core, slot.standing != .transient, slot.record.isSendable || !core.isStrict else { return }
        let place = place
        guard place.core === core, let stamp = place.stamp else { return }
        change { memory, garbage in
            // Another locator may have become the shared one since, and somebody else have noted what that has.
            guard stamp == PropertyHead.alwaysValid || stamp == injectle_ambient() & ~1 else { return }
            if isShared {
                injectle_store(&head.pointee.own, nil)
                garbage.add(memory.cell)
                memory.cell = nil
                memory.askedIn = nil
            } else {
                guard memory.cell?.record === slot.record, memory.askedIn === core else { return }
            }
            garbage.add(memory.seen)
            memory.seen = slot
            injectle_store(&head.pointee.slot, slot.head)
            injectle_store_number(&head.pointee.stamp, stamp)
        }
    }

    /// Removes, for good, what the property has and will have.
    func clear() {
        change { memory, garbage in
            injectle_store_number(&head.pointee.isCleared, 1)
            forget(&memory, &garbage)
        }
    }

    private func forget(_ memory: inout PropertyMemory, _ garbage: inout Garbage) {
        injectle_store(&head.pointee.slot, nil)
        // What was settled stays.
        if memory.settled == nil { injectle_store(&head.pointee.own, nil) }
        garbage.add(memory.seen)
        garbage.add(memory.cell)
        garbage.add(memory.askedIn)
        memory.seen = nil
        memory.cell = nil
        memory.askedIn = nil
    }

    // MARK: What is made for it alone

    /// Makes sure that the property's cell is for `record`, asked for in `core`.
    func prepare(for record: Record, askedIn core: Core) {
        change { memory, garbage in
            guard memory.cell?.record !== record || memory.askedIn !== core else { return }
            forget(&memory, &garbage)
            memory.cell = Cell(for: record)
            memory.askedIn = core
        }
    }

    func withCell<Value>(of record: Record, for asking: Core, _ body: (Cell) -> Value) -> Value? {
        change { memory, _ in
            guard let cell = memory.cell, cell.record === record, memory.askedIn === asking else { return nil }
            return body(cell)
        }
    }

    func succeed(_ cell: Cell, with instance: Instance) -> [Cell.Waiter] {
        let keepsFirst = state.pointee.keepsFirst
        return change { memory, _ in
            let (waiters, _) = cell.state.succeed(with: instance)
            if memory.cell === cell, !keepsFirst { injectle_store(&head.pointee.own, instance.storage) }
            return waiters
        }
    }

    func fail(_ cell: Cell) -> [Cell.Waiter] {
        change { _, _ in cell.state.fail() }
    }
}

/// What a property knows.
struct PropertyState {
    /// Where a property looks, if that was decided when it was created.
    enum Home {
        /// The locator that was making its owner. Its core, so that the two may refer to each other in a circle.
        case maker(Core)
        /// The override in force. The locator itself: the property may be read when nothing else refers to it any more.
        case override(Locator)

        static var current: Home? {
            if let core = Frame.makingCore { return .maker(core) }
            return Ambient.override.map { .override($0) }
        }
    }

    var head = PropertyHead()
    let label: ServiceKey.Label?
    let home: Home?
    let keepsFirst: Bool
    let asker: StaticString
    let site: Site

    init(label: ServiceKey.Label?, home: Home?, keepsFirst: Bool, asker: StaticString, site: Site) {
        self.label = label
        self.home = home
        self.keepsFirst = keepsFirst
        self.asker = asker
        self.site = site
    }
}

/// What a property remembers.
struct PropertyMemory {
    /// Where the service was found last.
    var seen: Slot?
    /// Where one is made that is nobody else's, and the locator that was asked for it.
    var cell: Cell?
    var askedIn: Core?
    /// What was resolved first, for a property that keeps it.
    var settled: Instance?
}
