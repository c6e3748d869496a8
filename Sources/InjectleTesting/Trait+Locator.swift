#if canImport(Testing)
public import Injectle
public import Testing

extension Trait where Self == Locator.TestTrait {
    /// Gives each test an empty locator without a parent.
    ///
    /// ```swift
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator) struct ProfileTests {}
    /// ```
    public static var locator: Self { Self(sourceLocation: #_sourceLocation) { _ in } }

    /// Gives each test a locator with the registrations of a closure.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Test(.locator { $0.register(.eager(FixedClock()), for: (any WallClock).self) })
    /// func theClockStandsStill() throws {
    ///     _ = try Locator.shared.resolve((any WallClock).self)
    /// }
    /// ```
    ///
    /// The closure runs before each test case, outside of any actor. It can be async and throw; a closure that begins
    /// with `@MainActor in` runs on the main actor. The error that it throws is an issue of the test, which does not
    /// run.
    ///
    /// - Parameters:
    ///   - sourceLocation: The line of issues that concern the whole test.
    ///   - register: Registers services in the locator of the test.
    /// - Returns: The trait.
    public static func locator(
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ register: @escaping @Sendable (Locator) async throws -> Void
    ) -> Self {
        Self(sourceLocation: sourceLocation, register: register)
    }

    /// Gives each test a locator with the registrations of a module, and of a closure that runs after it.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// struct AppModule: Locator.Module {
    ///     func register(in locator: Locator) { locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self) }
    /// }
    ///
    /// @Test(.locator(AppModule()) { $0.register(.eager(MockAPIClient()), for: (any APIClient).self) })
    /// func theMockReplacesTheClient() throws {
    ///     #expect(try Locator.shared.resolve((any APIClient).self).host == "mock")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - module: The module, which is created and applied on the main actor before each test case.
    ///   - sourceLocation: The line of issues that concern the whole test.
    ///   - register: Registers services in the locator of the test.
    /// - Returns: The trait.
    public static func locator(
        _ module: @autoclosure @escaping @MainActor @Sendable () -> any Locator.Module,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ register: @escaping @Sendable (Locator) async throws -> Void = { _ in }
    ) -> Self {
        Self(sourceLocation: sourceLocation) { locator in
            try await MainActor.run { try locator.apply(module()) }
            try await register(locator)
        }
    }

    /// Gives each test a copy of a locator, and the registrations of a closure.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator(copying: .default) { $0.register(.eager(MockAPIClient()), for: (any APIClient).self) })
    /// struct ProfileTests {}
    /// ```
    ///
    /// An override reaches each service, since the test creates instances of its own: see ``Locator/init(copying:_:)``.
    /// The last trait with a copy or a parent determines it: the trait of a test, before the trait of its suite.
    ///
    /// - Parameters:
    ///   - original: The locator, which is copied before each test case.
    ///   - sourceLocation: The line of issues that concern the whole test.
    ///   - register: Registers services in the locator of the test.
    /// - Returns: The trait.
    public static func locator(
        copying original: Locator,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ register: @escaping @Sendable (Locator) async throws -> Void = { _ in }
    ) -> Self {
        Self(make: { Locator(copying: original, $0) }, sourceLocation: sourceLocation, register: register)
    }

    /// Gives each test a locator with a parent, and the registrations of a closure.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator(parent: .default)) struct ProfileTests {}
    /// ```
    ///
    /// The test shares the parent's singletons. These keep their dependencies, so an override does not reach them.
    ///
    /// - Parameters:
    ///   - parent: The locator to inherit from.
    ///   - sourceLocation: The line of issues that concern the whole test.
    ///   - register: Registers services in the locator of the test.
    /// - Returns: The trait.
    public static func locator(
        parent: Locator,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ register: @escaping @Sendable (Locator) async throws -> Void = { _ in }
    ) -> Self {
        Self(make: { Locator($0, parent: parent) }, sourceLocation: sourceLocation, register: register)
    }
}
#endif
