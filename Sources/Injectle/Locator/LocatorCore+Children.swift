// The children of a locator.

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

    /// This core and its descendants, each after its parent.
    var withDescendants: [LocatorCore] { [self] + descendants }

    // MARK: Services of children

    /// Notes in the ancestors the types that only their descendants have had, such as the user of a request: the fixes
    /// of errors register these in no ancestor. Keys are not noted, since there can be any number of them.
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

    /// Whether a descendant has had a service before this locator, also one that a check has planned.
    func isServiceOfChildren(_ identity: Locator.Identity) -> Bool {
        identity.key == nil && table.value(of: identity.type)?.isOfChildren ?? false
    }
}
