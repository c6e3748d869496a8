#if canImport(XCTest)
public import Injectle
internal import InjectleDiagnostics
public import XCTest

extension Locator {
    /// A test case whose methods have a locator of their own.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import XCTest
    ///
    /// final class ProfileXCTests: Locator.TestCase {
    ///     override func register(in locator: Locator) {
    ///         locator.register(.eager(MockAPIClient()), for: (any APIClient).self)
    ///     }
    ///
    ///     func testTheProfileIsFromTheMock() {
    ///         XCTAssertEqual(ProfileModel().describe(), "a profile from mock")
    ///     }
    /// }
    /// ```
    ///
    /// The locator is ``Locator/shared`` in `setUp`, in the method and in `tearDown`, also where these are async. It is
    /// a child of ``Locator/test``, so services that are registered there, and ``Locator/testUp()``, work as without
    /// this class. It is closed after the method; errors of `onDispose` hooks are failures of the method.
    ///
    /// A property that finds no service records a failure at its line, and then traps. ``checkedTypes`` finds the
    /// missing service before the method runs.
    open class TestCase: XCTestCase {
        /// The locator of the running method.
        public private(set) var locator = Locator("test")

        /// Registers the services of each method. Called before `setUp`; the default implementation does nothing.
        ///
        /// - Parameter locator: The locator of the method.
        /// - Throws: Any error, which is a failure of the method.
        open func register(in locator: Locator) throws {}

        /// The types whose dependencies are checked before each method.
        ///
        /// ```swift
        /// import Injectle
        /// import InjectleTesting
        /// import XCTest
        ///
        /// final class CheckedXCTests: Locator.TestCase {
        ///     override class var checkedTypes: [Any.Type] { [ProfileModel.self] }
        ///
        ///     override func register(in locator: Locator) {
        ///         locator.register(.eager(MockAPIClient()), for: (any APIClient).self)
        ///     }
        /// }
        /// ```
        ///
        /// The check follows ``register(in:)`` and precedes `setUp`. Each finding is a failure of the method, which
        /// does not run. Empty by default, which checks nothing.
        open class var checkedTypes: [Any.Type] { [] }

        /// Runs a method with a locator of its own.
        open override func invokeTest() {
            let locator = Locator(Locator.Name(rawValue: name), parent: .test)
            self.locator = locator
            locator.add(XCTestObserver(test: name))
            Locator.$shared.withValue(locator) {
                do {
                    try register(in: locator)
                    if reportFindings(in: locator) { super.invokeTest() }
                } catch {
                    XCTFail("\(error)")
                }
            }
            close(locator)
        }

        /// Records the faults of the checked types. Returns whether there is none.
        private func reportFindings(in locator: Locator) -> Bool {
            if Self.checkedTypes.isEmpty { return true }
            let checked = CheckedTypes(roots: Self.checkedTypes)
            let findings = locator.findings(forTestOf: checked) { "locator.register(.lazy { … }, for: \($0))" }
            for finding in findings { XCTFail(finding.description, file: "checkedTypes", line: 1) }
            return findings.isEmpty
        }

        private func close(_ locator: Locator) {
            let closed = XCTestExpectation(description: "The locator of the test is closed.")
            Task.detached {
                for error in await locator.close() { XCTFail("\(error)") }
                closed.fulfill()
            }
            if XCTWaiter().wait(for: [closed], timeout: 600) != .completed { XCTFail("The locator does not close.") }
        }
    }
}

/// Records the failed reads of a method, which then trap.
private struct XCTestObserver: PropertyObserver {
    let test: String
    let observedKinds: Set<Locator.Event.Kind> = []

    func handle(_ event: Locator.Event) {}

    func readDidFail(_ error: InjectleError, at location: RequestLocation) -> String? {
        let text = "Test \(test): \(error)"
        // A service without a placeholder has reported itself.
        if !(error.underlying is UnimplementedError) { XCTFail(text, file: location.file, line: location.line) }
        return text
    }
}
#endif
