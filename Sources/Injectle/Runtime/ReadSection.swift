public import CInjectle

/// Runs `body` in a read section: objects that it reaches through published pointers stay allocated until it returns.
///
/// `body` must be a few instructions long, call no user code and release nothing. It retains what outlives the section.
/// `CInjectle.h` states the invariant and its source.
@inlinable
@inline(__always)
func withReadSection<Value>(_ body: () -> Value) -> Value {
    let thread = unsafe injectle_enter()
    let value = body()
    unsafe injectle_leave(thread)
    return value
}
