extension InjectleError {
    /// Values cannot be read from a file.
    static func unreadableResource(
        _ type: Any.Type,
        _ reason: String,
        requestedBy location: SourceLocation,
        _ facts: [(name: String, text: String)],
        underlying: (any Error)?
    ) -> InjectleError {
        InjectleError(unreadableResource, ServiceKey(type), underlying: underlying) { report in
            report.add("requested by", "register in \(location)")
            for fact in facts { report.add(fact.name, fact.text) }
            return "\(spelled(type)) cannot be read: \(reason)."
        }
    }
}
