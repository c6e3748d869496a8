/// A dependency of a service that is known without creating it.
struct Dependency: Sendable {
    /// The type as a parameter spells it, which can be composed.
    let type: Any.Type
    let key: Locator.Key?
    let source: DependencySource
}

/// How a registration declares a dependency.
@usableFromInline package enum DependencySource: Sendable {
    /// An initializer resolves it.
    case initializer
    /// A modifier resolves it, once the initializer has returned.
    case injecting
    /// `.depending(on:)`: the closure may resolve it, with arguments or not at all.
    case modifier
    /// A decorator wraps it, and the locator of the decorator inherits it.
    case inherited
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
    /// parameters. A modifier without types, `.depending()`, declares that there are none. Declare what a decorator
    /// resolves here, too: `decorate` has no modifiers.
    ///
    /// - Parameter type: The types that the closure resolves without a key.
    /// - Complexity: O(*n*) in the number of types.
    public func depending<each Other>(on type: repeat (each Other).Type) -> Self {
        declaring(Arguments.types(repeat each type) ?? [], .modifier)
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
            record.traits.declaresDependencies = true
            record.traits.dependencies.append(Dependency(type: type, key: .make(key), source: .modifier))
        }
    }

    /// Declares a dependency that the factory closure resolves with a key whose type is known.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }, for: .archive)  // a ServiceKey<Database>
    /// locator.register(
    ///     .lazy { locator in Garage(database: try locator.resolve(.archive)) }
    ///         .depending(on: .archive)
    /// )
    /// ```
    public func depending<Other>(on key: ServiceKey<Other>) -> Self { depending(on: Other.self, key: key) }

    /// Declares the types of arguments that callers pass to an initializer.
    ///
    /// ```swift
    /// struct Page { let number: Int, database: Database }
    ///
    /// locator.register(.lazy { Database() })
    /// locator.register(.initializer(Page.init).arguments(Int.self).lifetime(.volatile))
    /// print(try locator.resolve(Page.self, arguments: 7).number)  // Prints "7"
    /// ```
    ///
    /// The checks of the module `InjectleDiagnostics` then take no service for a parameter or a property of such a
    /// type, and report each request without arguments. A resolve is unchanged: an argument takes the place of a
    /// service of its type also without this declaration. A closure declares its arguments itself.
    ///
    /// - Parameter type: The types that callers pass.
    /// - Complexity: O(*n*) in the number of types.
    public func arguments<each Argument>(_ type: repeat (each Argument).Type) -> Self {
        changed { $0.traits.passed = Arguments.types(repeat each type) ?? [] }
    }

    /// Leaves the registration out of the checks of the module `InjectleDiagnostics`.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) }.skippingCheck())
    /// ```
    ///
    /// `check()` reports no fault of this registration, and `checkByCreating()` does not create its service
    /// itself. The same is true of its decorators.
    public func skippingCheck() -> Self { changed { $0.traits.isSkipped = true } }

    /// Adds all dependencies of the closure.
    @usableFromInline func declaring(_ types: [Any.Type], _ source: DependencySource = .initializer) -> Self {
        changed { record in
            record.traits.declaresDependencies = true
            if source == .initializer { record.traits.isInitializer = true }
            record.traits.dependencies += types.map { Dependency(type: $0, key: nil, source: source) }
        }
    }

    /// Adds the dependency of a modifier to the dependencies of the closure.
    func adding(_ type: Any.Type, _ key: AnyHashable?) -> Self {
        changed { $0.traits.dependencies.append(Dependency(type: type, key: .make(key), source: .injecting)) }
    }
}
