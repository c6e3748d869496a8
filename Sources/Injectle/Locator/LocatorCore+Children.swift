internal import CInjectle

// The children of a core.
//
// Invariant: the lock of the parent guards its list and the count of its handles. The list does not retain the children: a
// child is in it from its creation to the release of its locator, which retains it meanwhile, so code that finds it there can
// retain it. A core ends once its handles are zero: its own locator, and the locators of children, which retain it.

extension LocatorCore {
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

    /// The children, the latest first. The lock is held.
    func listChildren(atMost limit: Int = .max) -> [LocatorCore] {
        var children: [LocatorCore] = []
        var next = firstChild
        while children.count < limit, let child = unsafe next?.takeUnretainedValue() {
            children.append(child)
            unsafe next = child.nextSibling
        }
        return children
    }

    /// Adds a new core to the children of its parent.
    ///
    /// - Parameters:
    ///   - retainsLocator: Whether its locator retains the parent's locator, which the caller retains then.
    ///   - inherit: Copies what children inherit, which does not change meanwhile.
    func join(_ parent: LocatorCore, retainsLocator: Bool, _ inherit: () -> Void) {
        retainsParentLocator = retainsLocator
        parent.lock.withLock {
            inherit()
            if retainsLocator { parent.handles += 1 }
            // From here on, other threads can find it.
            let link = unsafe Unmanaged.passUnretained(self)
            unsafe parent.firstChild?._withUnsafeGuaranteedRef { $0.previousSibling = unsafe link }
            nextSibling = parent.firstChild
            parent.firstChild = unsafe link
        }
    }

    /// Removes the core from its parent's list.
    private func removeFromParent() {
        parent?.lock.withLock {
            if let previousSibling {
                unsafe previousSibling._withUnsafeGuaranteedRef { $0.nextSibling = nextSibling }
            } else {
                parent?.firstChild = nextSibling
            }
            unsafe nextSibling?._withUnsafeGuaranteedRef { $0.previousSibling = previousSibling }
            (previousSibling, nextSibling) = (nil, nil)
        }
    }

    /// Releases a handle of a core, and ends the core with the last one, and then the ancestors that only it has retained.
    ///
    /// - Parameter handle: The core, with the reference of its locator.
    static func release(_ handle: Unmanaged<LocatorCore>) {
        var core = unsafe handle.takeRetainedValue()
        // One after the other, since a long chain would overflow the stack.
        while core.releaseHandle() {
            let parent = core.retainsParentLocator ? core.parent : nil
            end(&core)
            guard let parent else { return }
            core = parent
        }
    }

    /// Returns whether that was the last one.
    private func releaseHandle() -> Bool {
        lock.withLock {
            handles -= 1
            return handles == 0
        }
    }

    /// Drops the contents of a core, which leaves its parent's list.
    private static func end(_ core: inout LocatorCore) {
        guard !core.mustBeEmptied, isKnownUniquelyReferenced(&core) else {
            core.empty(forGood: true)
            return core.removeFromParent()
        }
        // A core without other references has no readers, and is freed without a grace period. See `dropCachedInstances`.
        let thread = unsafe injectle_enter()
        core.removeFromParent()
        // Other code may have found it in the list before.
        let isAlone = isKnownUniquelyReferenced(&core)
        if !isAlone { core.existingScopedCache?.retainRecords() }
        let dropped = isAlone ? core.endScopedCache() : nil
        unsafe injectle_leave(thread)
        guard isAlone else { return core.empty(forGood: true) }
        if core.observes(.didUnregister) { core.reportRelease() }
        dropped?.release()
        core.freeContents()
    }
}
