/// A type whose values resolve a service: a property wrapper, ``Locator/Lazy`` or ``Locator/Provider``.
///
/// Starts and checks find them among the stored properties of types, without an instance.
package protocol ResolvingType {
    static var resolution: TypeResolution { get }
}

/// How the values of a type resolve a service.
package struct TypeResolution {
    /// The type of the request, which can be composed.
    package let request: Any.Type
    /// The type of the service.
    package let service: Any.Type
    let moment: Moment

    enum Moment {
        /// A call of the value. The type of the request tells whether the value keeps the service.
        case call
        /// Each read of the property.
        case eachRead
        /// The first read of the property, or its creation. The property keeps the service.
        case firstRead
    }

    /// Whether a read of the property resolves the service, synchronously.
    package var isRead: Bool {
        switch moment {
        case .call: false
        case .eachRead, .firstRead: true
        }
    }

    /// Whether the property keeps the service that it resolves first.
    package var keepsFirst: Bool {
        switch moment {
        case .call, .eachRead: false
        case .firstRead: true
        }
    }
}

extension Inject: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Service.self, service: Service.self, moment: .eachRead)
    }
}

extension Optject: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Service?.self, service: Service.self, moment: .eachRead)
    }
}

extension Injected: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Service.self, service: Service.self, moment: .firstRead)
    }
}

extension Locator.Lazy: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Self.self, service: Service.self, moment: .call)
    }
}

extension Locator.Provider: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Self.self, service: Service.self, moment: .call)
    }
}

/// The type of the service that a request for a type leads to, through values that resolve one later.
package func serviceType(of request: Any.Type) -> Any.Type {
    let type = unwrapped(request)
    return (type as? any ResolvingType.Type).map { serviceType(of: $0.resolution.service) } ?? type
}

/// The name of the module that declares a type.
package func moduleName(of type: Any.Type) -> String { String(_typeName(type, qualified: true).prefix { $0 != "." }) }

/// Whether a module of the system declares a type, whose stored properties resolve nothing.
package func isOfSystem(_ type: Any.Type) -> Bool {
    let modules = ["Swift", "SwiftUI", "SwiftUICore", "Foundation", "FoundationEssentials", "Builtin", "__C"]
    return modules.contains(moduleName(of: type))
}
