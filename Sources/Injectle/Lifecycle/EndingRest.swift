/// The part of an ending that a task does: async disposers, instances of the main actor, and all that was created
/// before.
///
/// Invariant: `items` are in order of creation. The task takes the last one, and no other variable retains it.
final class EndingRest: Sendable {
    /// The error of a disposer, and the locator of its instance.
    struct Failure: Sendable {
        let error: InjectleError
        let core: LocatorCore
    }

    private let items: Mutex<[Ending.Item]>
    /// The number of items whose disposers have not run.
    private let undisposed: Int

    init(_ items: [Ending.Item], undisposed: Int) {
        self.items = Mutex(items)
        self.undisposed = undisposed
    }

    /// The locators of the instances.
    var cores: [LocatorCore] {
        var cores: [LocatorCore] = []
        for core in items.withLock({ $0.map(\.core) }) where !cores.contains(where: { $0 === core }) {
            cores.append(core)
        }
        return cores
    }

    /// Whether it begins with a release on the main actor, where the task can begin.
    var beginsOnMainActor: Bool { undisposed == 0 && items.withLock { $0.last?.isOfMainActor ?? false } }

    /// Runs the disposers, where they belong, and releases the instances, where they were created.
    ///
    /// - Parameter areReturned: Whether the caller reports the errors of the disposers.
    @discardableResult
    func finish(areReturned: Bool = false) async -> [Failure] {
        let failures = await dispose(areReturned)
        while true {
            release(ofMainActor: ClosureIsolation.mainActor.isHere ? nil : false)
            if items.withLock({ $0.isEmpty }) { return failures }
            await MainActor.run { release(ofMainActor: true) }
        }
    }

    private func dispose(_ areReturned: Bool) async -> [Failure] {
        var failures: [Failure] = []
        for index in (0..<undisposed).reversed() {
            let item = items.withLock { $0[index] }
            guard let cell = item.cell, let instance = item.disposable else { continue }
            let errors = await instance.disposal?.run(on: instance, disownedBy: cell, areReturned: areReturned) ?? []
            failures += errors.map { Failure(error: $0, core: item.core) }
        }
        return failures
    }

    /// Releases the last instances, while they are of the main actor, or not; nil for all.
    private func release(ofMainActor isOfMainActor: Bool?) {
        while let item = takeLast(isOfMainActor) { Ending.release(item) }
    }

    private func takeLast(_ isOfMainActor: Bool?) -> Ending.Item? {
        items.withLock { items in
            guard let last = items.last, isOfMainActor.map({ $0 == last.isOfMainActor }) ?? true else { return nil }
            return items.popLast()
        }
    }

    /// Releases the first instances, on the main actor.
    @MainActor func begin() { release(ofMainActor: true) }
}

extension Ending.Item {
    /// The locator of the instance.
    var core: LocatorCore { LocatorCore.owner(of: record, in: holder) }
}
