// Which locators a locator is the parent of.

/// The place of a core among the children of its parent, and where those of its own begin.
///
/// Invariant: a core is in its parent's list from when its locator is made until that goes, and is retained by that for
/// as long. So whoever finds it there under the lock may retain it. `firstChild` is guarded by the lock of the core
/// that it is of, and its place among its siblings by the parent's.
struct ChildLinks {
    fileprivate var firstChild: Unmanaged<LocatorCore>?
    fileprivate var next: Unmanaged<LocatorCore>?
    fileprivate var previous: Unmanaged<LocatorCore>?
}

extension LocatorCore {
    /// The cores of the locators that have this one as their parent, the latest first.
    var children: [LocatorCore] { lock.withLock { listChildren() } }

    /// Some of them, for what must not hold the lock for long.
    func children(atMost limit: Int) -> [LocatorCore] { lock.withLock { listChildren(atMost: limit) } }

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
        var next = childLinks.firstChild
        while children.count < limit, let child = next?.takeUnretainedValue() {
            children.append(child)
            next = child.childLinks.next
        }
        return children
    }

    /// Puts one in front of the others. The lock is held, and nobody else has the child.
    func addChild(_ child: LocatorCore) {
        let link = Unmanaged.passUnretained(child)
        childLinks.firstChild?._withUnsafeGuaranteedRef { $0.childLinks.previous = link }
        child.childLinks.next = childLinks.firstChild
        childLinks.firstChild = link
    }

    /// Takes it out of its parent's list, before its locator lets go of it.
    func removeFromParent() {
        parent?.lock.withLock {
            let (previous, next) = (childLinks.previous, childLinks.next)
            if let previous {
                previous._withUnsafeGuaranteedRef { $0.childLinks.next = next }
            } else {
                parent?.childLinks.firstChild = next
            }
            next?._withUnsafeGuaranteedRef { $0.childLinks.previous = previous }
            (childLinks.previous, childLinks.next) = (nil, nil)
        }
    }
}
