internal import CInjectle

/// The layer below all others: it knows nothing of services, and compiles and is tested without the rest of the library.
///
/// The generic types of this layer are nested here, so that the library can name their specializations as it needs them.
enum Runtime {
    /// Uninitialized memory for a value, for `injectle_free` to free.
    static func allocate<Value>(_: Value.Type = Value.self) -> UnsafeMutablePointer<Value> {
        unsafe injectle_allocate(MemoryLayout<Value>.stride, MemoryLayout<Value>.alignment)
            .bindMemory(to: Value.self, capacity: 1)
    }
}
