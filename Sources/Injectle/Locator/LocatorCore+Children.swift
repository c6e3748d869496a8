// The list of a core's children. It is intrusive and does not retain them.
//
// Invariant: a core is in its parent's list from the creation to the release of its locator, which retains it meanwhile.
// So code that finds it there under the lock can retain it. The lock of a core guards its `firstChild`, and the siblings
// of its children.

extension LocatorCore {
    /// The cores of the locators whose parent this is, latest first.
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

    /// The lock is held.
    func listChildren(atMost limit: Int = .max) -> [LocatorCore] {
        var children: [LocatorCore] = []
        var next = firstChild
        while children.count < limit, let child = unsafe next?.takeUnretainedValue() {
            children.append(child)
            unsafe next = child.nextSibling
        }
        return children
    }

    /// Adds a new child at the front. The lock is held.
    func addChild(_ child: LocatorCore) {
        let link = unsafe Unmanaged.passUnretained(child)
        unsafe firstChild?._withUnsafeGuaranteedRef { $0.previousSibling = unsafe link }
        child.nextSibling = firstChild
        firstChild = unsafe link
    }

    /// Removes the core from its parent's list, before its locator releases it.
    func removeFromParent() {
        withParent { parent in
            parent.lock.withLock {
                if let previousSibling {
                    unsafe previousSibling._withUnsafeGuaranteedRef { $0.nextSibling = nextSibling }
                } else {
                    parent.firstChild = nextSibling
                }
                unsafe nextSibling?._withUnsafeGuaranteedRef { $0.previousSibling = previousSibling }
                (previousSibling, nextSibling) = (nil, nil)
            }
        }
    }
}
