/// What a request finds in one locator, or in the nearest one that has something.
enum Lookup {
    case registration(Found)
    /// There are registrations, for other arguments.
    case otherArguments
    case nothing

    var found: Found? { if case .registration(let found) = self { found } else { nil } }
}

/// A registration, and the entry where it was found.
struct Found: Sendable {
    let entry: Entry
    let record: AnyRecord
    /// Whether it contributes to the list of the entry's type.
    let isContribution: Bool
    /// The type by which it is provided: the entry's, unless a request has found it by its key alone.
    let type: Any.Type

    init(entry: Entry, record: AnyRecord, isContribution: Bool = false, as type: Any.Type? = nil) {
        self.entry = entry
        self.record = record
        self.isContribution = isContribution
        self.type = type ?? entry.identity.type
    }

    /// The identity by which it is provided. With the registered key, since the caller owns the requested one.
    var identity: Locator.Identity { Locator.Identity(type, entry.identity.keyed) }

    /// Whether a request has found it by its key alone, with another type.
    var isFoundByKeyAlone: Bool { type != entry.identity.type }

    /// The identity and the way to find the registration.
    var listing: Locator.Listing { Locator.Listing(identity: identity, isContribution: isContribution) }

    /// The registration in texts.
    var title: String { record.traits.title(as: listing) }
}
