public import Foundation

extension InjectleError: LocalizedError {
    /// The whole text, for who shows errors by their `localizedDescription`.
    public var errorDescription: String? { description }
}
