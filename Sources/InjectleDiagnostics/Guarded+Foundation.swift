internal import Foundation

/// A value that a lock protects.
final class Guarded<Value>: @unchecked Sendable {
    // Sound to share: the value is accessed only under the lock, while no user code runs.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
