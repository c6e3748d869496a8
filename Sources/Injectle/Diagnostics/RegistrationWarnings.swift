extension LocatorCore {
    /// Writes a warning where synchronous code may have the instance that an async registration replaces or hides: its
    /// next read finds none.
    @inline(never)
    func warn(about record: AnyRecord, replacing replaced: [AnyRecord]) {
        // Code of a locator that is being built has read nothing yet.
        let hidden = isBeingBuilt ? [] : record.traits.identities.compactMap { parent?.find($0).found }
        let former = replaced.first { hasReadableInstance(of: $0) }
        let other = hidden.first { $0.entry.core.hasReadableInstance(of: $0.record) }?.record
        guard let old = former ?? other else { return }
        let identity = record.traits.identity
        let facts = [
            (label: "registered", text: "in \(record.traits.location)"),
            (
                label: former == nil ? "hidden" : "replaced",
                text: "a registration in \(old.traits.location), whose instance exists"
            ),
            (
                label: "fix",
                text: "create the service first, and register it: \(expression).register(.eager(try await …))"
            ),
            (label: "or", text: "try await \(expression).resolveAsync(\(reference(identity))), before code reads it"),
        ]
        let sentence =
            "warning: \(identity) now requires async creation: until it exists, `resolve` throws and properties trap."
        printError(reportText(sentence, facts))
    }

    /// Writes a warning where an existing value is registered once the locator has ended: its disposers never run.
    @inline(never)
    func warn(aboutIgnored record: AnyRecord) {
        guard record.traits.hasDisposers, record.readyInstance != nil else { return }
        let identity = record.traits.identity
        let sentence =
            "warning: \(identity) is registered in \(title), which has ended: it is ignored, and its `onDispose` hook does "
            + "not run."
        let facts = [
            (label: "registered", text: "in \(record.traits.location)"),
            (label: "fix", text: "register it before the locator ends, or dispose of it where it was created"),
        ]
        printError(reportText(sentence, facts))
    }

    /// Whether properties may have read a shared instance.
    private func hasReadableInstance(of record: AnyRecord) -> Bool {
        record.readyInstance == nil && record.traits.lifetime.isShared
            && instance(of: record) != nil
    }
}
