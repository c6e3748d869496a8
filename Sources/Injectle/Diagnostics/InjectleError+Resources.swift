extension InjectleError {
    /// Values cannot be had from a file.
    static func unreadableResource(
        _ type: Any.Type,
        _ reason: String,
        askedBy site: Site,
        _ facts: [(name: String, text: String)],
        underlying: (any Error)?
    ) -> InjectleError {
        var report = Report("\(spelled(type)) cannot be read: \(reason).")
        report.add("asked by", "register in \(site)")
        for fact in facts { report.add(fact.name, fact.text) }
        return InjectleError(unreadableResource, ServiceKey(type), report, underlying: underlying)
    }
}
