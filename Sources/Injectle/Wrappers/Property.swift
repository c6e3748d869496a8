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
final class Property: ManagedBuffer<PropertyHead, Void> {

    /// - Parameters:
    ///   - type: The type of what it reads.
    ///   - optional: The type that nil is of, if nil is an answer.
    ///   - keepsFirst: Whether it stays with what it resolved first.
    static func make(
        _ type: Any.Type,
        optional: Any.Type? = nil,
        key: AnyHashable?,
        asker: PropertyHead.Asker,
        keepsFirst: Bool = false,
        _ fileID: StaticString,
        _ line: UInt
    ) -> PropertyReference {
        let frame = Frame.current
        let maker = frame?.pointee.core
        let override = maker == nil ? Ambient.override : nil
        let home =
            maker?._withUnsafeGuaranteedRef { Unmanaged<AnyObject>.passRetained($0) }
            ?? override.map { .passRetained($0) }
        let homeHead = maker?._withUnsafeGuaranteedRef { $0.head } ?? override?.head
        let property = make(
            at: homeHead,
            home,
            label: key.map { .passRetained(ServiceKey.Label($0)) },
            Site(fileID, line),
            asker,
            isOverride: override != nil,
            keepsFirst: keepsFirst
        )
        if let frame, key == nil, let given = frame.pointee.instance(for: optional ?? type) {
            if let form = given.isNil ? nil : given.cast(to: type) {
                property.settle(with: form)
            } else {
                property.clear()
            }
        }
        return PropertyReference(property)
    }

    /// What stands behind a ``Locator/Lazy`` that was asked for.
    static func make(asLazy request: Request, in core: Core) -> PropertyReference {
        let property = make(
            at: core.head,
            .passRetained(core),
            label: request.identity.label.map { .passRetained($0) },
            request.site,
            .lazy,
            isOverride: request.isOverride ?? false,
            keepsFirst: true
        )
        if let arguments = request.arguments { property.change { memory, _ in memory.arguments = arguments } }
        return PropertyReference(property)
    }

    /// Inlined, so that the words are written where they stay.
    @inline(__always)
    private static func make(
        at homeHead: UnsafeMutablePointer<CoreHead>?,
        _ home: Unmanaged<AnyObject>?,
        label: Unmanaged<ServiceKey.Label>?,
        _ site: Site,
        _ asker: PropertyHead.Asker,
        isOverride: Bool,
        keepsFirst: Bool
    ) -> Property {
        let buffer = create(minimumCapacity: 0) { _ in
            PropertyHead(
                homeHead: homeHead,
                home: home,
                label: label,
                site: site,
                asker: asker,
                isOverride: isOverride,
                keepsFirst: keepsFirst
            )
        }
        // `create` makes an object of the class it is called on.
        let property = unsafeDowncast(buffer, to: Property.self)
        property.head.pointee.owner = .passUnretained(property)
        return property
    }

    /// Gives it what it reads from now on, whatever is registered. Before anybody else has it.
    private func settle(with given: Instance) {
        let memory = PropertyMemory()
        memory.settled = given
        memory.seen = .ofArguments
        head.pointee.memory = .passRetained(memory)
        head.pointee.keepsFirst = true
        head.pointee.slot = UnsafeMutableRawPointer(Slot.ofArguments.head)
        head.pointee.own = given.storage
        head.pointee.stamp = PropertyHead.alwaysValid
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
    func change<Value>(_ body: (PropertyMemory, inout Garbage) -> Value) -> Value {
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
    ///
    /// - Parameter isolation: The actor that asks, if that is known.
    func provide(
        _ type: Any.Type,
        isOptional: Bool,
        isolation: (any Actor)? = nil,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        if head.pointee.keepsFirst {
            return try provideFirst(type, isOptional: isOptional, isolation: isolation, into: storage)
        }
        let core = head.pointee.place.core
        let isProvided = try Resolution.provide(
            request(type, isolation),
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
        isolation: (any Actor)?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let (present, arguments) = change { memory, _ in
            if memory.settled == nil { memory.firstReaders += 1 }
            return (memory.settled, memory.arguments)
        }
        if let present {
            try allowHandingOut(to: isolation)
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
            try Resolution.provide(
                request(type, isolation, arguments),
                in: core,
                for: self,
                isOptional: isOptional,
                into: storage
            )
        }
        guard let instance else { return false }
        if instance.isNil {
            // That there is none is not kept.
            instance.copy(to: storage)
            return true
        }
        settle(with: instance, resolvedIn: core).copy(to: storage)
        return true
    }

    /// What is kept from the first time on, awaited.
    func provideFirst(
        _ type: Any.Type,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance {
        let (present, arguments) = change { memory, _ in (memory.settled, memory.arguments) }
        if let present {
            try allowHandingOut(to: isolation)
            return present
        }
        let core = head.pointee.place.core
        let instance = try await Resolution.provideInTask(
            request(type, isolation, arguments),
            in: core,
            isOptional: false,
            isolation: isolation
        )
        let found = required(instance)
        if core.isStrict, let slot = core.find(request(type, isolation).identity, given: arguments) {
            remember(slot, foundIn: core, isPart: false)
        }
        // That there is none is not kept.
        return found.isNil ? found : settle(with: found, resolvedIn: core)
    }

    /// Keeps what was resolved first. Returns what is kept, which another may have resolved before.
    private func settle(with instance: Instance, resolvedIn core: Core) -> Instance {
        let isStrict = core.isStrict
        return change { memory, garbage in
            // Of two who read first at once, one settles it for both.
            if let settled = memory.settled { return settled }
            memory.settled = instance
            garbage.add(closure: memory.arguments)
            memory.arguments = nil
            // In a strict locator, each read is looked at.
            if !isStrict { injectle_store(&head.pointee.own, instance.storage) }
            return instance
        }
    }

    /// Throws where a strict locator would not let what was settled leave the actor it was made on.
    private func allowHandingOut(to isolation: (any Actor)?) throws(InjectleError) {
        guard head.pointee.place.core.isStrict, let slot = change({ memory, _ in memory.seen }) else { return }
        guard slot.record.isSendable || slot.record.place.isHere(isolation) else {
            throw .isolation(request(slot.identity.type, isolation), slot, waited: nil)
        }
    }

    private func request(
        _ type: Any.Type,
        _ isolation: (any Actor)?,
        _ arguments: Arguments? = nil
    ) -> Request {
        let head = head.pointee
        let asker: StaticString =
            switch head.asker {
            case .inject: "@Inject"
            case .optject: "@Optject"
            case .injected: "@Injected"
            case .lazy: "Lazy"
            }
        return Request(
            identity: ServiceKey(type: type, qualifier: head.label?.takeUnretainedValue()),
            asker: asker,
            site: head.site,
            isolation: isolation,
            isOverride: head.place.isOverride,
            arguments: arguments
        )
    }

    /// Notes what was found, for the next read.
    ///
    /// - Parameter isPart: Whether it is handed on as part of something else.
    func remember(_ slot: Slot, foundIn core: Core, isPart: Bool) {
        let isShared = slot.record.kind.isShared
        // What a parent has may be hidden by a child at any time, and an override may be gone at the next read.
        if head.pointee.keepsFirst {
            // Of several parts, one that may not cross actors counts.
            if core.isStrict {
                change { memory, garbage in
                    guard memory.seen == nil || !slot.record.isSendable else { return }
                    garbage.add(memory.seen)
                    memory.seen = slot
                }
            }
            return
        }
        guard !isPart, slot.belongs(to: core), slot.standing != .transient, slot.record.isSendable || !core.isStrict
        else {
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
                // Who keeps it may be another the next time.
                if slot.record.lifetime.isDecidedAnew { return }
            }
            garbage.add(memory.seen)
            // Where each read is looked at, none is remembered.
            let noted = core.isWatched ? nil : slot
            memory.seen = noted
            injectle_store(&head.pointee.slot, noted?.head)
            injectle_store_number(&head.pointee.stamp, stamp)
        }
    }

    /// Removes, for good, what the property has and will have.
    func clear() {
        change { memory, garbage in
            injectle_store_number(&head.pointee.isCleared, 1)
            garbage.add(memory.settled)
            memory.settled = nil
            forget(memory, &garbage)
        }
    }

    func forget(_ memory: PropertyMemory, _ garbage: inout Garbage) {
        injectle_store(&head.pointee.slot, nil)
        // What was settled stays.
        if memory.settled == nil { injectle_store(&head.pointee.own, nil) }
        garbage.add(memory.seen)
        memory.seen = nil
        forgetCell(memory, &garbage)
    }

    func forgetCell(_ memory: PropertyMemory, _ garbage: inout Garbage) {
        garbage.add(memory.cell)
        garbage.add(memory.askedIn)
        memory.cell = nil
        memory.askedIn = nil
    }
}

/// What a property remembers.
final class PropertyMemory {
    /// Where the service was found last.
    var seen: Slot?
    /// Where one is made that is nobody else's, and the locator that was asked for it.
    var cell: Cell?
    var askedIn: Core?
    /// What it is resolved with, until it is, for a `Lazy`.
    var arguments: Arguments?
    /// What was resolved first, for a property that keeps it.
    var settled: Instance?
    /// How many are resolving it, while there is none.
    var firstReaders = 0
}
