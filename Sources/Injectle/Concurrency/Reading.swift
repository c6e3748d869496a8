public import CInjectle

/// Runs `body` as a read: what it can reach through published pointers stays allocated until it returns.
///
/// `body` must be a few instructions long, run no code of a user, release nothing and begin no other read. What it wants
/// to keep it retains. The invariant and its source stand in `CInjectle.h`.
@inlinable
@inline(__always)
func reading<Value>(_ body: () -> Value) -> Value {
    let thread = injectle_enter()
    let value = body()
    injectle_leave(thread)
    return value
}

/// What was made unreachable and may still be in the hands of a reader.
///
/// Filled under a lock, and disposed of after it: then, once every read has ended, it is released, which may run code of
/// users (`deinit`), with no lock held.
struct Garbage {
    private var objects: [AnyObject] = []
    private var closures: [Any] = []

    mutating func add(_ object: AnyObject?) {
        if let object { objects.append(object) }
    }

    /// Adds what no reader can have reached, and what must only not be released under a lock.
    mutating func add(closure: Any?) {
        if let closure { closures.append(closure) }
    }

    consuming func dispose() {
        if !objects.isEmpty { injectle_synchronize() }
    }
}
