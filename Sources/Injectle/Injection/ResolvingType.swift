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
    /// Whether a value keeps the service that it resolves first.
    package var keepsFirst = false
    /// Whether a read of the property resolves the service, synchronously.
    package var isRead = false
}

extension Inject: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Service.self, service: Service.self, isRead: true)
    }
}

extension Optject: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Service?.self, service: Service.self, isRead: true)
    }
}

extension Injected: ResolvingType {
    package static var resolution: TypeResolution {
        TypeResolution(request: Service.self, service: Service.self, keepsFirst: true, isRead: true)
    }
}

extension Locator.Lazy: ResolvingType {
    package static var resolution: TypeResolution { TypeResolution(request: Self.self, service: Service.self) }
}

extension Locator.Provider: ResolvingType {
    package static var resolution: TypeResolution { TypeResolution(request: Self.self, service: Service.self) }
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
