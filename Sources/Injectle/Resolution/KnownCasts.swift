/// The results of casts of types to a protocol of the library. A cast takes longer than the rest of a lookup, so its
/// results are kept.
final class KnownCasts<Target: Sendable>: Sendable {
    private final class Result: Sendable {
        let target: Target?
        init(_ target: Target?) { self.target = target }
    }

    private let known = TypeTable<Result>()
    // A flag, since the thread sanitizer takes two empty values at one address for one variable.
    private let lock = Mutex(false)

    /// The type as the protocol, or nil for one that does not conform to it.
    func cast(_ type: Any.Type) -> Target? {
        if let target = known.read(type, { $0.target }) { return target }
        return castFirst(type)
    }

    @inline(never)
    private func castFirst(_ type: Any.Type) -> Target? {
        let result = Result(type as? Target)
        lock.withLock { _ in
            if known.value(of: type) == nil { known.insert(result, for: type) }
        }
        return result.target
    }

    /// Whether the cast of a type is known to fail.
    func isKnownToFail(_ type: Any.Type) -> Bool {
        known.read(type) { $0.target == nil } ?? false
    }
}
