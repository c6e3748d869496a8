#if canImport(Testing)
public import Injectle
internal import InjectleDiagnostics
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
    /// The locator is ``Locator/shared`` in the test, and it is closed when the test ends; errors of its `onDispose`
    /// hooks are issues of the test. The traits of a test share one locator: the traits of suites register first, then
    /// the traits of the test, and the latest registration wins.
    ///
    /// A property that is read and finds no service records an issue of the test, and ends the process. The trait
    /// `.checking(…)` finds the missing service before the test runs: see the article "Testing" of Injectle.
    public struct TestTrait: Testing.TestTrait, Testing.SuiteTrait, Testing.TestScoping {
        /// Creates a locator with a name that has the registrations of another one, too.
        var make: (@Sendable (Locator.Name) -> Locator)?
        let sourceLocation: Testing.SourceLocation
        let register: @Sendable (Locator) async throws -> Void
        /// The types that may be resolved from the production locator, or nil if that is not checked.
        var live: [ObjectIdentifier]?
        /// The events that its modifiers need.
        var observedKinds: Set<Event.Kind> = []
        var requiresUse = false
        var reportsSurvivors = false
        var reportsErrors = false
        /// What is checked before the test, if anything is.
        var checked: CheckedTypes?

        /// Whether the trait of a suite applies to each of its tests: always true.
        public var isRecursive: Bool { true }

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
            guard testCase != nil, TestScope.current?.test != test else { return try await function() }
            let traits = test.traits.compactMap { $0 as? TestTrait }
            try await TestScope(for: test, traits.isEmpty ? [self] : traits).run(function)
        }
    }
}
#endif
