#if canImport(Testing)
public import Injectle

extension Locator {
    /// The locator of a test with a ``TestTrait``, and its recorded resolves.
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
    /// Any thread can use it.
    public struct TestLocator: Sendable {
        let scope: TestScope

        /// The locator of the test that the calling task belongs to. Traps in code without a test that has the trait.
        public static var current: TestLocator {
            guard let scope = TestScope.current else {
                fatalError("No locator of a test: add the trait `.locator` to the test, and do not detach the task.")
            }
            return TestLocator(scope: scope)
        }

        /// The locator.
        public var locator: Locator { scope.locator }

        /// Returns the resolves of a service so far, in the order of their ends.
        ///
        /// ```swift
        /// import Injectle
        /// import InjectleTesting
        /// import Testing
        ///
        /// @Test(.locator { $0.register(.eager(Settings(currency: "EUR"))) }.recording())
        /// func theSettingsAreResolvedOnce() throws {
        ///     _ = try Locator.shared.resolve(Settings.self)
        ///     #expect(Locator.TestLocator.current.resolutions(of: Settings.self).count == 1)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - type: The type of the service.
        ///   - key: The key of the service, or nil for none.
        /// - Returns: The events. Empty without the modifier ``TestTrait/recording()``.
        /// - Complexity: O(*n*) in the number of recorded events.
        public func resolutions<Service>(of type: Service.Type, key: AnyHashable? = nil) -> [Event] {
            events(.didResolve, Locator.Identity(type, key: key))
        }

        /// Returns the creations of a service so far, in the order of their ends.
        ///
        /// ```swift
        /// import Injectle
        /// import InjectleTesting
        /// import Testing
        ///
        /// @Test(.locator { $0.register(.lazy { Database() }) }.recording())
        /// func theDatabaseIsCreatedOnce() throws {
        ///     _ = try Locator.shared.resolve(Database.self)
        ///     _ = try Locator.shared.resolve(Database.self)
        ///     #expect(Locator.TestLocator.current.creations(of: Database.self).count == 1)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - type: The type of the service.
        ///   - key: The key of the service, or nil for none.
        /// - Returns: The events. Empty without the modifier ``TestTrait/recording()``.
        /// - Complexity: O(*n*) in the number of recorded events.
        public func creations<Service>(of type: Service.Type, key: AnyHashable? = nil) -> [Event] {
            events(.didCreate, Locator.Identity(type, key: key))
        }

        private func events(_ kind: Event.Kind, _ identity: Locator.Identity) -> [Event] {
            scope.events.withLock(\.self).filter { $0.kind == kind && $0.identity == identity }
        }
    }
}
#endif
