// The part of an ending that a task does: async disposers, instances of the main actor, and all that was created
// before.

extension Ending {
    /// The error of a disposer, and the locator of its instance.
    struct Failure: Sendable {
        let error: InjectleError
        let core: LocatorCore
    }

    /// Takes the items of the rest.
    func setRest(_ items: inout [EndingItem], undisposed: Int) {
        progress.withLock { progress in
            swap(&progress.items, &items)
            progress.undisposed = undisposed
        }
    }

    func leaveRestToTask() {
        let finish = { @Sendable [self] () async in
            _ = await perform { await finishRest() }
            end()
        }
        let beginsOnMainActor = progress.withLock { $0.undisposed == 0 && $0.items.last?.isOfMainActor ?? false }
        let task =
            if beginsOnMainActor {
                Task { @MainActor in
                    release(ofMainActor: true)
                    await finish()
                }
            } else {
                Task { await finish() }
            }
        decide(task)
    }

    /// Runs the disposers, where they belong, and releases the instances, where they were created.
    ///
    /// - Parameter areReturned: Whether the caller reports the errors of the disposers.
    @discardableResult
    func finishRest(areReturned: Bool = false) async -> [Failure] {
        let failures = await dispose(areReturned)
        while true {
            release(ofMainActor: ClosureIsolation.mainActor.isHere ? nil : false)
            if progress.withLock({ $0.items.isEmpty }) { return failures }
            await MainActor.run { release(ofMainActor: true) }
        }
    }

    private func dispose(_ areReturned: Bool) async -> [Failure] {
        var failures: [Failure] = []
        for index in (0..<progress.withLock { $0.undisposed }).reversed() {
            let item = progress.withLock { $0.items[index] }
            guard let cell = item.cell, let instance = item.disposable else { continue }
            let errors = await instance.disposal?.run(on: instance, disownedBy: cell, areReturned: areReturned) ?? []
            failures += errors.map { Failure(error: $0, core: item.core) }
        }
        return failures
    }

    /// Releases the last instances, while they are of the main actor, or not; nil for all.
    private func release(ofMainActor isOfMainActor: Bool?) {
        while let item = takeLast(isOfMainActor) { item.release() }
    }

    private func takeLast(_ isOfMainActor: Bool?) -> EndingItem? {
        progress.withLock { progress in
            guard let last = progress.items.last, isOfMainActor.map({ $0 == last.isOfMainActor }) ?? true else {
                return nil
            }
            return progress.items.popLast()
        }
    }
}
