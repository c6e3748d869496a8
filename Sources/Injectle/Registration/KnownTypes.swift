// Decides from types alone whether each value of one is of another.

/// Whether each value of a type is of another type. Nil if that depends on the value.
func everyValue(of service: Any.Type, is type: Any.Type) -> Bool? {
    let service = unwrapped(service)
    let other = unwrapped(type)
    if service == other { return true }
    // The value of a protocol or of a function can be of any type that conforms.
    if isAbstract(service) && !(service is AnyClass) { return nil }
    func isSubtype<Other>(of _: Other.Type) -> Bool { service is Other.Type }
    if _openExistential(other, do: isSubtype) { return true }
    if other == AnyHashable.self { return service is any Hashable.Type }
    if other is AnyClass { return everyValue(of: service, isOfClass: other) }
    if isAbstract(other) { return conforms(service, to: other) }
    // A cast converts the elements of a collection, and metatypes of classes.
    let areCollections = service is any CastCollection.Type && other is any CastCollection.Type
    return areCollections || isMetatype(service) && isMetatype(other) ? nil : false
}

private func everyValue(of service: Any.Type, isOfClass other: Any.Type) -> Bool? {
    guard service is AnyClass else { return canBridge ? nil : false }
    // The closure can return an instance of a subclass.
    func isSubclass<Service>(of _: Service.Type) -> Bool { other is Service.Type }
    return _openExistential(service, do: isSubclass) ? nil : false
}

/// Whether a type conforms to a protocol. Nil if the runtime does not tell.
private func conforms(_ service: Any.Type, to type: Any.Type) -> Bool? {
    // The metatype of the conforming types is not the protocol's own, and has no spelling in generic code. The runtime
    // finds no private protocol by its name, and no protocol whose associated types are given.
    guard !isParameterized(type), let name = _mangledTypeName(type), let metatype = _typeByName(name + "Xp") else {
        return nil
    }
    func isConforming<Metatype>(to _: Metatype.Type) -> Bool { (service as Any) is Metatype }
    return _openExistential(metatype, do: isConforming)
}

/// Whether the runtime casts values of the standard library to objects.
private var canBridge: Bool {
    #if canImport(ObjectiveC)
    true
    #else
    false
    #endif
}

/// A collection that a cast converts element by element.
private protocol CastCollection {}
extension Array: CastCollection {}
extension Set: CastCollection {}
extension Dictionary: CastCollection {}

/// Whether values of other types can be of this one: whether it is a protocol or a class.
func isAbstract(_ type: Any.Type) -> Bool {
    type is AnyClass || "\(Swift.type(of: type))".hasSuffix(".Protocol") || isParameterized(type)
}

/// Whether it is a protocol with given associated types: `any Clock<Duration>`.
private func isParameterized(_ type: Any.Type) -> Bool { "\(Swift.type(of: type))".hasPrefix("(any ") }

/// Whether its values are types.
private func isMetatype(_ type: Any.Type) -> Bool {
    let name = "\(Swift.type(of: type))"
    return name.hasSuffix(".Type.Type") || name.hasSuffix(".Protocol.Type")
}

extension AnyRecord {
    /// Whether each instance is of a type. Nil if that is not known without one.
    func isKnown(toBe type: Any.Type) -> Bool? {
        if type == traits.serviceType { return true }
        // A value was of all types of its registration when that was inserted, and elsewhere an isolated conformance
        // fails.
        if let readyInstance {
            return readyInstance.cast(to: type) != nil || traits.identities.contains { $0.type == type }
        }
        return everyValue(of: traits.serviceType, is: type)
    }
}
