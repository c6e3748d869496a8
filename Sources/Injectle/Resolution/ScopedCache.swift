/// Caches instances for a scope, for one resolve, or for a locator that is not the one of their registration.
///
/// Invariant: all variables are accessed under `lock`, and no user code runs meanwhile: arguments are compared, and dropped
/// instances released, without it. Removing the last registration of a record drops its cells: the record finds the caches
/// that have some, except for the cache of a resolve, which ends soon. A cell of a record with an instance for each locator
/// does not retain it: see `dropCachedInstances`. A locator ends its cache, which forgets `core`, before it
/// releases its own reference: so code under `lock` that finds `core` can retain it, and never releases it as the last one,
/// whose `deinit` would wait for `lock`.
///
/// Locks are acquired in this order: a cache's, a record's (for its list of caches), a core's.
@safe
final class ScopedCache: InstanceCache, @unchecked Sendable {
    // Sound to share: see the invariant.

    /// The cells of instances that no arguments distinguish: an array, with the positions of the records once it is long.
    private struct SoleCells {
        private(set) var all: [OnceCell] = []
        private var positions: [ObjectIdentifier: Int] = .init()

        /// The greatest length at which comparing all records takes less time than hashing one.
        private static let shortLength = 8

        private func position(of record: RegistrationRecord) -> Int? {
            positions.isEmpty ? all.firstIndex { $0.isOf(record) } : positions[ObjectIdentifier(record)]
        }

        subscript(record: RegistrationRecord) -> OnceCell? { position(of: record).map { all[$0] } }

        mutating func add(_ cell: OnceCell) {
            if all.isEmpty { all.reserveCapacity(4) }
            all.append(cell)
            if positions.isEmpty, all.count <= SoleCells.shortLength { return }
            for position in positions.count..<all.count {
                positions[ObjectIdentifier(all[position].record)] = position
            }
        }

        mutating func remove(_ record: RegistrationRecord) -> OnceCell? {
            guard let position = position(of: record) else { return nil }
            all.swapAt(position, all.count - 1)
            if !positions.isEmpty {
                positions[ObjectIdentifier(record)] = nil
                if position < all.count - 1 { positions[ObjectIdentifier(all[position].record)] = position }
            }
            return all.removeLast()
        }
    }

    /// The cells of one record whose instances arguments distinguish, by the hash of these.
    private typealias CellsByHash = [Int: [(key: Arguments.Key, cell: OnceCell)]]

    private let lock = Lock()
    /// In the cache of a resolve: its locator, retained so that no other has its address, and the next cache.
    private let origin: LocatorCore?
    private let next: ScopedCache?
    private var isGraphScoped: Bool { origin != nil }
    // Unchecked here and below: the lock excludes what the check would look for.
    @safe @exclusivity(unchecked) private var soleCells = SoleCells()
    @safe @exclusivity(unchecked) private var cellsByArguments: [ObjectIdentifier: CellsByHash] = .init() {
        didSet { revision &+= 1 }
    }
    /// Counts the changes of `cellsByArguments`.
    @safe @exclusivity(unchecked) private var revision = 0
    @safe @exclusivity(unchecked) private var isTerminated: Bool
    /// Whether it ever had an instance with disposers.
    @safe @exclusivity(unchecked) private var hasDisposables = false
    /// Whether it is in the list of a record.
    @safe @exclusivity(unchecked) private var isListed = false
    /// The locator of the cache, whose readers find its instances.
    @safe @exclusivity(unchecked) private var core: Unmanaged<LocatorCore>?

    /// - Parameters:
    ///   - core: The locator of the cache, or nil for the cache of a scope or of a resolve.
    ///   - isTerminated: Whether that is terminated, so the cache caches nothing.
    ///   - origin: The locator whose requests the cache of one resolve is for.
    ///   - next: The caches of that resolve for other locators.
    init(
        of core: LocatorCore? = nil,
        isTerminated: Bool = false,
        ofResolveIn origin: LocatorCore? = nil,
        before next: ScopedCache? = nil
    ) {
        self.isTerminated = isTerminated
        self.origin = origin
        self.next = next
        self.core = unsafe core.map { unsafe .passUnretained($0) }
    }

    /// The cache of the same resolve for a locator.
    func inResolve(of core: LocatorCore) -> ScopedCache? {
        origin === core ? self : next?.inResolve(of: core)
    }

    /// Whether it is the cache of a descendant of a locator.
    func isOfDescendant(of ancestor: LocatorCore) -> Bool {
        lock.withLock {
            let parent = unsafe core?._withUnsafeGuaranteedRef { $0.parent }
            return parent?.chain.contains { $0 === ancestor } ?? false
        }
    }

    /// The instance of a record, if arguments do not distinguish several.
    func instance(of record: RegistrationRecord) -> Instance? {
        lock.withLock { soleCells[record]?.state.product }
    }

    /// The cell of a record for equal arguments. Their equality is user code, so the lock is not held.
    private func cell(of record: RegistrationRecord, given key: Arguments.Key) -> OnceCell? {
        let alike = lock.withLock { cellsByArguments[ObjectIdentifier(record)]?[key.hash] ?? [] }
        return alike.first { Arguments.areEqual($0.key.arguments, key.arguments) }?.cell
    }

    /// Whether it has any instance.
    var hasInstance: Bool { lock.withLock { cells.contains { $0.state.product != nil } } }

    /// All instances of a record.
    func instances(of record: RegistrationRecord) -> [Instance] {
        lock.withLock { cells(of: record).compactMap(\.state.product) }
    }

    /// All cells of a record. The lock is held.
    private func cells(of record: RegistrationRecord) -> [OnceCell] {
        (soleCells[record].map { [$0] } ?? [])
            + (cellsByArguments[ObjectIdentifier(record)]?.values.joined().map(\.cell) ?? [])
    }

    /// All cells. The lock is held.
    private var cells: [OnceCell] {
        if cellsByArguments.isEmpty { return soleCells.all }
        return soleCells.all + cellsByArguments.values.flatMap { $0.values.joined().map(\.cell) }
    }

    func withCell(
        of record: RegistrationRecord,
        for caller: LocatorCore,
        given key: Arguments.Key?,
        _ body: (OnceCell) -> Void
    ) -> Bool {
        guard let key else {
            return lock.withLock {
                guard let cell = soleCells[record] ?? addCell(for: record) else { return false }
                body(cell)
                return true
            }
        }
        while true {
            let (seen, revision) = lock.withLock {
                (cellsByArguments[ObjectIdentifier(record)]?[key.hash] ?? [], self.revision)
            }
            // Equality is user code, so the cells may have changed when the lock is acquired again.
            let found = seen.first { Arguments.areEqual($0.key.arguments, key.arguments) }
            let isDone: Bool? = lock.withLock {
                // After any change, which `==` itself can cause, the cells of equal hashes are searched again.
                if self.revision != revision {
                    let present = cellsByArguments[ObjectIdentifier(record)]?[key.hash] ?? []
                    let isUpToDate =
                        found.map { found in present.contains { $0.cell === found.cell } }
                        ?? present.elementsEqual(seen, by: { $0.cell === $1.cell })
                    guard isUpToDate else { return nil }
                }
                guard let cell = found?.cell ?? addCell(for: record, given: key) else { return false }
                body(cell)
                return true
            }
            if let isDone { return isDone }
        }
    }

    /// A new cell, unless the cache or the registration has ended. The lock is held.
    private func addCell(for record: RegistrationRecord, given key: Arguments.Key? = nil) -> OnceCell? {
        guard !isTerminated, isGraphScoped || record.join(self) else { return nil }
        // All requests would write to the reference count of a record that has an instance for each locator.
        let isPerLocator = record.isCachedPerLocator
        if !isPerLocator { isListed = true }
        let cell = OnceCell(for: record, retainsRecord: isGraphScoped || !isPerLocator)
        if let key {
            cellsByArguments[ObjectIdentifier(record), default: [:]][key.hash, default: []].append((key, cell))
        } else {
            soleCells.add(cell)
        }
        return cell
    }

    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended {
        let ended = lock.withLock {
            hasDisposables = hasDisposables || cell.withRecord(\.hasDisposers)
            return cell.state.succeed(with: instance)
        }
        return ended
    }

    func fail(_ cell: OnceCell) -> OnceCell.Ended {
        lock.withLock { cell.state.fail() }
    }

    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool {
        lock.withLock { cell.state.leave(waiter) }
    }

    func drop(_ record: RegistrationRecord, given key: Arguments.Key?, _ retired: inout RetireList) {
        guard let key else {
            return lock.withLock {
                if !isGraphScoped { record.leave(self) }
                let removed = cells(of: record)
                _ = soleCells.remove(record)
                cellsByArguments[ObjectIdentifier(record)] = nil
                discard(removed, &retired)
            }
        }
        guard let dropped = cell(of: record, given: key) else { return }
        let id = ObjectIdentifier(record)
        lock.withLock {
            cellsByArguments[id]?[key.hash]?.removeAll { $0.cell === dropped }
            if cellsByArguments[id]?[key.hash]?.isEmpty == true { cellsByArguments[id]?[key.hash] = nil }
            retired.add(cached: dropped.state.discard())
        }
    }

    func forEachCell(_ body: (OnceCell) -> Void) {
        lock.withLock { cells.forEach(body) }
    }

    /// Publishes an instance to readers of the locator, if it was requested before: an entry for readers costs as much as a
    /// few requests.
    func publish(_ made: Instance, as form: Instance, of record: RegistrationRecord) {
        lock.withRetireList { retired in
            guard let cell = soleCells[record], cell.state.product === made else { return }
            guard cell.wasRead else {
                cell.wasRead = true
                return
            }
            unsafe core?._withUnsafeGuaranteedRef { $0.publishPerLocatorInstance(form, of: record, &retired) }
        }
    }

    /// What a cache had when it ended, to be released without a lock and outside of a read section.
    struct Ended {
        fileprivate let cells: [OnceCell]
        fileprivate let retired: RetireList?

        consuming func release() {
            let (cells, retired) = (cells, retired)
            withExtendedLifetime(cells) { retired?.dispose() }
        }
    }

    /// Drops all instances, and caches none from now on. The locator of the cache, if any, has no readers.
    func end() -> Ended {
        let dropped: [OnceCell]? = lock.withLock {
            if hasDisposables || isListed { return nil }
            isTerminated = true
            core = nil
            defer { soleCells = SoleCells() }
            return soleCells.all
        }
        // Without disposers, nothing remains to be done.
        if let dropped { return Ended(cells: dropped, retired: nil) }
        return Ended(cells: [], retired: removeAll(forGood: true, withdrawing: false))
    }

    /// Lets the cell of a record retain it.
    func retain(_ record: RegistrationRecord) {
        lock.withLock { soleCells[record]?.retainRecord() }
    }

    /// Lets all cells retain their records.
    func retainRecords() {
        lock.withLock { for cell in soleCells.all { cell.retainRecord() } }
    }

    /// Drops all instances, to be disposed of by the caller.
    ///
    /// - Parameters:
    ///   - forGood: Whether to cache none from now on.
    ///   - withdrawing: Whether the locator remains, and has to hide the instances from readers.
    func removeAll(forGood: Bool, withdrawing: Bool = true) -> RetireList {
        lock.withLock {
            let cells = cells
            soleCells = SoleCells()
            cellsByArguments = [:]
            if !isGraphScoped { for cell in cells { cell.record.leave(self) } }
            var retired = RetireList()
            discard(cells, withdrawing: withdrawing, &retired)
            if forGood {
                isTerminated = true
                core = nil
            }
            return retired
        }
    }

    /// Discards the instances of removed cells, to be released without the lock. A creation in progress returns its
    /// instance to its callers alone. The lock is held.
    private func discard(_ cells: [OnceCell], withdrawing: Bool = true, _ retired: inout RetireList) {
        for cell in cells {
            if withdrawing { withdraw(cell, &retired) }
            retired.add(cached: cell.state.discard())
        }
        retired.add(unreachable: cells)
    }

    /// Hides the instance of a cell from readers of the locator. The lock is held.
    private func withdraw(_ cell: OnceCell, _ retired: inout RetireList) {
        // A cell that has left the cache may not use its record, but then the cache has forgotten its locator, or the cell has no instance.
        guard let core, cell.withRecord(\.isCachedPerLocator) else { return }
        unsafe core._withUnsafeGuaranteedRef { $0.withdrawPerLocatorInstance(of: cell.record, &retired) }
    }

    /// Drops all instances of a resolve, also in other locators, so that all are disposed of in reverse order of
    /// creation. A task creation can retain a cache of the resolve a moment longer.
    func endResolve() {
        var retired = RetireList()
        for cache in sequence(first: self, next: \.next) where cache.lock.withLock({ cache.hasDisposables }) {
            retired.add(cache.removeAll(forGood: true))
        }
        retired.dispose()
    }

    deinit {
        // Other caches have ended before, except one that a task has used after the end of its resolve.
        if isGraphScoped, hasDisposables, !isTerminated { removeAll(forGood: true).dispose() }
    }
}
