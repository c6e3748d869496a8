// Why a creation may create nothing, and only looks for an instance.

extension Acquisition {
    /// Why nothing may be created.
    enum Refusal {
        /// The service is being created on the way to here.
        case circular(Frame.Link)
        case tooDeep
        /// The closure is isolated to an actor that the thread cannot wait for.
        case isolation
        /// The closure is async, and a thread requests the service.
        case asynchronous
        /// The calling task was cancelled.
        case cancelled
        /// A locator that would have to dispose of the instance ends.
        case ending(LocatorCore)
    }

    func error(of refusal: Refusal) -> InjectleError {
        switch refusal {
        case .circular(let outer): .circularDependency(request, found, from: outer.depth)
        case .tooDeep: .tooDeep(request, found)
        case .isolation: .isolation(request, found)
        case .asynchronous: .asynchronous(request, found, caller)
        case .cancelled: .cancelled(request, found.identity)
        case .ending(let core): .ended(request, core)
        }
    }

    /// A locator that would have to dispose of the instance, and ends.
    func endingLocator(of candidate: Candidate) -> LocatorCore? {
        let entryCore = found.entry.core
        guard entryCore.keepsNothingNew || caller.keepsNothingNew, !candidate.isGraph || record.traits.hasDisposers,
            candidate.ownsInstance || candidate.key.isWeak && record.traits.isAsync
        else { return nil }
        if entryCore.keepsNothingNew { return entryCore }
        // An open parent creates what a disposer of its child reads, in the parent.
        let core = candidate.holder as? LocatorCore ?? (candidate.holder as? CellList)?.core
        return core.flatMap { $0.keepsNothingNew ? $0 : nil }
    }
}
