// Which locators a locator is the parent of.

/// The place of a core among the children of its parent, and where those of its own begin.
///
/// Invariant: a core is in its parent's list from when its locator is made until that goes, and is retained by that for
/// as long. So whoever finds it there under the lock may retain it. `firstChild` is guarded by the lock of the core
/// that it is of, and its place among its siblings by the parent's.
struct Kinship {
    fileprivate var firstChild: Unmanaged<Core>?
    fileprivate var next: Unmanaged<Core>?
    fileprivate var previous: Unmanaged<Core>?
}

extension Core {
    /// The cores of the locators that have this one as their parent, the latest first.
    var children: [Core] { lock.withLock { listChildren() } }

    /// Some of them, for what must not hold the lock for long.
    func children(atMost limit: Int) -> [Core] { lock.withLock { listChildren(atMost: limit) } }

    /// The cores of all locators below this one, each after its parent.
    var descendants: [Core] {
        var all = children
        var position = 0
        while position < all.count {
            all += all[position].children
            position += 1
        }
        return all
    }

    /// The lock is held.
    func listChildren(atMost limit: Int = .max) -> [Core] {
        var children: [Core] = []
        var next = kinship.firstChild
        while children.count < limit, let child = next?.takeUnretainedValue() {
            children.append(child)
            next = child.kinship.next
        }
        return children
    }

    /// Puts one in front of the others. The lock is held, and nobody else has the child.
    func adopt(_ child: Core) {
        let link = Unmanaged.passUnretained(child)
        kinship.firstChild?._withUnsafeGuaranteedRef { $0.kinship.previous = link }
        child.kinship.next = kinship.firstChild
        kinship.firstChild = link
    }

    /// Takes it out of its parent's list, before its locator lets go of it.
    func leaveParent() {
        parent?.lock.withLock {
            let (previous, next) = (kinship.previous, kinship.next)
            if let previous {
                previous._withUnsafeGuaranteedRef { $0.kinship.next = next }
            } else {
                parent?.kinship.firstChild = next
            }
            next?._withUnsafeGuaranteedRef { $0.kinship.previous = previous }
            (kinship.previous, kinship.next) = (nil, nil)
        }
    }
}
