/// Returns the value of an `Optional` that the invariants of the caller guarantee to have one.
@inlinable @inline(__always)
func required<Value>(_ value: consuming Value?) -> Value {
    guard let value else { preconditionFailure("A required value is missing.") }
    return value
}

extension Optional {
    /// Whether there is no value. A pattern would copy the value. Here, where nothing is known of `Wrapped`, `== nil`
    /// compares no values, which it would where `Wrapped` is `Equatable`.
    @inlinable @inline(__always)
    var isNone: Bool { self == nil }
}
