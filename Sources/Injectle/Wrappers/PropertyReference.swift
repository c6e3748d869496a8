public import CInjectle

/// What a wrapper has of its property: the object, and the address of the words that a read looks at.
///
/// Invariant: `head` belongs to `property`, which lives as long as this does, and this as long as the wrapper that has it.
/// A read starts from `head` alone and retains no object on its way, which would cost more than all else it does. That is
/// sound where the wrapper outlives the read: as part of a holder that the reading code refers to, and whose release the
/// compiler does not move before memory accesses like these, which are barriers to the shortening of a lifetime.
@usableFromInline
struct PropertyReference: @unchecked Sendable {
    // Sound to share: a `Property` is made for it. It cannot say so itself, since its superclass does not.

    @usableFromInline let head: UnsafeMutablePointer<PropertyHead>
    private let property: Property

    init(_ property: Property) {
        self.property = property
        head = property.head
    }

    @usableFromInline
    func clear() { property.clear() }
}

/// What readers see of a property.
@usableFromInline
struct PropertyHead {
    /// The `SlotHead` where it read last.
    @usableFromInline var slot: UnsafeMutableRawPointer?
    /// The value that is the property's own.
    @usableFromInline var own: UnsafeMutableRawPointer?
    /// The state of the shared locators, with its lowest bit clear, in which `slot` is where to read.
    @usableFromInline var stamp: UInt = PropertyHead.neverValid
    /// Whether it was set to nil.
    @usableFromInline var isCleared: UInt = 0
    /// Whether it was read before.
    var isRead: UInt = 0
    /// The property itself. Never changes.
    var owner: Unmanaged<Property>?

    @usableFromInline static var alwaysValid: UInt {
        @inlinable @inline(__always) get { .max }
    }

    private static var neverValid: UInt { 1 }

    /// What a read finds without looking anything up, or nil if it has to look.
    @inlinable
    @inline(__always)
    static func remembered<Service>(_ type: Service.Type, _ head: UnsafeMutablePointer<PropertyHead>) -> Service? {
        let stamp = injectle_load_number(&head.pointee.stamp)
        guard stamp == injectle_ambient() || stamp == alwaysValid else { return nil }
        return load(type, head)
    }

    /// What the remembered slot or the property itself has.
    @inlinable
    @inline(__always)
    static func load<Service>(_ type: Service.Type, _ head: UnsafeMutablePointer<PropertyHead>) -> Service? {
        reading {
            guard let slot = injectle_load(&head.pointee.slot)?.assumingMemoryBound(to: SlotHead.self) else {
                return nil
            }
            let service =
                SlotHead.service(of: slot) ?? (SlotHead.isDetached(slot) ? nil : injectle_load(&head.pointee.own))
            return service?.assumingMemoryBound(to: Service.self).pointee
        }
    }

    /// What a property keeps that stays with what it resolved first: it never changes, so it needs no protection.
    @inlinable
    @inline(__always)
    static func kept<Service>(_ type: Service.Type, _ head: UnsafeMutablePointer<PropertyHead>) -> Service? {
        injectle_load(&head.pointee.own)?.assumingMemoryBound(to: Service.self).pointee
    }

    /// The service, nil if that is allowed and none is registered, or the end of the program with the text of the error.
    @inlinable
    @inline(never)
    static func orStop<Service>(
        _ type: Service.Type,
        isOptional: Bool,
        _ head: UnsafeMutablePointer<PropertyHead>
    ) -> Service? {
        switch lookup(head) {
        case .remembered: if let service = load(type, head) { return service }
        case .at(let core): if let service = CoreHead.load(type, core) { return service }
        case .nowhere: break
        }
        do throws(InjectleError) {
            return try received(type) { storage throws(InjectleError) in
                try provide(type, isOptional: isOptional, head, into: storage)
            }
        } catch {
            fatalError(error.description)
        }
    }

    /// Where a read that has to look can find what needs no making.
    @usableFromInline
    enum Lookup {
        case remembered
        case at(UnsafeMutablePointer<CoreHead>)
        case nowhere
    }

    @usableFromInline
    static func lookup(_ head: UnsafeMutablePointer<PropertyHead>) -> Lookup {
        head.pointee.owner?.takeUnretainedValue().lookup ?? .nowhere
    }

    @usableFromInline
    static func provide(
        _ type: Any.Type,
        isOptional: Bool,
        _ head: UnsafeMutablePointer<PropertyHead>,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        guard let property = head.pointee.owner?.takeUnretainedValue() else { return false }
        return try property.provide(type, isOptional: isOptional, into: storage)
    }
}
