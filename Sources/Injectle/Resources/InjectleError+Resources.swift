extension InjectleError {
    /// Values cannot be had from a file.
    static func unreadableResource(
        _ type: Any.Type,
        _ reason: String,
        requestedBy location: SourceLocation,
        _ facts: [(name: String, text: String)],
        underlying: (any Error)?
    ) -> InjectleError {
        var report = Report("\(spelled(type)) cannot be read: \(reason).")
        report.add("requested by", "register in \(location)")
        for fact in facts { report.add(fact.name, fact.text) }
        return InjectleError(unreadableResource, ServiceKey(type), report, underlying: underlying)
    }
}
