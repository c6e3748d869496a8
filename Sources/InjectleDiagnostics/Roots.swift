public import Injectle

/// The roots of a graph.
struct Roots {
    var types: [Locator.Identity] = []
    var objects: [CreatedObject] = []
    /// Whether the registrations of the locator itself are placeholders for later instances.
    var hasPlaceholders = false

    /// Whether they are all roots of the program, so that no other registration is needed.
    var areAll = true

    /// Whether a trait of a test checks them, so that a fix is a trait.
    var isOfTrait = false

    /// Whether the check creates the services.
    var isOfCreation = false

    var isEmpty: Bool { types.isEmpty && objects.isEmpty }
}

/// What the creation of a root has resolved, and the properties that it has created.
struct CreatedObject {
    let type: Any.Type
    let dependencies: [Locator.DependencyRecorder.Dependency]
    /// The properties of a view whose services the view creates, or passes arguments to.
    var ofView: Set<String> = []
    /// The first line of the error, if it could not be created.
    let failure: String?
}

extension Locator {
    /// An object that the program creates itself, as a root of a check.
    ///
    /// ```swift
    /// final class ProfileModel { @Inject(.archive) var database }
    ///
    /// locator.register(.lazy { Database() }, for: .archive)
    /// try locator.check { ProfileModel() }
    /// ```
    ///
    /// A ``RootBuilder`` creates it from each expression.
    public struct Root {
        let type: Any.Type
        /// The service by which a locator creates it.
        fileprivate let identity: Identity
        /// Lets a locator create it.
        fileprivate let create: (Locator) throws(InjectleError) -> Any

        init<Object>(_ create: @escaping () throws -> Object) {
            type = Object.self
            identity = Identity(RootService<Object>.self)
            self.create = { locator throws(InjectleError) in
                locator.register(.volatile(isolation: nil) { RootService(object: try create()) })
                return try locator.resolve(RootService<Object>.self).object
            }
        }
    }

    /// The service of a registration that creates a root. The path of an error begins with the type of the root.
    private struct RootService<Object>: NamedAsOther {
        static var named: Any.Type { Object.self }

        let object: Object
    }

    /// Creates objects within creations of a copy of this locator, one after the other, and releases them.
    ///
    /// - Parameter copy: A copy with instances, in which properties that resolve at once do so. Without it, they leave
    ///   that to their first read.
    func create(_ objects: () throws -> [Root], in copy: Locator? = nil) -> [CreatedObject] {
        let roots: [Root]
        do {
            roots = try objects()
        } catch {
            return [CreatedObject(type: Root.self, dependencies: [], failure: "\(error)")]
        }
        if roots.isEmpty { return [] }
        let defersProperties = copy == nil
        let copy = copy ?? Locator(copying: self)
        return roots.map { root in
            let recorder = DependencyRecorder(defersProperties: defersProperties)
            let handle = copy.add(recorder)
            defer { handle.remove() }
            var type: Any.Type = root.type
            var failure: String? = nil
            var ofView: Set<String> = []
            Locator.$shared.withValue(copy) {
                do throws(InjectleError) {
                    let object = try root.create(copy)
                    type = Swift.type(of: object)
                    ofView = propertiesOfView(object)
                } catch {
                    failure = String(error.description.prefix { $0 != "\n" })
                }
            }
            var dependencies: [DependencyRecorder.Dependency] = []
            if case .registration(let facts) = copy.facts.lookUp(root.identity) {
                dependencies = recorder.dependencies(of: facts) ?? []
            }
            return CreatedObject(type: type, dependencies: dependencies, ofView: ofView, failure: failure)
        }
    }

    /// The names of the properties that have an `InjectedState` which says so.
    private func propertiesOfView(_ object: Any) -> Set<String> {
        let names = Mirror(reflecting: object).children.compactMap { property -> String? in
            guard moduleName(of: Swift.type(of: property.value)) == "InjectleSwiftUI",
                Mirror(reflecting: property.value).descendant("isOfView") as? Bool == true
            else { return nil }
            return property.label.map { String($0.drop { $0 == "_" }) }
        }
        return Set(names)
    }
}
