public import CInjectle

/// Runs `body` in a read section: objects that it reaches through published pointers stay allocated until it returns.
///
/// `body` must be a few instructions long, call no code of users, release nothing and begin no other read section. It
/// retains what outlives the section. `CInjectle.h` states the invariant and its source.
@inlinable
@inline(__always)
func withReadSection<Value>(_ body: () -> Value) -> Value {
    let thread = unsafe injectle_enter()
    let value = body()
    unsafe injectle_leave(thread)
    return value
}

/// The retired objects that some thread still holds. They are released when the last of these threads ends its hold.
///
/// Invariant: the record of each thread that holds one of `objects` has a note of it, except between the end of the hold
/// and the call of `release`. Both change under the lock.
enum DeferredRelease {
    private static let lock = Lock()
    // Sound to share: accessed only under `lock`.
    nonisolated(unsafe) private static var objects: [AnyObject] = []

    static func isHeld(_ object: AnyObject, noting: Bool = false) -> Bool {
        unsafe injectle_is_held(Unmanaged.passUnretained(object).toOpaque(), noting)
    }

    static func add(_ held: [AnyObject]) {
        if !held.isEmpty { release(adding: held) }
    }

    /// Releases the objects that no thread holds any more. Called by a thread after it has ended a hold on one of them.
    @inline(never)
    static func release(adding held: [AnyObject] = []) {
        let free = lock.withLock {
            unsafe objects += held
            injectle_clear_deferred()
            for object in unsafe objects { _ = isHeld(object, noting: true) }
            // A thread that ends its hold from here on sees the note, or its hold has ended below.
            injectle_process_barrier()
            let free = unsafe objects.filter { !isHeld($0) }
            unsafe objects.removeAll { object in free.contains { $0 === object } }
            return free
        }
        withExtendedLifetime(free) {}
    }
}
