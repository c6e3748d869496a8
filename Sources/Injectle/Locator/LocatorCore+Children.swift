internal import CInjectle

// The children of a core, and the references that they have to their parent.
//
// Requests on many threads create children of the same locator. If they changed one list and one reference count, each would
// wait until its processor gets these words from the last one that has changed them. So both are divided into parts, and a
// child is in the part of the thread that creates it.

/// The children of a core that some threads have created.
///
/// Invariant: `lock` guards `state`. The list does not retain the children: a child is in it from the creation to the release
/// of its locator, which retains it meanwhile, so code that finds it there can retain it.
@safe
struct ChildPart {
    @safe
    fileprivate struct State {
        var first: Unmanaged<LocatorCore>?
        /// The number of children whose locators retain the parent's locator.
        var locators = 0
        /// The number of children that retain the parent itself.
        var cores = 0
    }

    fileprivate let lock: UnsafeMutablePointer<Lock>
    fileprivate let state: UnsafeMutablePointer<State>

    /// The part at a position of the memory for all parts of a core.
    fileprivate init(_ index: Int, of parts: UnsafeMutableRawPointer) {
        let memory = unsafe parts + index * ChildPart.size
        unsafe lock = unsafe memory.assumingMemoryBound(to: Lock.self)
        unsafe state = unsafe (memory + 16).assumingMemoryBound(to: State.self)
    }

    /// The distance of parts in memory: the cache lines of some processors have 128 bytes.
    fileprivate static let size = 128

    fileprivate func initialize(isAlone: Bool) {
        unsafe lock.initialize(to: Lock(isAlone: isAlone))
        unsafe state.initialize(to: State())
    }
}

/// The references of children that are not counted in parts, since their parent waits for the last one.
///
/// Invariant: they change while the locks of all parts are held, so the lock of each part guards them.
@safe
struct ChildReferences {
    /// What the children's locators retain in place of the parent's locator, once that was released.
    fileprivate var lateEnd: Unmanaged<LateEnd>?
    /// Whether each child retains its parent itself.
    fileprivate var areRetained = false
}

/// The end of a core whose locator was released before the locators of its children.
@safe
private final class LateEnd {
    private var core: Unmanaged<LocatorCore>?

    /// - Parameter core: The core, with the reference of its locator.
    init(of core: Unmanaged<LocatorCore>) { unsafe self.core = unsafe core }

    /// The core, for code that has the last reference.
    func takeCore() -> Unmanaged<LocatorCore>? {
        defer { unsafe core = nil }
        return unsafe core
    }

    deinit {
        if let core = unsafe takeCore() { unsafe LocatorCore.end(core) }
    }
}

extension LocatorCore {
    // MARK: The list

    /// The cores of the locators whose parent this is.
    var children: [LocatorCore] { lock.withLock { listChildren() } }

    /// The cores of all locators below this one, each after its parent.
    var descendants: [LocatorCore] {
        var all = children
        var position = 0
        while position < all.count {
            all += all[position].children
            position += 1
        }
        return all
    }

    /// The children, in each part the latest first. The lock is held.
    func listChildren(atMost limit: Int = .max) -> [LocatorCore] {
        var children: [LocatorCore] = []
        forEachPart { part in
            unsafe part.lock.pointee.withLock {
                var next = unsafe part.state.pointee.first
                while children.count < limit, let child = unsafe next?.takeUnretainedValue() {
                    children.append(child)
                    unsafe next = child.nextSibling
                }
            }
        }
        return children
    }

    /// Adds a new core to the children of its parent, which it retains from then on.
    ///
    /// - Parameters:
    ///   - retainsLocator: Whether its locator retains the parent's locator, which the caller retains then.
    ///   - inherit: Copies what children inherit, which does not change meanwhile.
    func join(_ parent: LocatorCore, retainsLocator: Bool, _ inherit: () -> Void) {
        let part = parent.ownPart
        self.part = part
        retainsParentLocator = retainsLocator
        unsafe part.lock.pointee.withLock {
            inherit()
            if parent.childReferences.areRetained {
                _ = unsafe Unmanaged.passRetained(parent)
            } else {
                unsafe part.state.pointee.cores += 1
            }
            if retainsLocator { unsafe part.state.pointee.locators += 1 }
            // From here on, other threads can find it.
            let link = unsafe Unmanaged.passUnretained(self)
            unsafe part.state.pointee.first?._withUnsafeGuaranteedRef { $0.previousSibling = unsafe link }
            nextSibling = unsafe part.state.pointee.first
            unsafe part.state.pointee.first = unsafe link
        }
    }

    /// Removes the core from its parent's list.
    private func removeFromParent() {
        guard let part else { return }
        unsafe part.lock.pointee.withLock {
            if let previousSibling {
                unsafe previousSibling._withUnsafeGuaranteedRef { $0.nextSibling = nextSibling }
            } else {
                unsafe part.state.pointee.first = nextSibling
            }
            unsafe nextSibling?._withUnsafeGuaranteedRef { $0.previousSibling = previousSibling }
            (previousSibling, nextSibling) = (nil, nil)
        }
    }

    // MARK: The parts

    /// The number of parts of a root, a power of two: more than threads can run at once, so that few of them share a part.
    private static let partCountOfRoot: Int = {
        var count = 8
        while count < 4 * injectle_processor_count(), count < 512 { count *= 2 }
        return count
    }()

    /// The part for children that the calling thread creates.
    private var ownPart: ChildPart {
        let parts = unsafe injectle_load(&header.pointee.children) ?? lock.withLock { unsafe makeParts() }
        let index = unsafe Int(injectle_thread_current().pointee.index) & header.pointee.lastPart
        return unsafe ChildPart(index, of: parts)
    }

    /// The lock is held.
    private func makeParts() -> UnsafeMutableRawPointer {
        if let parts = unsafe header.pointee.children { return unsafe parts }
        // Below a root, few locators have children on several threads.
        let isRoot = unsafe header.pointee.parent == nil
        let count = isRoot ? LocatorCore.partCountOfRoot : 1
        let parts = unsafe injectle_allocate(count * ChildPart.size, isRoot ? ChildPart.size : 16)
        for index in 0..<count { unsafe ChildPart(index, of: parts).initialize(isAlone: isRoot) }
        unsafe header.pointee.lastPart = count - 1
        unsafe injectle_store(&header.pointee.children, parts)
        return unsafe parts
    }

    /// Whether it has had a child. Most locators never have one, and test this word a few times until they are freed: so the
    /// test is inlined, and the work on parts is not.
    private var hasParts: Bool {
        @inline(__always) get { unsafe injectle_load(&header.pointee.children) != nil }
    }

    /// The lock is held, or no other thread has the core.
    private func forEachPart(_ body: (ChildPart) -> Void) {
        guard let parts = unsafe header.pointee.children else { return }
        for index in 0...(unsafe header.pointee.lastPart) { unsafe body(ChildPart(index, of: parts)) }
    }

    /// Changes what children inherit or how they refer to this core. The lock is held, or no other thread has the core.
    @inline(__always)
    func withAllParts(_ body: () -> Void) {
        if hasParts { lockParts() }
        body()
        if hasParts { unlockParts() }
    }

    @inline(never)
    private func lockParts() { forEachPart { unsafe $0.lock.pointee.lock() } }

    @inline(never)
    private func unlockParts() { forEachPart { unsafe $0.lock.pointee.unlock() } }

    /// Frees the parts. There are no children.
    @inline(__always)
    func freeParts() {
        if hasParts { freeExistingParts() }
    }

    private func freeExistingParts() {
        forEachPart { part in
            _ = unsafe part.lock.deinitialize(count: 1)
        }
        if let parts = unsafe header.pointee.children { unsafe injectle_free(parts) }
    }

    // MARK: References

    /// Ends a core whose locator is released, unless locators of its children retain that: then the last one ends it.
    ///
    /// - Parameter core: The core, with the reference of its locator.
    static func release(_ core: Unmanaged<LocatorCore>) {
        if unsafe !core._withUnsafeGuaranteedRef({ $0.hasParts && $0.endsLater() }) { unsafe end(core) }
    }

    /// Whether locators of children retain the released locator. Then they retain its end instead.
    private func endsLater() -> Bool {
        lock.withLock {
            withAllParts {
                var count = 0
                forEachPart { unsafe count += $0.state.pointee.locators }
                if count == 0 { return }
                let lateEnd = unsafe LateEnd(of: .passUnretained(self))
                for _ in 0..<count { unsafe childReferences.lateEnd = .passRetained(lateEnd) }
            }
            return unsafe childReferences.lateEnd != nil
        }
    }

    /// Ends a core whose locator is released and that no locator of a child retains, and then the ancestors that only it has
    /// retained.
    fileprivate static func end(_ core: Unmanaged<LocatorCore>) {
        // One after the other, since a long chain would overflow the stack.
        var next: Unmanaged<LocatorCore>? = unsafe core
        while let core = unsafe next {
            var lateEnd = unsafe endOnly(core)
            unsafe next = isKnownUniquelyReferenced(&lateEnd) ? lateEnd?.takeCore() : nil
        }
    }

    /// Ends a core. Returns the end of its parent, if its locator has retained that.
    private static func endOnly(_ released: Unmanaged<LocatorCore>) -> LateEnd? {
        var core = unsafe released.takeRetainedValue()
        // The caller releases the end of the parent once this core is freed, if it is.
        return unsafe released._withUnsafeGuaranteedRef { $0.end(ifAlone: { isKnownUniquelyReferenced(&core) }) }
    }

    /// Drops the contents, leaves the parent's list, and releases the parent's locator.
    ///
    /// - Parameter isAlone: Whether no one else has a reference, apart from those that children count.
    private func end(ifAlone isAlone: () -> Bool) -> LateEnd? {
        // A core without other references has no readers, and is freed without a grace period, unless it has instances to
        // dispose of, or instances in caches that outlive it.
        if !isAlone() || mustBeEmptied || hasParts && hasCountedCores {
            empty(forGood: true)
            removeFromParent()
        } else {
            // See `dropCachedInstances`.
            let thread = unsafe injectle_enter()
            removeFromParent()
            // Other code may have found it in the list before.
            if isAlone() {
                let dropped = endScopedCache()
                unsafe injectle_leave(thread)
                notifyParent()
                if observes(.didUnregister) { reportRelease() }
                dropped?.release()
                freeContents()
                return releaseParentLocator(andParent: true)
            }
            existingScopedCache?.retainRecords()
            unsafe injectle_leave(thread)
            empty(forGood: true)
        }
        notifyParent()
        if hasParts { retainForChildren() }
        return releaseParentLocator()
    }

    /// Releases the parent's locator.
    ///
    /// - Parameter andParent: Whether to release the parent, too, if that needs no reference of its own.
    private func releaseParentLocator(andParent: Bool = false) -> LateEnd? {
        guard retainsParentLocator, let parent = parentReference, let part else { return nil }
        return unsafe parent._withUnsafeGuaranteedRef { parent in
            unsafe part.lock.pointee.withLock {
                if let lateEnd = unsafe parent.childReferences.lateEnd { return unsafe lateEnd.takeRetainedValue() }
                unsafe part.state.pointee.locators -= 1
                // The parent has not ended, since this core has retained its locator.
                if andParent {
                    unsafe part.state.pointee.cores -= 1
                    parentReference = nil
                }
                return nil
            }
        }
    }

    /// Whether children count their references to this core.
    private var hasCountedCores: Bool {
        var count = 0
        lock.withLock {
            forEachPart { part in unsafe part.lock.pointee.withLock { unsafe count += part.state.pointee.cores } }
        }
        return count > 0
    }

    /// Retains this core for each child that counts its reference to it, and lets all retain it themselves from then on.
    private func retainForChildren() {
        lock.withLock {
            withAllParts {
                childReferences.areRetained = true
                forEachPart { part in
                    for _ in 0..<(unsafe part.state.pointee.cores) { _ = unsafe Unmanaged.passRetained(self) }
                    unsafe part.state.pointee.cores = 0
                }
            }
        }
    }

    /// Releases the parent. Returns it if that was not only counted, to be released by the caller.
    @inline(__always)
    func takeParent() -> LocatorCore? {
        guard let part, let parent = parentReference else { return nil }
        return unsafe takeParent(parent, in: part)
    }

    private func takeParent(_ parent: Unmanaged<LocatorCore>, in part: ChildPart) -> LocatorCore? {
        parentReference = nil
        let isRetained = unsafe parent._withUnsafeGuaranteedRef { parent in
            unsafe part.lock.pointee.withLock {
                if !parent.childReferences.areRetained { unsafe part.state.pointee.cores -= 1 }
                return parent.childReferences.areRetained
            }
        }
        return unsafe isRetained ? parent.takeRetainedValue() : nil
    }
}
