internal import Injectle

/// The stored properties of types that resolve services, found without an instance.
///
/// Properties of stored structures, tuples and optionals belong to the type. An object in a property is created
/// elsewhere, maybe by another locator: its type is inspected if it is registered or a root.
struct InjectedProperties {
    /// A property that resolves a service.
    struct Property {
        /// The name, or the path if it is in a stored structure.
        let name: String
        /// The request, whose type can be composed.
        let request: Locator.Identity
        /// The service of the request.
        let service: Any.Type
        let kind: DependencyGraph.Kind
        /// Whether a read of the property resolves the service, synchronously.
        let isRead: Bool
        /// Whether it is a view's, which can create the service itself, or pass arguments.
        let isOfView: Bool
    }

    /// Whether the runtime lists properties. If not, no type has any.
    let canBeListed: Bool
    private var known: [ObjectIdentifier: [Property]] = [:]

    init(canBeListed: Bool) {
        self.canBeListed = canBeListed
    }

    /// The properties of a type, in order of declaration.
    mutating func properties(of type: Any.Type) -> [Property] {
        if !canBeListed { return [] }
        if let properties = known[ObjectIdentifier(type)] { return properties }
        // Ends the recursion of a type that contains itself.
        known[ObjectIdentifier(type)] = []
        var properties: [Property] = []
        for property in StoredProperty.all(of: type) {
            let name = sourceName(ofStorage: property.name)
            let stored = Locator.Identity(property.type).type
            if let wrapper = stored as? any ResolvingType.Type {
                properties.append(wrapper.resolution.property(name))
            } else if !(stored is AnyClass), !isOfSystem(stored) {
                let isOfView = moduleName(of: stored) == "InjectleSwiftUI"
                properties += self.properties(of: stored).map { isOfView ? $0.ofView(name) : $0.within(name) }
            }
        }
        known[ObjectIdentifier(type)] = properties
        return properties
    }

    /// The name of a property in source code. The storage of a wrapped property begins with an underscore, the position
    /// in a tuple with a dot, and the storage of a `lazy var` with a mark of the compiler.
    private func sourceName(ofStorage name: String) -> String {
        let mark = "$__lazy_storage_$"
        return String((name.hasPrefix(mark) ? name.dropFirst(mark.count) : name[...]).drop { "_.".contains($0) })
    }
}

extension InjectedProperties.Property {
    /// The property of a structure that a property stores.
    fileprivate func within(_ owner: String) -> Self {
        Self(
            name: "\(owner).\(name)",
            request: request,
            service: service,
            kind: kind,
            isRead: isRead,
            isOfView: isOfView
        )
    }

    /// The property of an `InjectedState`.
    fileprivate func ofView(_ name: String) -> Self {
        Self(name: name, request: request, service: service, kind: kind, isRead: isRead, isOfView: true)
    }
}

extension TypeResolution {
    fileprivate func property(_ name: String) -> InjectedProperties.Property {
        InjectedProperties.Property(
            name: name,
            request: Locator.Identity(requesting: request, key: nil),
            service: serviceType(of: service),
            kind: keepsFirst ? .lazy : .property,
            isRead: isRead,
            isOfView: false
        )
    }
}
