// An override is a registration in a copy, or in a test after its shared registrations, in place of an overridable one.
// It replaces that under all its identities: no part of the former service stays beside the new one.

/// What an override changes beside its own identities. An object, since most insertions have none.
final class Override {
    /// The former registrations, which end.
    var replaced: [AnyRecord] = []
    /// Identities of these that the override gets, since its service is of the type, or can be.
    var added: [Locator.Listing] = []
    /// Identities of these at which nothing is found any more, since the service is not of the type.
    var hidden: [HiddenIdentity] = []
    /// The revision of the locator for which this holds.
    let revision: Int

    init(ofRevision revision: Int) {
        self.revision = revision
    }
}

/// An identity at which an override of another one has removed a registration, for the error of a request.
struct HiddenIdentity {
    let identity: Locator.Identity
    let note: String
}

extension LocatorCore {
    /// What a registration changes as an override. Adds the identities that it gets. Runs casts, and describes keys.
    func override(by record: AnyRecord) -> Override {
        let override = Override(ofRevision: state.withLock { $0.revision })
        let own = record.traits.listings
        // An identity that came by an earlier override is replaced alone, and not with the rest of that registration.
        let present = own.filter { !$0.isContribution }.flatMap { registrations(as: $0.identity) }
            .filter { !$0.isContribution && !$0.isListedByOverride }
        let (origins, areSingle) = state.withLock { _ in
            let origins = present.filter(\.canBeOverridden).map(\.record.origin)
            return (origins, origins.allSatisfy(\.entries.isSingle))
        }
        // Most have one identity, and no other registration has to be looked at.
        if areSingle { return override }
        let all = registrations
        let replaced = state.withLock { _ in
            all.filter { found in found.canBeOverridden && origins.contains { $0 === found.record.origin } }
        }
        for found in replaced {
            override.replaced.append(found.record)
            if (own + override.added).contains(found.listing) { continue }
            let isFound = record.isKnownOrSupplied(toBe: found.identity.type)
            // A list must not fail for an element that may be of another type.
            if isFound ?? !found.isContribution {
                override.added.append(found.listing)
            } else if !found.isContribution {
                let hidden = HiddenIdentity(identity: found.identity, note: record.traits.noteAsOverride)
                override.hidden.append(hidden)
            }
        }
        record.traits.listByOverride(override.added)
        return override
    }

    /// Ends the registrations that an inserted override replaces. The lock is held.
    func endRegistrations(replacedBy override: Override, _ state: inout State, _ removed: inout Removed) {
        for replaced in override.replaced where !replaced.isEnded {
            endRegistration(replaced, isReplaced: true, &state, &removed)
            countChange(&state)
        }
        if !override.hidden.isEmpty { state.ensuredExtras.hiddenByOverrides += override.hidden }
    }

    /// Forgets the identities that overrides have hidden.
    func forgetHidden() {
        let former = state.withLock { state in
            defer { state.extras?.hiddenByOverrides = [] }
            return state.extras?.hiddenByOverrides
        }
        withExtendedLifetime(former) {}
    }

    /// The override that has hidden an identity, as a note.
    func noteOfOverride(hiding identity: Locator.Identity) -> String? {
        for core in chain {
            let hidden = core.state.withLock { $0.extras?.hiddenByOverrides ?? [] }
            if let last = hidden.last(where: { $0.identity == identity }) { return last.note }
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
    fileprivate var canBeOverridden: Bool { record.isOverridable && !record.traits.isFinal }

    /// Whether the registration has got the identity by overriding another one. Compares keys.
    fileprivate var isListedByOverride: Bool { record.traits.isListedByOverride(listing) }
}

extension AnyRecord {
    /// The registration itself, or the one that its decorators wrap.
    fileprivate var origin: AnyRecord {
        var record = self
        while case .registration(let found)? = record.decorated { record = found.record }
        return record
    }

    /// Whether its service is of a type. Nil if only the created service shows it. The value of a registration is cast.
    fileprivate func isKnownOrSupplied(toBe type: Any.Type) -> Bool? {
        if let readyInstance { return readyInstance.cast(to: type) != nil }
        return everyValue(of: traits.serviceType, is: type)
    }
}
