public import CInjectle

// The primitives that nearly all other files use, and so need no unsafe construct.

/// A value that a lock guards, and a word of flags that is read without it.
///
/// Invariants: while a lock is held, no user code runs, and no user object is released: a body returns the objects that
/// it removes, and its caller releases them afterwards. So a `deinit` can call the library.
/// `Documentation/HowItWorks.md` has the order of the locks.
@usableFromInline package final class Mutex<Value>: @unchecked Sendable {
    // Sound to share: `value` is accessed under the lock only, which also excludes overlapping accesses. The addresses
    // of the words belong to stored properties without observers, which do not move.
    @safe @exclusivity(unchecked) @usableFromInline var word = injectle_lock()
    @safe @exclusivity(unchecked) @usableFromInline var value: Value
    @safe @exclusivity(unchecked) @usableFromInline var flagsWord: UInt = 0

    package init(_ value: Value) {
        self.value = value
    }

    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        unsafe injectle_acquire(&word)
        defer { unsafe injectle_release(&word) }
        return try body(&value)
    }

    /// The flags. They are loaded and stored by atomic instructions; whoever changes them holds the lock, or is the
    /// only one.
    @inlinable @inline(__always)
    var flags: UInt {
        get { unsafe injectle_load(&flagsWord) }
        set { unsafe injectle_store(&flagsWord, newValue) }
    }

    /// A copy of the value.
    package var snapshot: Value { withLock { $0 } }
}

/// A value that may change threads although the compiler cannot prove it.
///
/// Each use is one of these: the value is immutable; or it belongs to the user, whose isolation rules apply; or one
/// thread creates it, and another one uses it afterwards.
@usableFromInline
@frozen
struct UncheckedBox<Value>: @unchecked Sendable {
    @usableFromInline let value: Value

    @inlinable @inline(__always)
    init(_ value: Value) {
        self.value = value
    }
}

/// A reference that a read does not retain: threads that read different services would share the count of the locator.
///
/// Invariant: its owner also has a strong reference to the object, or is owned by it, and outlives each read, by
/// `withExtendedLifetime`.
@usableFromInline
@frozen
@safe
struct Borrowed<Object: AnyObject & Sendable>: Sendable {
    @usableFromInline let reference: Unmanaged<Object>

    init(_ object: Object) {
        unsafe reference = .passUnretained(object)
    }

    init(_ reference: Unmanaged<Object>) {
        unsafe self.reference = unsafe reference
    }

    /// The object, retained.
    var object: Object { unsafe reference.takeUnretainedValue() }

    @inlinable @inline(__always)
    func read<Value>(_ body: (Object) -> Value) -> Value { unsafe reference._withUnsafeGuaranteedRef(body) }
}

/// A weak reference to an object of the user.
final class WeakReference: @unchecked Sendable {
    // Sound to share: set once, and any thread may load a weak reference.
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) {
        self.object = object
    }
}

/// Writes a text to standard error, as a line.
func printError(_ text: String) {
    unsafe injectle_print_error("\(text)\n")
}
