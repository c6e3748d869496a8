/// A dependency of a service that is known without creating it: a type as a parameter spells it, and a key.
@usableFromInline
struct Dependency {
    /// The requested type, which can be composed: `T?`, `[T]`, `Lazy<T>`.
    let type: Any.Type
    var keyPart: Locator.Identity.KeyPart?
    /// Whether a modifier declares it, so that the closure can pass arguments or not resolve it at all.
    var isByModifier = false

    /// Returns the types of parameters.
    @inlinable
    static func types<each Parameter>(_ types: repeat (each Parameter).Type) -> [Any.Type] {
        var list: [Any.Type] = []
        for type in repeat each types { list.append(type) }
        return list
    }
}

extension Locator.Registration {
    /// Declares the dependencies of a factory closure, so that the locator knows them without calling the closure.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(
    ///     .lazy { locator in Garage(database: try locator.resolve()) }
    ///         .depending(on: Database.self)
    /// )
    /// ```
    ///
    /// The checks and the graph of the module `InjectleDiagnostics` use them. An
    /// `.initializer` declares its parameters by itself, and ``injecting(_:key:fileID:line:)-9qjbv``
    /// its property. `T?`, `[T]`, ``Locator/Lazy`` and ``Locator/Provider`` have the meaning that they have as
    /// parameters. A modifier without types, `.depending()`, declares that there are none.
    ///
    /// - Parameter type: The types that the closure resolves without a key.
    /// - Complexity: O(*n*) in the number of types.
    public func depending<each Other>(on type: repeat (each Other).Type) -> Self {
        declaring(Dependency.types(repeat each type), byModifier: true)
    }

    /// Declares a dependency that the factory closure resolves with a key.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }, key: "archive")
    /// locator.register(
    ///     .lazy { locator in Garage(database: try locator.resolve(key: "archive")) }
    ///         .depending(on: Database.self, key: "archive")
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type that the closure resolves.
    ///   - key: The key that it resolves it with.
    public func depending<Other>(on type: Other.Type, key: AnyHashable) -> Self {
        changed { record in
            record.ownRareFields.declaresDependencies = true
            let keyPart = Locator.Identity.KeyPart(key)
            record.ownRareFields.dependencies.append(Dependency(type: type, keyPart: keyPart, isByModifier: true))
        }
    }

    /// Adds all dependencies of the closure.
    @usableFromInline
    consuming func declaring(_ types: [Any.Type], byModifier: Bool = false) -> Self {
        if !isKnownUniquelyReferenced(&record) { record = record.copied() }
        let rareFields = record.ownRareFields
        rareFields.declaresDependencies = true
        rareFields.dependencies += types.map { Dependency(type: $0, isByModifier: byModifier) }
        return self
    }

    /// Adds the dependency of a modifier to the dependencies of the closure.
    func adding(_ type: Any.Type, _ key: AnyHashable?) -> Self {
        changed { record in
            let keyPart = Locator.Identity.KeyPart.make(key)
            record.ownRareFields.dependencies.append(Dependency(type: type, keyPart: keyPart))
        }
    }
}
