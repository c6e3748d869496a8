// An override of a registration in a copy or in a later layer of registrations replaces it under all its identities: no
// part of the former service stays beside the new one.

/// What a registration replaces that the locator has inherited. An object, since most insertions have none.
final class Overriding {
    /// The former registrations, which end.
    var replaced: [AnyRecord] = []
    /// Where they are found, and the new service is of that type, or can be.
    var extended: [Locator.Listing] = []
    /// Where they are found, and the new service is not of the type.
    var removed: [Locator.Identity] = []
    /// The revision of the locator for which this holds.
    let revision: Int

    init(ofRevision revision: Int) {
        self.revision = revision
    }
}

/// An identity at which an override of another one has replaced the registration, for the error of a request.
struct OverriddenIdentity {
    let identity: Locator.Identity
    /// Whether the new service is found there, and may be of another type.
    let isKept: Bool
    /// The registrations.
    let note: String
}

extension LocatorCore {
    /// What a registration replaces, of those that the locator has inherited, and whose identities it gets. Runs casts.
    func overriding(by record: AnyRecord) -> Overriding {
        let overriding = Overriding(ofRevision: state.withLock { $0.revision })
        let own = record.traits.listings
        let origins = own.filter { !$0.isContribution }.flatMap { registrations(as: $0.identity) }
            .filter { !$0.isContribution && $0.canBeOverridden }.map(\.record.origin)
        // Most have one identity, and no other registration has to be looked at.
        if state.withLock({ _ in origins.allSatisfy(\.entries.isSingle) }) { return overriding }
        for found in registrations where found.canBeOverridden {
            if !origins.contains(where: { $0 === found.record.origin }) { continue }
            overriding.replaced.append(found.record)
            if (own + overriding.extended).contains(found.listing) { continue }
            let isFound = record.isKnownOrGiven(toBe: found.identity.type)
            // A list must not fail for an element that may be of another type.
            if isFound ?? !found.isContribution {
                overriding.extended.append(found.listing)
            } else if !found.isContribution {
                overriding.removed.append(found.identity)
            }
        }
        record.traits.extend(to: overriding.extended)
        return overriding
    }

    /// Ends the registrations that an inserted one replaces. The lock is held.
    func end(_ overriding: Overriding, by record: AnyRecord, _ state: inout State, _ removed: inout Removed) {
        for replaced in overriding.replaced where !replaced.isEnded {
            end(replaced, isReplaced: true, &state, &removed)
            countChange(&state)
        }
        if overriding.extended.isEmpty, overriding.removed.isEmpty { return }
        let override = "the override of \(record.traits.identity) in \(record.traits.location)"
        let note = "\(override) replaces all of that registration"
        state.neededExtras.overridden +=
            overriding.extended.map { OverriddenIdentity(identity: $0.identity, isKept: true, note: note) }
            + overriding.removed.map { OverriddenIdentity(identity: $0, isKept: false, note: note) }
    }

    /// Forgets which overrides have replaced something.
    func forgetOverrides() {
        let former = state.withLock { state in
            defer { state.extras?.overridden = [] }
            return state.extras?.overridden
        }
        withExtendedLifetime(former) {}
    }

    /// Which override has replaced the registration of an identity, and whether its service is found there.
    func override(of identity: Locator.Identity) -> OverriddenIdentity? {
        for core in chain {
            let overridden = core.state.withLock { $0.extras?.overridden ?? [] }
            if let last = overridden.last(where: { $0.identity == identity }) { return last }
        }
        return nil
    }
}

extension Found {
    fileprivate var canBeOverridden: Bool { record.isInherited && !record.traits.isFinal }
}

extension AnyRecord {
    /// The registration itself, or the one that its decorators wrap.
    fileprivate var origin: AnyRecord {
        var record = self
        while case .registration(let found)? = record.decorated { record = found.record }
        return record
    }

    /// Whether its service is of a type. Nil if only the created service shows it.
    fileprivate func isKnownOrGiven(toBe type: Any.Type) -> Bool? {
        if let given { return given.cast(to: type) != nil }
        return everyValue(of: traits.serviceType, is: type)
    }
}
