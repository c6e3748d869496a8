internal import CInjectle

/// An instance of a service, as a value of one type.
///
/// The class is not generic, so that a service needs no metadata of its own. The value lies behind the header, in the memory of
/// the object, and a reader that knows the type loads it without a cast.
@safe
final class Instance: @unchecked Sendable {
    // Sound to share: value and disposal are set before the instance is published, and never again. The isolation rules of
    // the locator say which threads may use a service that is not `Sendable`.

    private struct Header {
        var type: Any.Type
        /// The disposal of a cached instance with disposers. Guarded by the lock of disposals.
        var disposal: Disposal?
    }

    /// The header and the words of the value: the class itself can have no stored properties.
    private typealias Memory = ManagedBufferPointer<Header, UInt>

    private var memory: Memory { Memory(unsafeBufferObject: self) }

    /// An object with memory for a value, which the caller initializes.
    private static func allocate(for type: Any.Type) -> Instance {
        let memory = Memory(bufferClass: Instance.self, minimumCapacity: wordCount(for: type)) { _, _ in
            Header(type: type, disposal: nil)
        }
        // The object is of the class that was passed.
        return unsafe unsafeDowncast(memory.buffer, to: Instance.self)
    }

    /// The instance whose memory `body` fills. Nil if `body` returns false.
    static func make(of type: Any.Type, by body: (UnsafeMutableRawPointer) throws(InjectleError) -> Bool)
        throws(InjectleError) -> Instance?
    {
        let instance = allocate(for: type)
        var isInitialized = false
        // Without a value, nothing may be destroyed.
        defer {
            if !isInitialized {
                unsafe instance.memory.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type = Void.self }
            }
        }
        isInitialized = try unsafe body(instance.storage)
        return isInitialized ? instance : nil
    }

    static func make<Service>(_ service: Service) -> Instance {
        let instance = allocate(for: Service.self)
        unsafe instance.storage.initializeMemory(as: Service.self, to: service)
        return instance
    }

    /// A copy of the value at an address.
    static func make(copying address: UnsafeRawPointer, of type: Any.Type) -> Instance {
        let instance = allocate(for: type)
        unsafe copyValue(from: address, to: instance.storage, of: type)
        return instance
    }

    var type: Any.Type { unsafe memory.withUnsafeMutablePointerToHeader { unsafe $0.pointee.type } }

    var disposal: Disposal? {
        get { unsafe memory.withUnsafeMutablePointerToHeader { unsafe $0.pointee.disposal } }
        set { unsafe memory.withUnsafeMutablePointerToHeader { unsafe $0.pointee.disposal = newValue } }
    }

    /// The address of the value, which is a part of the object, and exists as long as something retains that.
    var storage: UnsafeMutableRawPointer {
        unsafe memory.withUnsafeMutablePointers { header, words in
            unsafe UnsafeMutableRawPointer(words).alignedUp(toMultipleOf: alignment(of: header.pointee.type))
        }
    }

    /// The same service as a value of another type, or nil if it is none.
    func cast(to type: Any.Type) -> Instance? {
        if type == self.type { return self }
        func open<Source, Target>(_: Source.Type, _: Target.Type) -> Instance? {
            unsafe (storage.assumingMemoryBound(to: Source.self).pointee as? Target).map { Instance.make($0) }
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

    /// A weak reference to the object. Nil if the instance is none, or is in a box that no cast leads back to, as an object
    /// of type `any Error` is.
    var weakened: Instance? {
        guard let object, Instance.make(object).cast(to: type) != nil else { return nil }
        return Instance.make(WeakReference(object: object, disposal: disposal))
    }

    /// The object of a weak reference as a value of its former type, or this instance if it is no weak reference. Nil if
    /// the object was released.
    func revived(as type: Any.Type) -> Instance? {
        guard self.type == WeakReference.self else { return self }
        let reference = unsafe storage.assumingMemoryBound(to: WeakReference.self)
        let disposal = unsafe reference.pointee.disposal
        // A disposed object counts as released.
        guard let object = unsafe reference.pointee.object, disposal?.isDisposed != true else { return nil }
        let instance = Instance.make(object).cast(to: type)
        instance?.disposal = disposal
        return instance
    }

    /// Initializes `destination`, memory for a value of `type`, with a copy of the value.
    func copy(to destination: UnsafeMutableRawPointer) {
        // An object is in the first word.
        let isCopied = unsafe memory.withUnsafeMutablePointers { header, words in
            unsafe copyObject(from: words, to: destination, of: header.pointee.type)
        }
        if !isCopied { unsafe copyValue(from: storage, to: destination, of: type) }
    }

    deinit {
        unsafe destroyValue(at: storage, of: type)
        _ = unsafe memory.withUnsafeMutablePointerToHeader { unsafe $0.deinitialize(count: 1) }
    }
}

// Each of these opens a type that is known at run time only. No read that finds an instance uses these slow functions.

/// The number of words that have room for a value of `type`, with the padding behind it, which copying may touch.
private func wordCount(for type: Any.Type) -> Int {
    if isClass(type) { return 1 }
    func open<Service>(_: Service.Type) -> Int {
        let word = MemoryLayout<UInt>.self
        // A value of a greater alignment can begin behind the first word.
        let padding = max(0, MemoryLayout<Service>.alignment - word.alignment)
        return (MemoryLayout<Service>.stride + padding + word.size - 1) / word.size
    }
    return open(type)
}

private func alignment(of type: Any.Type) -> Int {
    if isClass(type) { return MemoryLayout<UInt>.alignment }
    func open<Service>(_: Service.Type) -> Int { MemoryLayout<Service>.alignment }
    return open(type)
}

func copyValue(from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        unsafe destination.initializeMemory(as: Service.self, to: source.assumingMemoryBound(to: Service.self).pointee)
    }
    open(type)
}

/// The same, at once, for an object. Returns false for a value of another type.
@inline(__always)
func copyObject(from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, of type: Any.Type) -> Bool {
    guard isClass(type) else { return false }
    let object = unsafe source.load(as: Unmanaged<AnyObject>.self).retain()
    unsafe destination.storeBytes(of: object, as: Unmanaged<AnyObject>.self)
    return true
}

@inline(__always)
func destroyValue(at address: UnsafeMutableRawPointer, of type: Any.Type) {
    guard isClass(type) else { return unsafe destroyOpaqueValue(at: address, of: type) }
    unsafe address.load(as: Unmanaged<AnyObject>.self).release()
}

@inline(never)
private func destroyOpaqueValue(at address: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        unsafe address.assumingMemoryBound(to: Service.self).deinitialize(count: 1)
    }
    _openExistential(type, do: open)
}
