internal import CInjectle

/// What stands behind a wrapper: where it looks, what it found last, and what was made for it alone.
///
/// One object for each property. In front lies what a read needs, so that reading again follows one pointer, takes no
/// lock and retains nothing but the service.
///
/// Invariant: the words of `head` that change are written under this property's stripe lock and read by anyone. `slot`
/// is null or the head of `seen`; `own` is null or the storage of what `cell` made, or of `settled`. Inside `reading`,
/// what they lead to stays allocated: whoever takes it out of the words disposes of it as `Garbage`. `memory` and what
/// it has are touched only under the stripe lock.
final class Property: ManagedBuffer<PropertyHead, Void>, CellHolder {

    /// - Parameter keepsFirst: Whether it stays with what it resolved first.
    static func make(
        key: AnyHashable?,
        asker: PropertyHead.Asker,
        keepsFirst: Bool = false,
        _ fileID: StaticString,
        _ line: UInt
    ) -> PropertyReference {
        let maker = Frame.current?.pointee.core
        let override = maker == nil ? Ambient.override : nil
        let home =
            maker?._withUnsafeGuaranteedRef { Unmanaged<AnyObject>.passRetained($0) }
            ?? override.map { .passRetained($0) }
        let homeHead = maker?._withUnsafeGuaranteedRef { $0.head } ?? override?.head
        let buffer = create(minimumCapacity: 0) { _ in
            PropertyHead(
                homeHead: homeHead,
                home: home,
                label: key.map { .passRetained(ServiceKey.Label($0)) },
                site: Site(fileID, line),
                asker: asker,
                isOverride: override != nil,
                keepsFirst: keepsFirst
            )
        }
        // `create` makes an object of the class it is called on.
        let property = unsafeDowncast(buffer, to: Property.self)
        property.head.pointee.owner = .passUnretained(property)
        return PropertyReference(property)
    }

    deinit {
        let head = head.pointee
        head.home?.release()
        head.label?.release()
        head.memory?.release()
    }

    /// The words that a read looks at, which live as long as this object.
    var head: UnsafeMutablePointer<PropertyHead> { withUnsafeMutablePointerToHeader { $0 } }

    private static let stripes = (0..<64).map { _ in Stripe() }

    /// One of few locks for many properties. It is held for some instructions, and only when what is remembered
    /// changes.
    private final class Stripe: Sendable {
        let lock = Lock()
    }

    /// Changes what is guarded, and releases afterwards what the change took out.
    private func change<Value>(_ body: (PropertyMemory, inout Garbage) -> Value) -> Value {
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        let (value, garbage) = Property.stripes[Int(address >> 5 & 63)].lock.withLock {
            var garbage = Garbage()
            let value = body(memory, &garbage)
            return (value, garbage)
        }
        garbage.dispose()
        return value
    }

    /// What is guarded, made when there is something to remember. The stripe lock is held.
    private var memory: PropertyMemory {
        if let memory = head.pointee.memory { return memory.takeUnretainedValue() }
        let memory = PropertyMemory()
        head.pointee.memory = .passRetained(memory)
        return memory
    }

    // MARK: Reading

    /// Initializes `storage`, memory for a value of `type`, by the service. False if none is registered and
    /// `isOptional`.
    func provide(
        _ type: Any.Type,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        if head.pointee.keepsFirst { return try provideFirst(type, isOptional: isOptional, into: storage) }
        let core = head.pointee.place.core
        let isProvided = try Resolution.provide(
            request(type),
            in: core,
            for: self,
            isOptional: isOptional,
            into: storage
        )
        // What was made for it by a registration that is gone goes with it.
        let isNone = !isProvided || asOptional(type)?.isNil(at: storage) == true
        if isNone, injectle_load(&head.pointee.own) != nil {
            change { memory, garbage in forget(memory, &garbage) }
        }
        return isProvided
    }

    private func provideFirst(
        _ type: Any.Type,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let present = change { memory, _ in
            if memory.settled == nil { memory.firstReaders += 1 }
            return memory.settled
        }
        if let present {
            try allowHandingOut()
            present.copy(to: storage)
            return true
        }
        defer {
            change { memory, garbage in
                memory.firstReaders -= 1
                // What it was made by is not asked again, once those who asked at the same time have it, too.
                if memory.firstReaders == 0, memory.settled != nil { forgetCell(memory, &garbage) }
            }
        }
        let core = head.pointee.place.core
        let instance = try Instance(orNone: type) { storage throws(InjectleError) in
            try Resolution.provide(request(type), in: core, for: self, isOptional: isOptional, into: storage)
        }
        guard let instance else { return false }
        if instance.isNil {
            // That there is none is not kept.
            instance.copy(to: storage)
            return true
        }
        let isStrict = core.isStrict
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
        guard head.pointee.place.core.isStrict, let slot = change({ memory, _ in memory.seen }) else { return }
        guard slot.record.isSendable || slot.record.place.isHere(nil) else {
            throw .isolation(request(slot.identity.type), slot, waited: nil)
        }
    }

    private func request(_ type: Any.Type) -> Request {
        let head = head.pointee
        let asker: StaticString =
            switch head.asker {
            case .inject: "@Inject"
            case .optject: "@Optject"
            case .injected: "@Injected"
            }
        return Request(
            identity: ServiceKey(type: type, label: head.label?.takeUnretainedValue()),
            asker: asker,
            site: head.site,
            isolation: nil,
            isOverride: head.place.isOverride
        )
    }

    /// Notes what was found, for the next read.
    func remember(_ slot: Slot, foundIn core: Core) {
        let isShared = slot.record.lifetime.isShared
        // What a parent has may be hidden by a child at any time, and an override may be gone at the next read.
        if head.pointee.keepsFirst {
            if core.isStrict { change { memory, _ in if memory.seen == nil { memory.seen = slot } } }
            return
        }
        guard slot.belongs(to: core), slot.standing != .transient, slot.record.isSendable || !core.isStrict else {
            return
        }
        let place = head.pointee.place
        guard place.head == core.head, let stamp = place.stamp else { return }
        change { memory, garbage in
            // Another locator may have become the shared one since, and somebody else have noted what that has.
            guard stamp == PropertyHead.alwaysValid || stamp == injectle_ambient() & ~1 else { return }
            guard injectle_load_number(&head.pointee.isCleared) == 0 else { return }
            if isShared {
                injectle_store(&head.pointee.own, nil)
                forgetCell(memory, &garbage)
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
            forget(memory, &garbage)
        }
    }

    private func forget(_ memory: PropertyMemory, _ garbage: inout Garbage) {
        injectle_store(&head.pointee.slot, nil)
        // What was settled stays.
        if memory.settled == nil { injectle_store(&head.pointee.own, nil) }
        garbage.add(memory.seen)
        memory.seen = nil
        forgetCell(memory, &garbage)
    }

    private func forgetCell(_ memory: PropertyMemory, _ garbage: inout Garbage) {
        garbage.add(memory.cell)
        garbage.add(memory.askedIn)
        memory.cell = nil
        memory.askedIn = nil
    }

    // MARK: What is made for it alone

    /// Makes sure that the property's cell is for `record`, asked for in `core`.
    func prepare(for record: Record, askedIn core: Core) {
        change { memory, garbage in
            guard memory.cell?.record !== record || memory.askedIn !== core else { return }
            forget(memory, &garbage)
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
        let keepsFirst = head.pointee.keepsFirst
        return change { memory, garbage in
            let (waiters, _) = cell.state.succeed(with: instance)
            if injectle_load_number(&head.pointee.isCleared) != 0 {
                forget(memory, &garbage)
            } else if memory.cell === cell, !keepsFirst {
                injectle_store(&head.pointee.own, instance.storage)
            }
            return waiters
        }
    }

    func fail(_ cell: Cell) -> [Cell.Waiter] {
        change { _, _ in cell.state.fail() }
    }
}

/// What a property remembers.
final class PropertyMemory {
    /// Where the service was found last.
    var seen: Slot?
    /// Where one is made that is nobody else's, and the locator that was asked for it.
    var cell: Cell?
    var askedIn: Core?
    /// What was resolved first, for a property that keeps it.
    var settled: Instance?
    /// How many are resolving it, while there is none.
    var firstReaders = 0
}
