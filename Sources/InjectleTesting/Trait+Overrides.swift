#if canImport(Testing)
public import Injectle
internal import InjectleDiagnostics
public import Testing

extension Trait where Self == Locator.TestTrait {
    /// Overrides one service in the locator of each test.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Test(.override((any APIClient).self) { MockAPIClient() })
    /// func theProfileIsFromTheMock() {
    ///     #expect(ProfileModel().describe() == "a profile from mock")
    /// }
    /// ```
    ///
    /// If what it replaces is registered under several types, it replaces all of these: a request for another one gets
    /// the new service, or an error if that is not of the type.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - key: The key of the service, or nil for none.
    ///   - sourceLocation: The line of issues that concern the override.
    ///   - make: Creates the service on first use, once for each test case, on any thread.
    /// - Returns: The trait.
    public static func override<Service>(
        _ type: Service.Type,
        key: (any Hashable & Sendable)? = nil,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ make: @escaping @Sendable () throws -> Service
    ) -> Self {
        Self(sourceLocation: sourceLocation) { locator in
            locator.register(.lazy(.anywhere) { try make() }, for: type, key: key.map { AnyHashable($0) })
        }
    }

    /// Overrides the service of a typed key in the locator of each test.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// // extension ServiceKey<Database> { static let archive = Self("archive") }
    /// @Test(.override(.archive) { Database() })
    /// func theArchiveIsOverridden() throws {
    ///     _ = try Locator.shared.resolve(.archive)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - sourceLocation: The line of issues that concern the override.
    ///   - make: Creates the service on first use, once for each test case, on any thread.
    /// - Returns: The trait.
    public static func override<Service>(
        _ key: ServiceKey<Service>,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ make: @escaping @Sendable () throws -> Service
    ) -> Self {
        Self(sourceLocation: sourceLocation) { $0.register(.lazy(.anywhere) { try make() }, for: key) }
    }

    /// Checks the registrations of each test before it runs: a missing service is an issue, and the test does not run.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator, .checking(ProfileModel.self))
    /// struct ProfileTests {
    ///     @Test(.override((any APIClient).self) { MockAPIClient() })
    ///     func theProfileIsFromTheMock() {
    ///         #expect(ProfileModel().describe() == "a profile from mock")
    ///     }
    /// }
    /// ```
    ///
    /// It checks as `Locator.check(roots:)` does, after all traits of the test have registered, and creates no service.
    /// It reads initializers and the types of properties such as `@Inject`, also of types that nothing creates. Each
    /// finding is an issue at the line of this trait. Its fix is the `.override(…)` of the missing service. Faults of
    /// services that no root reaches are left out. The key of a property is not known from a type: check a model that
    /// has one by `.checking { ProfileModel() }`.
    ///
    /// - Parameters:
    ///   - roots: The types that the test resolves or creates. With none, all registrations are checked.
    ///   - name: The name of the child locator that creates them, such as a request.
    ///   - given: The types that only such a child has, as in `Locator.check(as:given:roots:)`.
    ///   - sourceLocation: The line of the issues.
    /// - Returns: The trait.
    public static func checking(
        _ roots: Any.Type...,
        as name: Locator.Name? = nil,
        given: Any.Type...,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) -> Self {
        let checked = CheckedTypes(roots: roots, name: name, given: given, isOfTrait: true)
        return Self(sourceLocation: sourceLocation, register: { _ in }, checked: checked)
    }

    /// Checks an object that each test creates before it runs, which shows the keys of its properties.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator, .override((any APIClient).self) { MockAPIClient() }, .checking { ProfileModel() })
    /// struct ProfileTests {}
    /// ```
    ///
    /// It checks as `Locator.check(creating:)` does, on the main actor. The object is released before the test.
    ///
    /// - Parameter object: Creates the object.
    public static func checking<Object>(
        _ roots: Any.Type...,
        as name: Locator.Name? = nil,
        given: Any.Type...,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        creating object: @escaping @MainActor @Sendable () throws -> Object
    ) -> Self {
        let checked = CheckedTypes(
            roots: roots,
            name: name,
            given: given,
            objects: { Locator.RootBuilder.buildExpression(try object()) },
            isOfTrait: true
        )
        return Self(sourceLocation: sourceLocation, register: { _ in }, checked: checked)
    }
}
#endif
