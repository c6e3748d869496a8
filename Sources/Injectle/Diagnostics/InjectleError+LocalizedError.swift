public import Foundation

extension InjectleError: LocalizedError {
    /// The whole text, which `localizedDescription` returns.
    public var errorDescription: String? { description }
}
