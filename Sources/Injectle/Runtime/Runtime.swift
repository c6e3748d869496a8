internal import CInjectle

/// The layer below all others: it knows nothing of services, and compiles and is tested without the rest of the library.
///
/// The generic types of this layer are nested here, so that the library can name their specializations as it needs them.
enum Runtime {
    /// Uninitialized memory for a value, for `injectle_free` to free.
    ///
    /// - Parameter isAlone: Whether nothing else is in its cache lines, where writes would slow down the readers of the value
    ///   on other processors.
    static func allocate<Value>(_: Value.Type = Value.self, isAlone: Bool = false) -> UnsafeMutablePointer<Value> {
        let (size, alignment) = (MemoryLayout<Value>.stride, MemoryLayout<Value>.alignment)
        // The lines of some processors have 128 bytes.
        let memory = unsafe injectle_allocate(isAlone ? (size + 127) & ~127 : size, isAlone ? 128 : alignment)
        return unsafe memory.bindMemory(to: Value.self, capacity: 1)
    }
}
