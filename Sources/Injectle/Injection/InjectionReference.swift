public import CInjectle

/// The reference of a wrapper to its injection point.
///
/// Invariant: `address` is that of `property`, which lives as long as this does, and this as long as the wrapper that has
/// it. A read starts from `address` and retains no object on its way, which would cost more than the rest of it. That is
/// sound where the wrapper outlives the read: as part of a holder that the reading code refers to, and whose release the
/// compiler does not move before memory accesses like these, which are barriers to the shortening of a lifetime.
@usableFromInline
struct InjectionReference: @unchecked Sendable {
    // Sound to share: an `InjectionPoint` is shared by design. It cannot declare so, since its superclass does not.

    @usableFromInline let address: Unmanaged<InjectionPoint>
    private let property: InjectionPoint

    init(_ property: InjectionPoint) {
        self.property = property
        address = .passUnretained(property)
    }

    /// Calls `body` with the header of the injection point.
    @inlinable
    @inline(__always)
    func withHeader<Value>(_ body: (UnsafeMutablePointer<InjectionHeader>) -> Value) -> Value {
        address._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader(body) }
    }

    @usableFromInline
    func clear() { property.clear() }

    /// The instance that the property keeps, awaited.
    func provideFirst(
        _ type: Any.Type,
        _ isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance {
        try await property.provideFirst(type, isolation)
    }
}

/// The words of an injection point that readers see, and the rest.
///
/// Plain words, so that creating and freeing an object with such properties is fast. The `InjectionPoint` retains what is
/// retained.
@usableFromInline
struct InjectionHeader {
    /// The `Entry` that it read last.
    @usableFromInline var entry: UnsafeMutableRawPointer?
    /// The value that is the property's own.
    @usableFromInline var own: UnsafeMutableRawPointer?
    /// The state of the shared locators, with its lowest bit clear, in which `entry` is where to read.
    @usableFromInline var stamp: UInt = InjectionHeader.neverValid
    /// Whether it was set to nil.
    @usableFromInline var isCleared: UInt = 0
    /// Whether it was read before.
    var isRead: UInt = 0
    /// What it remembers beside these words; guarded by its stripe lock.
    var memory: Unmanaged<InjectionCache>?

    // From here on, nothing changes after the creation of the property, which includes setting an argument.

    /// Where it looks, if that was decided when it was created.
    let boundHeader: UnsafeMutablePointer<LocatorHeader>?
    /// What keeps `homeHead`. The core of the locator that was creation its owner, so that the two may refer to each
    /// other in a circle; or the locator that was the override in force, since a property may be read when nothing else
    /// refers to that any more.
    let boundLocator: Unmanaged<AnyObject>?
    let userKey: Unmanaged<ServiceKey.KeyPart>?
    let location: SourceLocation
    let requester: ResolveRequest.Requester
    /// Whether `home` was the override in force.
    let isOverride: Bool
    /// Whether it stays with what it resolved first.
    var keepsFirst: Bool

    @usableFromInline static var alwaysValid: UInt {
        @inlinable @inline(__always) get { .max }
    }

    /// No state that the shared locators can be in, with overrides or without.
    private static var neverValid: UInt { .max - 1 }

    // MARK: What a read finds

    /// What a read finds without looking anything up, or nil if it has to look.
    @inlinable
    @inline(__always)
    static func remembered<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<InjectionHeader>) -> Service? {
        let stamp = injectle_load_number(&header.pointee.stamp)
        let current = injectle_ambient()
        guard
            stamp == current || stamp == alwaysValid
                // Where a task may have an override, this one has to be asked.
                || (stamp == current & ~1 && injectle_override() == nil)
        else { return nil }
        return load(type, header)
    }

    /// What the remembered entry or the property itself has.
    @inlinable
    @inline(__always)
    static func load<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<InjectionHeader>) -> Service? {
        withReadSection {
            guard let address = injectle_load(&header.pointee.entry) else { return nil }
            let service = Unmanaged<Entry>.fromOpaque(address).withHeader { entry in
                EntryHeader.service(of: entry)
                    ?? (EntryHeader.isDetached(entry) ? nil : injectle_load(&header.pointee.own))
            }
            return service?.assumingMemoryBound(to: Service.self).pointee
        }
    }

    /// What a property keeps that stays with what it resolved first: it never changes, so it needs no protection.
    @inlinable
    @inline(__always)
    static func cached<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<InjectionHeader>) -> Service? {
        injectle_load(&header.pointee.own)?.assumingMemoryBound(to: Service.self).pointee
    }

    /// Returns the service, or nil if `isOptional` and none is registered. Traps with the text of any other error.
    @inlinable
    @inline(never)
    static func orStop<Service>(
        _ type: Service.Type,
        isOptional: Bool,
        _ property: Unmanaged<InjectionPoint>
    ) -> Service? {
        let found: Service? = property._withUnsafeGuaranteedRef { property in
            property.withUnsafeMutablePointerToHeader { header in
                switch lookup(header) {
                case .remembered: load(type, header)
                case .at(let core): LocatorHeader.load(type, core)
                case .nowhere: nil
                }
            }
        }
        if let found { return found }
        do throws(InjectleError) {
            return try received(type) { storage throws(InjectleError) in
                try provide(type, isOptional: isOptional, property, into: storage)
            }
        } catch {
            fatalError(error.description)
        }
    }

    // MARK: Where it looks

    /// The locator to look in, and the stamp under which what is found there may be remembered, if it may.
    struct Target {
        let header: UnsafeMutablePointer<LocatorHeader>
        let stamp: UInt?
        let isOverride: Bool

        /// The locator's core, which the property keeps, or the task, or the process.
        var core: LocatorCore {
            header.pointee.owner.takeUnretainedValue()
        }
    }

    var place: Target {
        if let boundHeader {
            return Target(header: boundHeader, stamp: InjectionHeader.alwaysValid, isOverride: isOverride)
        }
        // The word is read before what it stands for: a change in between makes the stamp outdated, never the value.
        let word = injectle_ambient()
        if let override = CurrentLocator.overrideHead { return Target(header: override, stamp: nil, isOverride: true) }
        let stamp = injectle_uses_public_overrides() ? nil : word & ~1
        return Target(header: CurrentLocator.header, stamp: stamp, isOverride: false)
    }

    /// Where a read that has to look can find what needs no creation.
    @usableFromInline
    enum Lookup {
        case remembered
        case at(UnsafeMutablePointer<LocatorHeader>)
        case nowhere
    }

    @usableFromInline
    static func lookup(_ header: UnsafeMutablePointer<InjectionHeader>) -> Lookup {
        if header.pointee.keepsFirst { return .nowhere }
        let place = header.pointee.place
        if place.stamp == injectle_load_number(&header.pointee.stamp) { return .remembered }
        if header.pointee.userKey != nil { return .nowhere }
        // A property that is read once, as in an object made for one request, is not worth a note; the next read makes
        // one.
        if injectle_load_number(&header.pointee.isRead) != 0, place.stamp != nil { return .nowhere }
        injectle_store_number(&header.pointee.isRead, 1)
        return .at(place.header)
    }

    @usableFromInline
    static func provide(
        _ type: Any.Type,
        isOptional: Bool,
        isolation: (any Actor)? = nil,
        _ property: Unmanaged<InjectionPoint>,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let property = property.takeUnretainedValue()
        let origin = property.withUnsafeMutablePointerToHeader { header in
            header.pointee.keepsFirst || header.pointee.userKey != nil || injectle_load(&header.pointee.own) != nil
                ? nil : header.pointee.place.header
        }
        if let origin {
            // The instance that a locator has created for itself is not cached here, since it is found fast enough.
            let isFound = withReadSection {
                LocatorHeader.find(UInt(bitPattern: ObjectIdentifier(type)), from: origin)
                    .map { EntryHeader.copyOwn(of: $0, as: type, in: origin, to: storage) } ?? false
            }
            if isFound { return true }
        }
        return try property.provide(type, isOptional: isOptional, isolation: isolation, into: storage)
    }
}
