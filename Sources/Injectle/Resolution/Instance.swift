/// A made service, or one of its forms, in memory of its own.
///
/// It holds a value of `type` and is not generic itself, so that a service costs no class of its own, and a reader that
/// knows the type loads it without a cast.
final class Instance: @unchecked Sendable {
    // Sound to share: the value is initialized before the instance is published, and never written again, and neither
    // is what ends it. What other threads may do with a service that is not `Sendable` is the subject of the locator's
    // isolation rules.

    let type: Any.Type
    let storage: UnsafeMutableRawPointer
    /// What ends it, if it has disposers and is kept. Guarded by the lock of disposals.
    @exclusivity(unchecked) var disposal: Disposal?

    /// Fills the memory by `initialize`, which returns false if there is no instance.
    init?<Failure: Error>(
        of type: Any.Type,
        initialize: (UnsafeMutableRawPointer) throws(Failure) -> Bool
    ) throws(Failure) {
        let storage = allocated(for: type)
        do {
            guard try initialize(storage) else {
                storage.deallocate()
                return nil
            }
        } catch {
            storage.deallocate()
            throw error
        }
        self.type = type
        self.storage = storage
    }

    init<Service>(_ service: Service) {
        type = Service.self
        storage = allocated(for: Service.self)
        storage.initializeMemory(as: Service.self, to: service)
    }

    /// The same service as a value of another type, or nil if it is none.
    func cast(to type: Any.Type) -> Instance? {
        if type == self.type { return self }
        return Instance(of: type) { castService(at: storage, from: self.type, to: type, into: $0) }
    }

    /// Whether this is an `Optional` without a value.
    var isNil: Bool {
        asOptional(type)?.isNil(at: storage) ?? false
    }

    // MARK: Kept weakly

    /// What is kept of an object that others hold.
    private struct WeakReference {
        weak var object: AnyObject?
        /// What ends it for others who keep it.
        let disposal: Disposal?
    }

    /// A note of the object that this is, which does not hold it. Nil if it is none.
    var weakened: Instance? {
        object.map { Instance(WeakReference(object: $0, disposal: disposal)) }
    }

    /// The object that this is a note of, as a value of a type it had; if this is none, itself. Nil if the object has
    /// gone.
    func revived(as type: Any.Type) -> Instance? {
        guard self.type == WeakReference.self else { return self }
        let note = storage.assumingMemoryBound(to: WeakReference.self).pointee
        let disposal = note.disposal
        // What has been disposed of is as good as gone.
        guard let object = note.object, disposal?.isDisposed != true else { return nil }
        let instance = Instance(object).cast(to: type)
        instance?.disposal = disposal
        return instance
    }

    /// Initializes `destination`, memory for a value of `type`, by a copy of the value.
    func copy(to destination: UnsafeMutableRawPointer) {
        copyValue(from: storage, to: destination, of: type)
    }

    deinit {
        destroyValue(at: storage, of: type)
        storage.deallocate()
    }
}

// Each of these opens a type that is only known at run time. They are slow beside code that knows it, and none of them
// stands on the way of a read that finds an instance.

/// Memory for one value of `type`, with the padding behind it, which copying may touch.
private func allocated(for type: Any.Type) -> UnsafeMutableRawPointer {
    func open<Service>(_: Service.Type) -> UnsafeMutableRawPointer {
        .allocate(byteCount: MemoryLayout<Service>.stride, alignment: MemoryLayout<Service>.alignment)
    }
    return open(type)
}

func copyValue(from source: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        destination.initializeMemory(as: Service.self, to: source.assumingMemoryBound(to: Service.self).pointee)
    }
    open(type)
}

/// Ends the life of the value of `type` in `storage`, whose memory stays.
func destroyValue(at storage: UnsafeMutableRawPointer, of type: Any.Type) {
    func open<Service>(_: Service.Type) {
        storage.assumingMemoryBound(to: Service.self).deinitialize(count: 1)
    }
    open(type)
}

/// Initializes `destination` by the value of type `source` at `storage`, seen as a `target`. False if it is none.
func castService(
    at storage: UnsafeRawPointer,
    from source: Any.Type,
    to target: Any.Type,
    into destination: UnsafeMutableRawPointer
) -> Bool {
    func open<Source, Target>(_: Source.Type, _: Target.Type) -> Bool {
        guard let service = storage.assumingMemoryBound(to: Source.self).pointee as? Target else { return false }
        destination.initializeMemory(as: Target.self, to: service)
        return true
    }
    return open(source, target)
}
