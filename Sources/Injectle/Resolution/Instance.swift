internal import CInjectle

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
        defer { if !isInitialized { unsafe injectle_free(storage) } }
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

    /// A copy of the value at an address.
    init(copying address: UnsafeRawPointer, of type: Any.Type) {
        self.type = type
        unsafe storage = unsafe allocated(for: type)
        unsafe copyValue(from: address, to: storage, of: type)
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
        /// The words of the value, without a retain, if it is a reference to the object and metadata: then they are a value
        /// of its type as long as the object exists.
        var words: Words?

        typealias Words = (UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt)
    }

    /// A weak reference to the object. Nil if the instance is none.
    var weakened: Instance? {
        guard let object else { return nil }
        var reference = WeakReference(object: object, disposal: disposal)
        let address = UInt(bitPattern: ObjectIdentifier(object))
        // A value whose dynamic type is a class is a reference, or an existential, which has metadata behind it.
        if let size = sizeOfWords(of: type), unsafe storage.load(as: UInt.self) == address {
            var words: WeakReference.Words = (0, 0, 0, 0, 0, 0, 0, 0)
            unsafe withUnsafeMutableBytes(of: &words) { words in
                unsafe words.copyMemory(from: UnsafeRawBufferPointer(start: storage, count: size))
            }
            reference.words = words
        }
        return Instance(reference)
    }

    /// The size of a type if its values fit into the words of a weak reference.
    private func sizeOfWords(of type: Any.Type) -> Int? {
        func open<Service>(_: Service.Type) -> Int? {
            MemoryLayout<Service>.size <= MemoryLayout<WeakReference.Words>.size
                && MemoryLayout<Service>.size >= MemoryLayout<UInt>.size
                && MemoryLayout<Service>.alignment <= MemoryLayout<UInt>.alignment ? MemoryLayout<Service>.size : nil
        }
        return open(type)
    }

    /// Initializes `destination`, memory for a value of `type`, with the object of a weak reference that was a value of that
    /// type. Returns false if the object was released, or that takes longer.
    func copyRevived(to destination: UnsafeMutableRawPointer, as type: Any.Type) -> Bool {
        guard self.type == WeakReference.self else { return false }
        let reference = unsafe storage.assumingMemoryBound(to: WeakReference.self)
        guard unsafe reference.pointee.words != nil, let object = unsafe reference.pointee.object,
            unsafe reference.pointee.disposal?.isDisposed != true
        else { return false }
        return withExtendedLifetime(object) {
            guard var words = unsafe reference.pointee.words else { return false }
            unsafe copyValue(from: &words, to: destination, of: type)
            return true
        }
    }

    /// The object of a weak reference as a value of its former type, or this instance if it is no weak reference. Nil if
    /// the object was released.
    func revived(as type: Any.Type) -> Instance? {
        guard self.type == WeakReference.self else { return self }
        let reference = unsafe storage.assumingMemoryBound(to: WeakReference.self)
        let disposal = unsafe reference.pointee.disposal
        // A disposed object counts as released.
        guard let object = unsafe reference.pointee.object, disposal?.isDisposed != true else { return nil }
        let instance = Instance(object).cast(to: type)
        instance?.disposal = disposal
        return instance
    }

    /// Initializes `destination`, memory for a value of `type`, with a copy of the value.
    func copy(to destination: UnsafeMutableRawPointer) {
        unsafe copyValue(from: storage, to: destination, of: type)
    }

    deinit {
        unsafe destroyValue(at: storage, of: type)
        unsafe injectle_free(storage)
    }
}

// Each of these opens a type that is known at run time only. No read that finds an instance uses these slow functions.

/// Memory for one value of `type`, with the padding behind it, which copying may touch.
private func allocated(for type: Any.Type) -> UnsafeMutableRawPointer {
    func open<Service>(_: Service.Type) -> UnsafeMutableRawPointer {
        unsafe injectle_allocate(MemoryLayout<Service>.stride, MemoryLayout<Service>.alignment)
    }
    return unsafe open(type)
}

func copyValue(from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        unsafe destination.initializeMemory(as: Service.self, to: source.assumingMemoryBound(to: Service.self).pointee)
    }
    open(type)
}

func destroyValue(at address: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        unsafe address.assumingMemoryBound(to: Service.self).deinitialize(count: 1)
    }
    _openExistential(type, do: open)
}
