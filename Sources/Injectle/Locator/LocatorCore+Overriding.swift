// An override of a registration in a copy or in a later layer of registrations replaces it under all its identities: no
// part of the former service stays beside the new one.

/// What a registration replaces that the locator has inherited. An object, since most insertions have none.
final class Overriding {
    /// The former registrations, which end.
    var replaced: [AnyRecord] = []
    /// Where they are found, and the new service is of that type, or can be.
    var extended: [Locator.Listing] = []
    /// Where they are found, and the new service is not of the type.
    var removed: [OverriddenIdentity] = []
    /// The revision of the locator for which this holds.
    let revision: Int

    init(ofRevision revision: Int) {
        self.revision = revision
    }
}

/// An identity at which the override of another one has removed a registration, for the error of a request.
struct OverriddenIdentity {
    let identity: Locator.Identity
    let note: String
}

extension LocatorCore {
    /// What a registration replaces, of those that the locator has inherited, and whose identities it gets. Runs casts,
    /// and describes keys.
    func overriding(by record: AnyRecord) -> Overriding {
        let overriding = Overriding(ofRevision: state.withLock { $0.revision })
        let own = record.traits.listings
        let present = own.filter { !$0.isContribution }.flatMap { registrations(as: $0.identity) }
        // What an override has got beside its own identities is replaced there alone.
        let (origins, areSingle) = state.withLock { _ in
            let origins = present.filter { $0.canBeOverridden && !$0.isContribution && !$0.isExtension }
                .map(\.record.origin)
            return (origins, origins.allSatisfy(\.entries.isSingle))
        }
        // Most have one identity, and no other registration has to be looked at.
        if areSingle { return overriding }
        let all = registrations
        let replaced = state.withLock { _ in
            all.filter { found in found.canBeOverridden && origins.contains { $0 === found.record.origin } }
        }
        for found in replaced {
            overriding.replaced.append(found.record)
            if (own + overriding.extended).contains(found.listing) { continue }
            let isFound = record.isKnownOrGiven(toBe: found.identity.type)
            // A list must not fail for an element that may be of another type.
            if isFound ?? !found.isContribution {
                overriding.extended.append(found.listing)
            } else if !found.isContribution {
                let removed = OverriddenIdentity(identity: found.identity, note: record.traits.noteAsOverride)
                overriding.removed.append(removed)
            }
        }
        record.traits.extend(to: overriding.extended)
        return overriding
    }

    /// Ends the registrations that an inserted one replaces. The lock is held.
    func end(_ overriding: Overriding, _ state: inout State, _ removed: inout Removed) {
        for replaced in overriding.replaced where !replaced.isEnded {
            end(replaced, isReplaced: true, &state, &removed)
            countChange(&state)
        }
        if !overriding.removed.isEmpty { state.neededExtras.overridden += overriding.removed }
    }

    /// Forgets which overrides have removed something.
    func forgetOverrides() {
        let former = state.withLock { state in
            defer { state.extras?.overridden = [] }
            return state.extras?.overridden
        }
        withExtendedLifetime(former) {}
    }

    /// The override that has removed the registration of an identity, as a note.
    func noteOfOverride(removing identity: Locator.Identity) -> String? {
        for core in chain {
            let overridden = core.state.withLock { $0.extras?.overridden ?? [] }
            if let last = overridden.last(where: { $0.identity == identity }) { return last.note }
        }
        return nil
    }
}

extension RegistrationTraits {
    /// Names it as an override that replaces a registration under other identities, too.
    var noteAsOverride: String { "the override of \(identity) in \(location) replaces all of that registration" }
}

extension Found {
    /// The lock is held.
    fileprivate var canBeOverridden: Bool { record.isInherited && !record.traits.isFinal }

    /// Whether the registration has the identity only as an override of another one.
    fileprivate var isExtension: Bool { record.traits.isExtended(to: listing) }
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
