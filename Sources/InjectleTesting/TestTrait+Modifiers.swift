#if canImport(Testing)
public import Injectle

extension Locator.TestTrait {
    /// Records each resolve of the test, for ``Locator/TestLocator/resolutions(of:key:)``.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Test(.override((any APIClient).self) { MockAPIClient() }.recording())
    /// func theModelReadsTheClient() {
    ///     _ = ProfileModel().describe()
    ///     #expect(Locator.TestLocator.current.resolutions(of: (any APIClient).self).count == 1)
    /// }
    /// ```
    ///
    /// Off, if no trait of a test has it.
    ///
    /// - Returns: The trait.
    public func recording() -> Self { observing(.didResolve, .didCreate) { _ in } }

    /// Makes each service of the production locator that the test resolves an issue, at the line that resolved it.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator(copying: .default).live(allowing: Settings.self)) struct ProfileTests {}
    /// ```
    ///
    /// A production locator is ``Locator/default``, and the locator that the trait copies or has as the parent. If no
    /// trait of the test has this modifier, a test without such a locator may resolve nothing from ``Locator/default``,
    /// and any other all.
    ///
    /// A read of ``Locator/default`` by a detached task, a queue or a thread is not checked, since it belongs to no
    /// test.
    ///
    /// - Parameter types: The types that the test may resolve.
    /// - Returns: The trait.
    public func live(allowing types: Any.Type...) -> Self {
        observing(.didResolve) { $0.live = ($0.live ?? []) + types.map { ObjectIdentifier($0) } }
    }

    /// Makes a service that this trait registers an issue of the test if nothing resolves it.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Test(.override((any APIClient).self) { MockAPIClient() }.mustBeUsed())
    /// func theProfileIsFromTheMock() {
    ///     #expect(ProfileModel().describe() == "a profile from mock")
    /// }
    /// ```
    ///
    /// Off by default, since the tests of a suite rarely need all of its mocks.
    ///
    /// - Returns: The trait.
    public func mustBeUsed() -> Self { observing(.didRegister, .didResolve) { $0.requiresUse = true } }

    /// Makes an object that the locator of the test created and that outlives it an issue, with the path of its
    /// creation.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator.reportingSurvivors()) struct ProfileTests {}
    /// ```
    ///
    /// The locator is closed before. Objects of transient services, and registered instances, are not checked. Off by
    /// default.
    ///
    /// - Returns: The trait.
    public func reportingSurvivors() -> Self { observing(.didCreate) { $0.reportsSurvivors = true } }

    /// Makes each error that `resolve` or `resolveAsync` throws in the locator of the test, or in a child of it, an
    /// issue at the line of the call.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator.reportingErrors()) struct ServerTests {}
    /// ```
    ///
    /// A framework can turn an error into a response, and the test then compares statuses, such as 500 and 201. The
    /// issue names the missing service. An error inside a factory closure is reported once, for the outermost call. Off
    /// by default.
    ///
    /// - Returns: The trait.
    public func reportingErrors() -> Self { observing(.didResolve) { $0.reportsErrors = true } }

    /// A copy that observes some kinds of events, and has a change.
    private func observing(_ kinds: Locator.Event.Kind..., change: (inout Self) -> Void) -> Self {
        var trait = self
        trait.observedKinds.formUnion(kinds)
        change(&trait)
        return trait
    }
}
#endif
