internal import Injectle

/// The stored properties of types that resolve services, found without an instance.
///
/// Properties of stored structures, tuples and optionals belong to the type. An object in a property is created elsewhere,
/// maybe by another locator: its type is inspected if it is registered or a root.
struct InjectedProperties {
    /// The name, or the path if it is in a stored structure; the request, whose type can be composed; and its service.
    typealias Property = (name: String, request: Locator.Identity, service: Any.Type, kind: DependencyGraph.Kind)

    let reflection: TypeReflection?
    private var known: [ObjectIdentifier: [Property]] = [:]

    init(by reflection: TypeReflection?) {
        self.reflection = reflection
    }

    /// The properties of a type, in order of declaration.
    mutating func properties(of type: Any.Type) -> [Property] {
        guard let reflection else { return [] }
        if let properties = known[ObjectIdentifier(type)] { return properties }
        // Ends the recursion of a type that contains itself.
        known[ObjectIdentifier(type)] = []
        var properties: [Property] = []
        for (name, stored) in reflection.storedProperties(of: type) {
            // The storage of a wrapped property begins with an underscore, and the position in a tuple with a dot.
            let name = name.drop { "_.".contains($0) }
            let stored = Locator.Identity(stored).type
            if let wrapper = stored as? any ResolvingType.Type {
                let (request, service, kind) = wrapper.resolution
                let identity = Locator.Identity(requesting: request, key: nil)
                properties.append((String(name), identity, serviceType(of: service), kind))
            } else if !(stored is AnyClass), !isOfSystem(stored) {
                for part in self.properties(of: stored) {
                    properties.append(("\(name).\(part.name)", part.request, part.service, part.kind))
                }
            }
        }
        known[ObjectIdentifier(type)] = properties
        return properties
    }

    /// Whether a module of the system declares a type, which then has no properties of interest.
    private func isOfSystem(_ type: Any.Type) -> Bool {
        let modules = ["Swift", "SwiftUI", "SwiftUICore", "Foundation", "FoundationEssentials", "Builtin", "__C"]
        return modules.contains(String(_typeName(type, qualified: true).prefix { $0 != "." }))
    }
}

/// Returns the type of the service that a request for a composed type leads to.
func serviceType(of request: Any.Type) -> Any.Type {
    let type = Locator.Identity(request).type
    return (type as? any ResolvingType.Type).map { serviceType(of: $0.resolution.service) } ?? type
}

typealias Resolved = (request: Any.Type, service: Any.Type, kind: DependencyGraph.Kind)

/// A type whose values resolve a service.
protocol ResolvingType {
    static var resolution: Resolved { get }
}

extension Inject: ResolvingType { static var resolution: Resolved { (Service.self, Service.self, .property) } }
extension Optject: ResolvingType { static var resolution: Resolved { (Service?.self, Service.self, .property) } }
// It keeps its service, as `Lazy` does.
extension Injected: ResolvingType { static var resolution: Resolved { (Service.self, Service.self, .lazy) } }
extension Locator.Lazy: ResolvingType { static var resolution: Resolved { (Self.self, Service.self, .property) } }
extension Locator.Provider: ResolvingType { static var resolution: Resolved { (Self.self, Service.self, .property) } }
