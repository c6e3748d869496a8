// The children of a locator, and its handles: a locator ends with the last one.

extension LocatorCore {
    /// The cores of the locators whose parent this is.
    var children: [LocatorCore] { state.withLock { $0.children } }

    var hasChildren: Bool { state.withLock { !$0.children.isEmpty } }

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

    /// A locator with this core. Nil once the last one was released.
    var handle: Locator? {
        if self === LocatorCore.processCore { return .unbound }
        let isAlive = state.withLock { state in
            if state.handles > 0 { state.handles += 1 }
            return state.handles > 0
        }
        return isAlive ? Locator(self) : nil
    }

    /// Releases a handle of a core, and ends the core with the last one, and then the ancestors that only it has
    /// retained.
    static func releaseHandle(of core: LocatorCore) {
        var core = core
        // One after the other, since a long chain would overflow the stack.
        while core.dropHandle() {
            // A close in progress ends it, in its order.
            guard core.endLocator(by: .release) else { return }
            guard let parent = core.leaveParent() else { return }
            core = parent
        }
    }

    /// Returns whether it was the last handle.
    private func dropHandle() -> Bool {
        state.withLock { state in
            state.handles -= 1
            return state.handles == 0
        }
    }

    /// Completes the release of a core that was left to a close, which has ended.
    func completeRelease() {
        let isLeft = state.withLock { state in
            guard state.extras?.isLeftToClose == true else { return false }
            state.extras?.isLeftToClose = false
            return true
        }
        if isLeft, let parent = leaveParent() { LocatorCore.releaseHandle(of: parent) }
    }

    /// Removes a core that has ended from its parent, of which it may need services until its instances are released.
    /// Returns the parent if the caller has to release its handle.
    private func leaveParent() -> LocatorCore? {
        guard let parent else { return nil }
        let endingsInProgress = endingsInProgress
        if endingsInProgress.isEmpty {
            parent.remove(child: self)
            return retainsParentLocator ? parent : nil
        }
        Task {
            for rest in endingsInProgress { await rest.wait() }
            if let parent = leaveParent() { LocatorCore.releaseHandle(of: parent) }
        }
        return nil
    }

    /// Removes a child, whose place the last one gets.
    private func remove(child: LocatorCore) {
        state.withLock { state in
            let position = child.state.withLock { $0.position }
            guard let last = state.children.popLast(), last !== child else { return }
            state.children[position] = last
            last.state.withLock { $0.position = position }
        }
    }

    // MARK: Services of children

    /// Notes in the ancestors the types that only their descendants have had, such as the user of a request: the fixes of
    /// errors register these in no ancestor. Keys are not noted, since there can be any number of them.
    @inline(never)
    func noteInAncestors(_ record: AnyRecord) {
        for listing in record.traits.listings where listing.identity.keyed == nil {
            for core in chain.dropFirst() { core.noteServiceOfChildren(listing) }
        }
    }

    /// The next child finds the empty entry without a lock.
    private func noteServiceOfChildren(_ listing: Locator.Listing) {
        let identity = listing.identity
        state.withLock { _ in
            if table.value(of: identity.type) != nil { return }
            table.insert(Entry(self, identity, isOfChildren: !listing.isContribution), for: identity.type)
        }
    }

    /// Whether only descendants have had a service, also those that a check has planned.
    func isServiceOfChildren(_ identity: Locator.Identity) -> Bool {
        identity.key == nil && table.value(of: identity.type)?.isOfChildren ?? false
    }
}
