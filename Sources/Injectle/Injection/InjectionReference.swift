public import CInjectle

/// The reference of a wrapper to its injection point.
///
/// Invariant: `address` is the address of `point`, which lives as long as this value. A read starts from `address` and
/// retains no object, which would cost more than the rest of it. A read of a property is sound since the accessor of
/// the property keeps its owner alive: the compiler does not release `self` of an accessor, inlined or not, before
/// memory accesses such as these. A wrapper that is read as a value has no such accessor, so `callAsFunction` extends
/// the lifetime of `point`.
@usableFromInline
@safe
struct InjectionReference: @unchecked Sendable {
    // Sound to share: an `InjectionPoint` is shared by design. It cannot declare so, since its superclass does not.

    @usableFromInline let address: Unmanaged<InjectionPoint>
    @usableFromInline let point: InjectionPoint

    init(_ point: InjectionPoint) {
        self.point = point
        unsafe address = unsafe .passUnretained(point)
    }

    /// Calls `body` with the header of the injection point.
    @inlinable
    @inline(__always)
    func withHeader<Value>(_ body: (UnsafeMutablePointer<InjectionHeader>) -> Value) -> Value {
        unsafe address._withUnsafeGuaranteedRef { unsafe $0.withUnsafeMutablePointerToHeader(body) }
    }

    @usableFromInline
    func clear() { point.clear() }
}

/// The words of an injection point that readers see, and the rest.
///
/// Plain words, so that creating and freeing an object with such properties is fast. The `InjectionPoint` retains
/// the objects.
@usableFromInline
@safe
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
    /// The guarded part. The stripe lock guards it.
    var memory: Unmanaged<InjectionCache>?

    // From here on, nothing changes after the creation of the property, which includes setting an argument.

    /// Where it looks, if that was decided when it was created.
    let boundHeader: UnsafeMutablePointer<LocatorHeader>?
    /// Retains `boundHeader`: the core of the locator that created the property's owner, so that locator and owner may
    /// refer to each other in a circle; or the override, to which nothing else may refer when the property is read.
    let boundLocator: Unmanaged<AnyObject>?
    let userKey: Unmanaged<Locator.Identity.KeyPart>?
    let location: SourceLocation
    let requester: ResolveRequest.Requester
    /// Whether `boundHeader` was the override.
    let isOverride: Bool
    /// Whether it keeps the first instance.
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
        let stamp = unsafe injectle_load_number(&header.pointee.stamp)
        let current = injectle_lookup_stamp()
        guard
            unsafe stamp == current || stamp == alwaysValid
                // A task can have an override, which is looked up.
                || (stamp == current & ~1 && injectle_override() == nil)
        else { return nil }
        return unsafe load(type, header)
    }

    /// What the remembered entry or the property itself has.
    @inlinable
    @inline(__always)
    static func load<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<InjectionHeader>) -> Service? {
        withReadSection {
            guard let address = unsafe injectle_load(&header.pointee.entry) else { return nil }
            let service = unsafe Unmanaged<Entry>.fromOpaque(address).withHeader { entry in
                unsafe EntryHeader.service(of: entry)
                    ?? (EntryHeader.isDetached(entry) ? nil : injectle_load(&header.pointee.own))
            }
            return unsafe service?.assumingMemoryBound(to: Service.self).pointee
        }
    }

    /// The instance of a property that keeps its first one. It never changes, so it needs no read section.
    @inlinable
    @inline(__always)
    static func cached<Service>(_ type: Service.Type, _ header: UnsafeMutablePointer<InjectionHeader>) -> Service? {
        unsafe injectle_load(&header.pointee.own)?.assumingMemoryBound(to: Service.self).pointee
    }

    /// Returns the service, or nil if `isOptional` and none is registered. Traps with the text of any other error.
    @inlinable
    @inline(never)
    static func orStop<Service>(
        _ type: Service.Type,
        isOptional: Bool,
        _ property: Unmanaged<InjectionPoint>
    ) -> Service? {
        // The caller keeps the property alive.
        let header = unsafe property._withUnsafeGuaranteedRef { point in
            unsafe point.withUnsafeMutablePointerToHeader { unsafe $0 }
        }
        let (isRemembered, origin) = unsafe lookup(header)
        let found = unsafe isRemembered ? load(type, header) : origin.flatMap { unsafe LocatorHeader.load(type, $0) }
        if let found { return found }
        do throws(InjectleError) {
            return try unsafe received(type) { storage throws(InjectleError) in
                try unsafe provide(type, isOptional: isOptional, property, into: storage)
            }
        } catch {
            unsafe stop(error, property)
        }
    }

    // MARK: Where it looks

    /// The locator to look in, and the stamp under which the property may remember an entry of it, if it may. The
    /// property, the task or the process retains the locator.
    var place: (locator: UnsafeMutablePointer<LocatorHeader>, stamp: UInt?, isOverride: Bool) {
        @inline(__always) get {
            if let boundHeader = unsafe boundHeader {
                return unsafe (boundHeader, InjectionHeader.alwaysValid, isOverride)
            }
            // The stamp is read before the locator: a change in between makes the stamp invalid, never the instance.
            let word = injectle_lookup_stamp()
            if let override = unsafe CurrentLocator.overrideHead { return unsafe (override, nil, true) }
            let hasStamp = unsafe word & 1 == 0 || injectle_key_of_overrides() != nil
            return unsafe (CurrentLocator.header, hasStamp ? word & ~1 : nil, false)
        }
    }

    /// Returns whether the remembered entry is valid, and otherwise the locator in which a read may find an instance
    /// that exists, if there is one.
    @usableFromInline
    static func lookup(
        _ header: UnsafeMutablePointer<InjectionHeader>
    ) -> (isRemembered: Bool, origin: UnsafeMutablePointer<LocatorHeader>?) {
        if unsafe header.pointee.keepsFirst { return (false, nil) }
        let place = unsafe header.pointee.place
        if unsafe place.stamp == injectle_load_number(&header.pointee.stamp) { return (true, nil) }
        if unsafe header.pointee.userKey != nil { return (false, nil) }
        // A property that is read once, as in an object made for one request, is not worth a note; the next read makes
        // one.
        if unsafe injectle_load_number(&header.pointee.isRead) != 0, unsafe place.stamp != nil { return (false, nil) }
        unsafe injectle_store_number(&header.pointee.isRead, 1)
        return unsafe (false, place.locator)
    }

    /// Initializes `storage`, memory for a value of `type`, by the service. Returns false if none is registered and
    /// `isOptional`.
    @usableFromInline
    static func provide(
        _ type: Any.Type,
        isOptional: Bool = false,
        _ property: Unmanaged<InjectionPoint>,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let property = unsafe property.takeUnretainedValue()
        if property.keepsFirst {
            let instance = try property.provideFirst(type, isOptional: isOptional)
            unsafe instance?.copy(to: storage)
            return instance != nil
        }
        if unsafe property.header.userKey == nil, !property.hasOwn {
            let origin = unsafe property.header.place.locator
            // The instance that a locator has created for itself is not cached here, since it is found fast enough.
            let isFound = withReadSection {
                unsafe LocatorHeader.find(UInt(bitPattern: ObjectIdentifier(type)), from: origin)
                    .map { unsafe EntryHeader.copyOwn(of: $0, as: type, in: origin, to: storage) } ?? false
            }
            if isFound { return true }
        }
        let core = property.core
        let request = property.request(type, isOptional: isOptional)
        let isProvided = try unsafe Resolution.provide(request, in: core, for: property, into: storage)
        // An instance of a registration that was removed is released.
        if unsafe !isProvided || asOptional(type)?.isNil(at: storage) == true, property.hasOwn {
            property.change { memory, retired in property.forget(memory, &retired) }
        }
        return isProvided
    }
}
