/// The errors of the library's own closures. `InjectleError.creation` replaces those that have codes of their own.
enum CreationFailure: Error, CustomStringConvertible {
    case actorHasGone
    /// The main actor did not run the closure in time, for this reason.
    case mainActorTimeout(String)
    /// The `copy(with:)` of a type returned a value of another type.
    case notACopy(of: Any.Type)

    var description: String {
        guard case .notACopy(let type) = self else { return "" }
        return "`copy(with:)` of \(spelled(type)) returned something that is no \(spelled(type))"
    }
}
