// What ends with a locator or with registrations: their cells, and what these have.

extension LocatorCore {
    /// Ends the instances of registrations that are marked as ended, and empties their entries.
    ///
    /// - Parameter ending: The ending, if there are disposers.
    @inline(never)
    func endInstances(of records: [AnyRecord], _ ending: Ending?) {
        if records.isEmpty { return }
        Ending.endNow { items in
            var late: [Cell] = []
            state.withLock { _ in
                for record in records { addItemsHere(of: record, to: &items, &late) }
            }
            add(lateCreations: late)
            for record in records { addItemsElsewhere(of: record, to: &items, ending) }
            return ending
        }
    }

    /// Removes all registrations and applied modules, and releases all instances.
    func reset() {
        forgetModules()
        forgetHidden()
        _ = endRegistrations(by: .reset)
    }

    /// What ends a locator or its registrations.
    enum Cause {
        case reset, release, close
    }

    private enum RegistrationsEnd {
        /// They have ended. Counts the registrations that were ever inserted before.
        case ended(insertionCount: Int)
        /// The locator has ended before.
        case hadEnded
        /// A close in progress ends them, in its order.
        case leftToClose
    }

    /// Ends all registrations and the instances of the locator.
    private func endRegistrations(by cause: Cause) -> RegistrationsEnd {
        var result = RegistrationsEnd.leftToClose
        Ending.endNow { items in
            var others: [AnyRecord] = []
            var late: [Cell] = []
            var ending: Ending?
            state.withLock { state in
                if cause != .reset { setReleasing() }
                if cause != .close, state.closing?.isInProgress ?? false {
                    if cause == .release { state.ensuredExtras.isLeftToClose = true }
                    return
                }
                result = hasEnded ? .hadEnded : .ended(insertionCount: state.insertionCount)
                if hasEnded { return }
                addItems(to: &items, &others, &late, &state)
                if cause != .close,
                    items.contains(where: \.hasDisposers) || others.contains(where: \.traits.hasDisposers)
                {
                    ending = Ending.add(to: self, &state)
                    // Descendants whose instances this locator has.
                    for core in items.filter(\.hasDisposers).map(\.core) where core !== self { ending?.add(to: core) }
                }
            }
            add(lateCreations: late)
            sendRemovals(of: items.filter(\.emptiesEntries).map(\.record))
            for record in others { addItemsElsewhere(of: record, to: &items, ending) }
            return ending
        }
        return result
    }

    /// Ends all registrations and cells. The lock is held.
    ///
    /// - Parameters:
    ///   - others: Gets the registrations with cells in other holders.
    ///   - late: Gets the cells whose instances are being created.
    @inline(never)
    private func addItems(
        to items: inout [EndingItem],
        _ others: inout [AnyRecord],
        _ late: inout [Cell],
        // Passed by value, it would be copied.
        _ state: inout State
    ) {
        let count = table.count + state.cellsOfOthers.count
        if count > 1 { items.reserveCapacity(count) }
        forEachRecord(in: state) { record in
            // Another ending removes one that has ended before.
            guard record.markEnded() else { return }
            addItemsHere(of: record, to: &items, &late)
            if record.traits.lifetime.usesOtherHolders { others.append(record) }
        }
        addItemsOfOthers(to: &items, &late, state)
    }

    /// Adds cells of this holder that have ended while their instances are created to their locators. Until the items
    /// of the ending are released, a close finds them in their holder, too.
    private func add(lateCreations cells: [Cell]) {
        for cell in cells { LocatorCore.owner(of: cell.record, in: self).add(lateCreation: cell) }
    }

    /// Sends the events of registrations that have ended, without those that only decorators have.
    func sendRemovals(of records: @autoclosure () -> [AnyRecord]) {
        guard observes(.didUnregister) else { return }
        for record in records() where !state.withLock({ _ in record.isWrapped }) {
            send(.didUnregister, of: record, as: record.traits.identity)
        }
    }

    /// Ends the locator permanently: its registrations, instances and behaviors. Later registrations are ignored.
    ///
    /// - Returns: Whether it has ended. Else a close in progress ends and releases it.
    @discardableResult
    func endLocator(by cause: Cause) -> Bool {
        // A disposer and a `deinit` can register services.
        var hasCells = false
        var hasExtras = false
        repeat {
            switch endRegistrations(by: cause) {
            case .leftToClose: return false
            case .hadEnded: return true
            case .ended(let insertionCount):
                state.withLock { state in
                    if state.insertionCount == insertionCount { setEnded() }
                    hasCells = !state.cellsOfOthers.isEmpty
                    hasExtras = state.extras != nil
                }
            }
        } while !hasEnded
        if hasCells {
            Ending.endNow { items in
                var late: [Cell] = []
                state.withLock { addItemsOfOthers(to: &items, &late, $0) }
                add(lateCreations: late)
                return nil
            }
        }
        if hasExtras {
            forgetDefaults()
            forgetModules()
            removeBehaviors()
            notifyObservers()
        }
        parent?.notifyObservers()
        return true
    }

    // MARK: Members of an ending

    /// Ends the registrations of existing values that no cell has, for a close. Returns them.
    func endValues() -> [EndingItem] {
        var items: [EndingItem] = []
        state.withLock { state in
            forEachRecord(in: state) { record in
                guard let value = record.readyInstance, record.cells.isEmpty, record.markEnded() else { return }
                items.append(EndingItem(record: record, order: value.order, emptiesEntries: true))
            }
        }
        sendRemovals(of: items.filter(\.emptiesEntries).map(\.record))
        return items
    }

    /// Adds a registration that has ended, and its instances in this locator. Its entries are emptied after the last of
    /// these. The lock is held.
    ///
    /// - Parameter late: Gets the cells whose instances are being created.
    private func addItemsHere(of record: AnyRecord, to items: inout [EndingItem], _ late: inout [Cell]) {
        if record.cells.isEmpty {
            let order = record.readyInstance?.order ?? 0
            return items.append(EndingItem(record: record, order: order, emptiesEntries: true))
        }
        let isShared = record.traits.lifetime.isShared
        var hasLast = false
        var isInUse = false
        record.cells.forEach { cell in
            let ended = cell.state.withLock { $0.end() }
            if ended.isInCreation { late.append(cell) }
            guard let instance = ended.instance else { return }
            guard ended.isFirst else {
                isInUse = true
                return
            }
            hasLast = isShared
            let order = instance.order
            items.append(
                EndingItem(record: record, order: order, cell: cell, holder: self, emptiesEntries: isShared)
            )
        }
        if isInUse {
            // Another ending has yet to release the instance, which its disposers read.
            record.isLeftToEnding = true
        } else if !hasLast {
            items.append(EndingItem(record: record, order: 0, emptiesEntries: true))
        }
    }

    /// Adds the cells of other locators' registrations in this one, which it removes in their turn. The lock is held.
    private func addItemsOfOthers(to items: inout [EndingItem], _ late: inout [Cell], _ state: State) {
        if state.cellsOfOthers.isEmpty { return }
        state.cellsOfOthers.forEach { cell in
            let ended = cell.state.withLock { $0.end() }
            if ended.isInCreation { late.append(cell) }
            if ended.instance != nil, !ended.isFirst { return }
            let order = ended.instance?.order ?? 0
            items.append(EndingItem(record: cell.record, order: order, cell: cell, holder: self))
        }
    }

    /// Adds the instances of a registration in other holders, whose cells end.
    ///
    /// If it was replaced, the code of a descendant, such as a request, may still use an instance that has disposers.
    /// So the descendant keeps the instance until it ends, and no request finds it.
    ///
    /// - Parameter ending: The ending, for which closes of the descendants wait, too.
    private func addItemsElsewhere(of record: AnyRecord, to items: inout [EndingItem], _ ending: Ending?) {
        guard record.traits.lifetime.usesOtherHolders else { return }
        for scope in record.scopes?.snapshot.values.map(\.self) ?? [] { items += scope.endCells(of: record) }
        guard record.traits.lifetime.usesOtherLocators else { return }
        for core in parent?.chain.map(\.self) ?? [] { items += core.endCells(of: record) }
        if record.isReplaced, record.traits.hasDisposers { return }
        for core in descendants {
            // The registration has ended, so no cell is added meanwhile.
            if record.traits.hasDisposers, !core.cells(of: record).isEmpty { ending?.add(to: core) }
            items += core.endCells(of: record)
        }
    }
}
