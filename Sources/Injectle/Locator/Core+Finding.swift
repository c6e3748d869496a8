// How a core looks a service up. None of it touches what is guarded, but through what `Core` offers.

extension Core {
    /// The slot that a service is found by: one that declares arguments such as are given; else under its identity,
    /// from here up to the root; else under its key alone, in the same order, and then the latest.
    ///
    /// - Parameter byKeyAlone: Whether a key alone is enough.
    func find(_ identity: ServiceKey, given arguments: Arguments? = nil, byKeyAlone: Bool = true) -> Slot? {
        if let arguments, let slot = slot(declaring: arguments, as: identity) { return slot }
        guard let label = identity.label else { return slot(tagged: identity.tag) }
        let tag = identity.tag
        for core in chain {
            // A slot that was derived counts in a locator without a parent, where nothing can stand behind it.
            // With arguments, one that declares them may stand before it.
            let countsDerived = core === self && core.parent == nil && byKeyAlone && arguments == nil
            let slot = core.slot(tagged: tag) { slot in
                (slot.standing == .registered || countsDerived) && slot.identity == identity
            }
            if let slot { return slot }
        }
        return byKeyAlone ? slot(underAlone: label, as: identity, given: arguments) : nil
    }

    /// The slots of those that contribute to the list of a type: those of the nearest locator that has any, in order of
    /// registration.
    func contributions(to type: Any.Type, label: ServiceKey.Label?) -> [Slot] {
        let identity = ServiceKey(type: type, qualifier: .contributing(label: label))
        for core in chain {
            let slots = core.slots(equalTo: identity)
            if !slots.isEmpty { return slots }
        }
        return []
    }

    /// The slots that declare arguments and are of a type and key, or else of the key alone, from here up to the root;
    /// in each locator, the latest first.
    func slotsDeclaringArguments(as identity: ServiceKey) -> [Slot] {
        let slots = chain.flatMap { $0.ownSlotsDeclaringArguments(as: identity) }
        guard slots.isEmpty, let label = identity.label else { return slots }
        return chain.flatMap { core in
            core.slots(under: label).filter { $0.record.declared != nil && !$0.identity.isContribution }.reversed()
        }
    }

    private func ownSlotsDeclaringArguments(as identity: ServiceKey) -> [Slot] {
        slots(tagged: identity.tagDeclaringArguments).filter { slot in
            slot.standing == .registered && slot.record.declared != nil && slot.identity.type == identity.type
                && slot.identity.label == identity.label
        }.sorted { $0.order > $1.order }
    }

    /// The slot that declares arguments such as are given, in the nearest locator that has one or has the service
    /// without arguments, which hides what its parents have.
    private func slot(declaring arguments: Arguments, as identity: ServiceKey) -> Slot? {
        let tag = identity.tagDeclaringArguments
        for core in chain {
            let candidate = reading { CoreHead.findOwn(tag, in: core.head)?.pointee.owner.takeUnretainedValue() }
            // One that declares just these types is the only one of its kind.
            if let candidate, candidate.identity.type == identity.type, candidate.identity.label == identity.label,
                let declared = candidate.record.declared, arguments.fit(declared) == .exact
            {
                return candidate
            }
            if candidate != nil, let slot = fitting(arguments, in: core.ownSlotsDeclaringArguments(as: identity)) {
                return slot
            }
            if core.parent != nil, core.ownSlot(identity) != nil { return nil }
        }
        return nil
    }

    private func fitting(_ arguments: Arguments, in slots: [Slot]) -> Slot? {
        let fits = slots.map { slot in slot.record.declared.map(arguments.fit) ?? .unfit }
        guard let best = fits.max(), best != .unfit else { return nil }
        return fits.firstIndex(of: best).map { slots[$0] }
    }

    /// The slot that is found by its key alone, whatever it was registered as.
    private func slot(
        underAlone label: ServiceKey.Label,
        as identity: ServiceKey,
        given arguments: Arguments?
    ) -> Slot? {
        for core in chain {
            let slots = core.slots(under: label).filter { !$0.identity.isContribution }
            let declaring = arguments.flatMap { fitting($0, in: slots.reversed()) }
            guard let slot = declaring ?? slots.last(where: { $0.record.declared == nil }) else { continue }
            let canBeDerived = core === self && core.parent == nil && slot.record.declared == nil
            if canBeDerived, let derived = remember(identity, from: slot) { return derived }
            return Slot.make(
                identity: identity,
                record: slot.record,
                core: core,
                order: slot.order,
                standing: .transient
            )
        }
        return nil
    }

    /// The slot of an identity without a key, from here up to the root.
    private func slot(tagged tag: UInt) -> Slot? {
        reading {
            CoreHead.find(tag, from: head)?.pointee.owner.takeUnretainedValue()
        }
    }

    /// The first slot of this locator alone that has a tag and is the one that is looked for. The question may run code
    /// of a user, so it is asked of each candidate after the read that found it.
    private func slot(tagged tag: UInt, where isWanted: (Slot) -> Bool) -> Slot? {
        let candidate = reading { CoreHead.findOwn(tag, in: head)?.pointee.owner.takeUnretainedValue() }
        guard let candidate else { return nil }
        if isWanted(candidate) { return candidate }
        // Two identities with one tag: rare enough for the lock.
        return slots(tagged: tag).first(where: isWanted)
    }

    /// Lets go of the instance that a request would be given.
    func resetInstance(_ request: Request) throws(InjectleError) {
        let identity = request.identity
        var slots = find(identity, given: request.arguments).map { [$0] } ?? []
        // Without arguments, those are meant, too, that were made of any.
        if request.arguments == nil { slots += slotsDeclaringArguments(as: identity) }
        if slots.isEmpty { slots = contributions(to: identity.type, label: identity.label) }
        if slots.isEmpty { throw .missing(request, in: self) }
        for slot in slots {
            let record = slot.record
            let isGiven = record.kind == .eager || record.kind == .unowned
            if isGiven || record.kind.isKept && !record.isResettable {
                throw .notResettable(request, slot)
            }
            let plan = record.copy == nil ? try Plan(for: slot, request, asking: self) : .prototype(of: slot)
            for keep in plan.keeps { keep.holder.drop(record, given: keep.key) }
        }
    }
}
