/// An instance of a service, as a value of one type, in memory of its own.
///
/// The class is not generic, so that a service needs no metadata of its own. A reader that knows the type loads the value
/// without a cast.
@safe
final class Instance: @unchecked Sendable {
    // Sound to share: value and disposal are set before the instance is published, and never again. The isolation rules of
    // the locator say which threads may use a service that is not `Sendable`.

    let type: Any.Type
    let storage: UnsafeMutableRawPointer
    /// The disposal of a cached instance with disposers. Guarded by the lock of disposals.
    @safe @exclusivity(unchecked) var disposal: Disposal?

    /// Fills the memory by `body`, which returns false if there is no instance.
    init?(of type: Any.Type, by body: (UnsafeMutableRawPointer) throws(InjectleError) -> Bool) throws(InjectleError) {
        let storage = unsafe allocated(for: type)
        var isInitialized = false
        defer { if !isInitialized { unsafe storage.deallocate() } }
        isInitialized = try unsafe body(storage)
        guard isInitialized else { return nil }
        self.type = type
        unsafe self.storage = unsafe storage
    }

    init<Service>(_ service: Service) {
        type = Service.self
        unsafe storage = unsafe allocated(for: Service.self)
        unsafe storage.initializeMemory(as: Service.self, to: service)
    }

    /// The same service as a value of another type, or nil if it is none.
    func cast(to type: Any.Type) -> Instance? {
        if type == self.type { return self }
        func open<Source, Target>(_: Source.Type, _: Target.Type) -> Instance? {
            unsafe (storage.assumingMemoryBound(to: Source.self).pointee as? Target).map { Instance($0) }
        }
        return open(self.type, type)
    }

    /// Whether this is an `Optional` without a value.
    var isNil: Bool {
        unsafe asOptional(type)?.isNil(at: storage) ?? false
    }

    // MARK: Weak references

    private struct WeakReference {
        weak var object: AnyObject?
        /// The disposal by caches that retain the object.
        let disposal: Disposal?
    }

    /// A weak reference to the object. Nil if the instance is none.
    var weakened: Instance? {
        object.map { Instance(WeakReference(object: $0, disposal: disposal)) }
    }

    /// The object of a weak reference as a value of its former type, or this instance if it is no weak reference. Nil if
    /// the object was released.
    func revived(as type: Any.Type) -> Instance? {
        guard self.type == WeakReference.self else { return self }
        let note = unsafe storage.assumingMemoryBound(to: WeakReference.self).pointee
        let disposal = note.disposal
        // A disposed object counts as released.
        guard let object = note.object, disposal?.isDisposed != true else { return nil }
        let instance = Instance(object).cast(to: type)
        instance?.disposal = disposal
        return instance
    }

    /// Initializes `destination`, memory for a value of `type`, with a copy of the value.
    func copy(to destination: UnsafeMutableRawPointer) {
        unsafe copyValue(from: storage, to: destination, of: type)
    }

    deinit {
        func open<Service>(_: Service.Type) {
            unsafe storage.assumingMemoryBound(to: Service.self).deinitialize(count: 1)
        }
        _openExistential(type, do: open)
        unsafe storage.deallocate()
    }
}

// Each of these opens a type that is known at run time only. No read that finds an instance uses these slow functions.

/// Memory for one value of `type`, with the padding behind it, which copying may touch.
private func allocated(for type: Any.Type) -> UnsafeMutableRawPointer {
    func open<Service>(_: Service.Type) -> UnsafeMutableRawPointer {
        .allocate(byteCount: MemoryLayout<Service>.stride, alignment: MemoryLayout<Service>.alignment)
    }
    return unsafe open(type)
}

func copyValue(from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        unsafe destination.initializeMemory(as: Service.self, to: source.assumingMemoryBound(to: Service.self).pointee)
    }
    open(type)
}
