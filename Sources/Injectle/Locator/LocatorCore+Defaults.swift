// The default registrations of keys.

extension LocatorCore {
    /// Registers the default of a key in the root, if the key has one, for the key and its own type, and for its other
    /// identities that are free. Returns whether the lookup has to be repeated.
    func registerDefault(for identity: Locator.Identity) -> Bool {
        let root = root
        while let found = makeDefault(for: identity) {
            // `unregisteredDefault` has a record of its own, which no thread can register twice.
            root.forgetDefaults { $0.entry.identity == found.entry.identity }
            if root.insertIfAbsent(found.record) { return true }
            if root.closeHasBegun { return false }
            // Another thread has registered the default, or another identity of it.
            if root.entry(found.entry.identity)?.isEmpty == false { return found.entry.identity == identity }
        }
        return false
    }

    /// Forgets defaults that `unregisteredDefault` has returned, whose records retain this core.
    func forgetDefaults(where isForgotten: (Found) -> Bool = { _ in true }) {
        guard let former = state.withLock({ $0.extras?.defaults }), !former.isEmpty else { return }
        let forgotten = former.filter(isForgotten)
        if forgotten.isEmpty { return }
        state.withLock { state in
            state.extras?.defaults.removeAll { present in forgotten.contains { $0.record === present.record } }
        }
        withExtendedLifetime((former, forgotten)) {}
    }

    /// The default of a key as it would be registered, for a lookup that registers nothing: each time the same.
    func unregisteredDefault(for identity: Locator.Identity) -> Found? {
        guard let made = makeDefault(for: identity) else { return nil }
        return root.state.withLock { state in
            if let present = state.extras?.defaults.first(where: { $0.entry.identity == made.entry.identity }) {
                return Found(entry: present.entry, record: present.record, as: made.identity.type)
            }
            state.ensuredExtras.defaults.append(made)
            return made
        }
    }

    /// A new record of the default of a key, with the identities that nothing in the root has.
    private func makeDefault(for identity: Locator.Identity) -> Found? {
        guard let key = identity.keyed?.declaration, nearestEnded == nil else { return nil }
        let own = Locator.Identity(unwrapped(key.serviceType), identity.keyed)
        guard registrationsWithArguments(as: own).isEmpty, let record = key.fallback?.copied() else { return nil }
        let root = root
        record.traits.list(own)
        record.traits.removeListings { $0.identity != own && root.hasRegistration(replacedBy: record, at: $0) }
        // A value that is the default of a key belongs to the program, which has it in all roots.
        if record.traits.lifetime.isSupplied { record.traits.hasDisposers = false }
        record.prepare(for: root)
        return Found(entry: Entry(root, own), record: record, as: identity.type)
    }
}
