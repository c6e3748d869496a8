internal import CInjectle

/// A value of one type that the engine passes on without knowing the type: the instance of a service, or an argument.
///
/// Its only subclass is `Instance`. Whoever knows the type of the value reads it by `service(as:)`.
///
/// Invariant: immutable.
@usableFromInline class AnyInstance: @unchecked Sendable {
    // Sound to share: see the invariant. The isolation rules of the locator say which threads may use a service that is
    // not `Sendable`; the caller protects an argument.

    /// The position in the order of creation, or 0 for a value that no registration has created.
    final let order: UInt
    final let disposal: Disposal?

    @usableFromInline init(order: UInt, disposal: Disposal? = nil) {
        self.order = order
        self.disposal = disposal
    }

    /// The position of an instance that is created now.
    @usableFromInline static var nextOrder: UInt { injectle_next_order() }

    /// The type of the value.
    @usableFromInline var type: Any.Type { preconditionFailure("An instance is an Instance<Service>.") }
    /// The value, for casts.
    var any: Any { preconditionFailure("An instance is an Instance<Service>.") }
    /// The value, if its type is `Hashable`.
    var hashable: (any Hashable)? { preconditionFailure("An instance is an Instance<Service>.") }
    /// The value, if its type is `Equatable`.
    var equatable: (any Equatable)? { preconditionFailure("An instance is an Instance<Service>.") }
    /// Whether the value is an `Optional` without a value.
    final var isNil: Bool { (type as? any ComposedType.Type)?.isNil(self) ?? false }

    /// The value, if it is an object.
    final var object: AnyObject? {
        let value = any
        // A cast to an object boxes every other value.
        return Swift.type(of: value) is AnyClass ? value as AnyObject : nil
    }

    /// The value as a type that its creator or its reader has made sure of.
    @inlinable @inline(__always)
    final func service<Service>(as type: Service.Type) -> Service {
        // Sound: the class is `Instance<Service>` if and only if the type of the value is `Service`.
        unsafe unsafeDowncast(self, to: Instance<Service>.self).service
    }

    /// The same value as another type, or nil if it is of no such type.
    ///
    /// Bridging is no conversion, on any platform: a value that is no object is never returned as one, as a string
    /// could be, nor an object as such a value.
    final func cast(to type: Any.Type) -> AnyInstance? { type == self.type ? self : castToOther(type) }

    @inline(never)
    private func castToOther(_ type: Any.Type) -> AnyInstance? {
        func open<Target>(_: Target.Type) -> AnyInstance? {
            (any as? Target).map { Instance($0, order: order, disposal: disposal) }
        }
        guard let cast = _openExistential(type, do: open) else { return nil }
        let isObject = object != nil
        if isObject == (cast.object != nil) { return cast }
        return AnyInstance.containsObjects(isObject ? type : self.type) ? cast : nil
    }

    /// Whether a type that is no class and no protocol can contain any object.
    private static func containsObjects(_ type: Any.Type) -> Bool {
        type == AnyHashable.self || ComposedTypes.cast(type)?.wrapped != nil
    }
}

/// The typed part of an instance.
@usableFromInline final class Instance<Service>: AnyInstance, @unchecked Sendable {
    // Sound to share: as its superclass.

    @usableFromInline let service: Service

    @usableFromInline required init(
        _ service: Service,
        order: UInt = 0,
        disposal: Disposal? = nil
    ) {
        self.service = service
        super.init(order: order, disposal: disposal)
    }

    override var type: Any.Type { Service.self }
    override var any: Any { service }
    override var hashable: (any Hashable)? { service as? any Hashable }
    override var equatable: (any Equatable)? { service as? any Equatable }
}

// Weak references.

extension AnyInstance {
    /// A weak reference to the object. Nil if the value is none, or is in a box that no cast leads back to, as an
    /// object of type `any Error` is.
    func weakened(for record: AnyRecord) -> AnyInstance? {
        guard let object, record.revived(object, order: order, disposal) != nil else { return nil }
        return Instance(WeakReference(object), order: order, disposal: disposal)
    }

    /// The object of a weak reference as an instance, or this instance if it is no weak reference. Nil if the object
    /// was released.
    func revived(by record: AnyRecord) -> AnyInstance? {
        guard type == WeakReference.self else { return self }
        // A disposed object counts as released.
        guard let object = service(as: WeakReference.self).object, disposal?.isDisposed != true else { return nil }
        return record.revived(object, order: order, disposal)
    }
}

/// A stored property of a type, which the runtime describes without an instance.
package struct StoredProperty {
    /// The name of the storage: with an underscore, if a wrapper or a macro declares it.
    package let name: String
    package let type: Any.Type

    /// Whether the runtime lists properties.
    package static var canBeListed: Bool { injectle_lists_properties() }

    /// The stored properties of a class with its superclasses, an actor, a structure or a tuple. Other types have none.
    package static func all(of type: Any.Type) -> [StoredProperty] {
        let metadata = UInt(bitPattern: ObjectIdentifier(type))
        return (0..<injectle_property_count(metadata)).map { index in
            var property = unsafe injectle_property(type: 0, name: nil, free_name: nil)
            unsafe injectle_get_property(metadata, index, &property)
            defer { unsafe property.free_name?(property.name) }
            // Sound: a type has the representation of the address of its metadata, which the runtime returns.
            let type = unsafe unsafeBitCast(property.type, to: Any.Type.self)
            return StoredProperty(name: unsafe property.name.map { unsafe String(cString: $0) } ?? "", type: type)
        }
    }
}
