/// Runs a closure of the main actor on the main thread, where the caller is.
@inlinable
@inline(__always)
func onMainActor<Value>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated { UncheckedBox(value: try body()) }.value
}

/// A value that changes hands once: created on one thread, then used by the caller that waited for it.
@usableFromInline
@frozen
struct UncheckedBox<Value>: @unchecked Sendable {
    // Sound: whoever creates it does not use the value again.
    @usableFromInline let value: Value

    @inlinable
    init(value: Value) {
        self.value = value
    }
}

/// Reads the arguments of a request one after the other, for a closure that declares them.
@usableFromInline
@frozen
struct ArgumentReader {
    @usableFromInline var index = 0

    @inlinable
    init() {}

    /// Returns the types that a closure declares, or nil if there are none.
    @inlinable
    @inline(__always)
    static func types<each Argument>(_ types: repeat (each Argument).Type) -> [Any.Type]? {
        if isEmpty(repeat each types) { return nil }
        var list: [Any.Type] = []
        for type in repeat each types { list.append(type) }
        return list
    }

    @inlinable
    @inline(__always)
    static func isEmpty<each Argument>(_ types: repeat (each Argument).Type) -> Bool {
        for _ in repeat each types { return false }
        return true
    }

    @inlinable
    mutating func next<Value>(_ type: Value.Type, of arguments: Arguments?) -> Value {
        defer { index += 1 }
        guard let arguments else {
            preconditionFailure("A registration that declares arguments is found by arguments alone.")
        }
        return arguments.value(at: index, as: type)
    }
}

/// Returns an element of the pack of a closure without parameters, which is empty: no program calls this function.
@usableFromInline
func noArgument<None>(_ type: None.Type) -> (None) -> Never {
    preconditionFailure("A closure without parameters has no argument.")
}
