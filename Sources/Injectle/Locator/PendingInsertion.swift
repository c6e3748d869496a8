/// An identity of a registration on its way into the table, as part of a step that goes in as a whole or not at all.
struct PendingInsertion {
    let record: RegistrationRecord
    let identity: ServiceKey
    /// An eager service as a value of the identity's type.
    let form: Instance?
    /// The position of one of the same step and identity, which this one replaces.
    let earlier: Int?
    /// What the check was asked about, once it was.
    var checked: [Entry]?
    /// What it replaces.
    var present: Entry?

    /// What stood under the identities of a step, and when.
    struct ConflictSnapshot {
        let revision: Int
        let taken: [[Entry]]
    }

    /// One for each identity of each record. Calls code of users, as keys are compared and services cast.
    static func insertions<Refusal: Error>(
        of records: [RegistrationRecord],
        refuse: (InjectleError) throws(Refusal) -> Never
    ) throws(Refusal) -> [PendingInsertion] {
        var insertions: [PendingInsertion] = []
        for record in records {
            for identity in record.identities {
                // An eager service's other forms are made here, by casts, which need no lock and show early what it is
                // not.
                let form = record.given?.cast(to: identity.type)
                if form == nil, record.given != nil { try refuse(.wrongType(record, origin: identity)) }
                // Where one identity stands twice in a step, the later one wins, as always.
                let earlier = identity.isContribution ? nil : insertions.lastIndex { $0.identity == identity }
                insertions.append(PendingInsertion(record: record, identity: identity, form: form, earlier: earlier))
            }
        }
        return insertions
    }
}
