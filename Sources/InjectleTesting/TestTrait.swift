#if canImport(Testing)
public import Injectle
public import Testing

extension Locator {
    /// A trait that gives each test, and each case of a parameterized test, a locator of its own.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator { $0.register(.eager(MockAPIClient()), for: (any APIClient).self) })
    /// struct ProfileTests {
    ///     @Test func theProfileIsFromTheMock() {
    ///         #expect(ProfileModel().describe() == "a profile from mock")
    ///     }
    ///
    ///     @Test(.override((any APIClient).self) { LiveAPIClient() })
    ///     func aTestReplacesAService() {
    ///         #expect(ProfileModel().describe() == "a profile from api.example.com")
    ///     }
    /// }
    /// ```
    ///
    /// The locator is ``Locator/shared`` in the test, and it is closed when the test ends; errors of its `onDispose` hooks
    /// are issues of the test. The traits of a test share one locator: the traits of suites register first, then the traits
    /// of the test, and the latest registration wins.
    ///
    /// A property that is read and finds no service records an issue at its line and ends the test. The process continues:
    /// see <doc:Testing>.
    public struct TestTrait: Testing.TestTrait, Testing.SuiteTrait, Testing.TestScoping {
        /// Creates a locator with a name that has the registrations of another one, too.
        typealias Making = @Sendable (String) -> Locator

        let make: Making?
        let sourceLocation: Testing.SourceLocation
        let register: @Sendable (Locator) async throws -> Void
        /// The types that may be resolved from the production locator, or nil if that is not checked.
        var live: [ObjectIdentifier]?
        var isRecording = false
        var requiresUse = false
        var reportsSurvivors = false

        /// Whether the trait of a suite applies to each of its tests: always true.
        public var isRecursive: Bool { true }

        init(
            _ make: Making? = nil,
            _ sourceLocation: Testing.SourceLocation,
            _ register: @escaping @Sendable (Locator) async throws -> Void
        ) {
            self.make = make
            self.sourceLocation = sourceLocation
            self.register = register
            _ = TestScope.areHooksInstalled
        }

        /// Runs a test with a locator of its own. Swift Testing calls it for each test case.
        ///
        /// - Parameters:
        ///   - test: The test.
        ///   - testCase: The case, or nil for a suite, which has no locator.
        ///   - function: The test, with the traits that follow.
        /// - Throws: The error of a closure that registers services, or of the test.
        public func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable @concurrent () async throws -> Void
        ) async throws {
            // The first of a test's traits does the work of all.
            guard testCase != nil, TestScope.current?.test != test.id else { return try await function() }
            let traits = test.traits.compactMap { $0 as? TestTrait }
            let scope = TestScope(for: test.id, named: test.name, traits.isEmpty ? [self] : traits)
            try await scope.run(function)
        }
    }
}

extension Trait where Self == Locator.TestTrait {
    /// Gives each test an empty locator without a parent.
    ///
    /// ```swift
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator) struct ProfileTests {}
    /// ```
    public static var locator: Self { Self(nil, #_sourceLocation) { _ in } }

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
    /// The closure runs before each test case, outside of any actor. It can be async and throw; a closure that begins with
    /// `@MainActor in` runs on the main actor. The error that it throws is an issue of the test, which does not run.
    ///
    /// - Parameters:
    ///   - sourceLocation: The line of issues that concern the whole test.
    ///   - register: Registers services in the locator of the test.
    /// - Returns: The trait.
    public static func locator(
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        _ register: @escaping @Sendable (Locator) async throws -> Void
    ) -> Self {
        Self(nil, sourceLocation, register)
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
        Self(nil, sourceLocation) { locator in
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
    /// An override reaches each service, since the test creates instances of its own: see ``Locator/init(copying:_:)``. The
    /// last trait with a copy or a parent determines it: the trait of a test, before the trait of its suite.
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
        Self({ Locator(copying: original, $0) }, sourceLocation, register)
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
        Self({ Locator($0, parent: parent) }, sourceLocation, register)
    }

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
        Self(nil, sourceLocation) { locator in
            locator.register(.lazy(.anywhere) { try make() }, for: type, key: key.map { AnyHashable($0) })
        }
    }
}
#endif
