extension LocatorCore {
    /// Writes a warning where synchronous code may have the instance that an async registration replaces or hides: its
    /// next read finds none.
    @inline(never)
    func warn(about record: AnyRecord, replacing replaced: [AnyRecord]) {
        // Code of a locator that is being built has read nothing yet.
        let hidden = isBeingBuilt ? [] : record.traits.identities.compactMap { parent?.find($0).found }
        let former = replaced.first { hasSyncInstance(of: $0) }
        let other = hidden.first { $0.entry.core.hasSyncInstance(of: $0.record) }?.record
        guard let old = former ?? other else { return }
        let identity = record.traits.identity
        let facts = [
            (label: "registered", text: "in \(record.traits.location)"),
            (
                label: former == nil ? "hidden" : "replaced",
                text: "a synchronous registration in \(old.traits.location), whose instance exists"
            ),
            (
                label: "fix",
                text: "try await \(expression).resolveAsync(\(reference(identity))), before a property reads it"
            ),
        ]
        let sentence =
            "warning: \(identity) now requires async creation: until it exists, properties that read it trap."
        printError(reportText(sentence, facts))
    }

    /// Whether properties may have read a shared instance.
    private func hasSyncInstance(of record: AnyRecord) -> Bool {
        !record.traits.isAsync && record.readyInstance == nil && record.traits.lifetime.isShared
            && instance(of: record) != nil
    }
}
