#if canImport(XCTest)
public import Injectle
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
    /// The locator is ``Locator/shared`` in `setUp`, in the method and in `tearDown`, also where these are async. It is a
    /// child of ``Locator/test``, so services that are registered there, and ``Locator/testUp()``, work as without this
    /// class. It is closed after the method; errors of `onDispose` hooks are failures of the method.
    ///
    /// A property that finds no service records a failure at its line, and then traps: XCTest has no way to end a method
    /// that neither returns nor throws.
    open class TestCase: XCTestCase {
        /// The test case whose method runs. XCTest runs one at a time.
        private static let running = Mutex(TestCase?.none)

        /// The locator of the running method.
        public private(set) var locator = Locator("test")

        /// Registers the services of each method. Called before `setUp`; the default implementation does nothing.
        ///
        /// - Parameter locator: The locator of the method.
        /// - Throws: Any error, which is a failure of the method.
        open func register(in locator: Locator) throws {}

        /// Runs a method with a locator of its own.
        open override func invokeTest() {
            let locator = Locator(name, parent: .test)
            self.locator = locator
            locator.add(XCTestObserver())
            TestCase.running.withLock { $0 = self }
            defer { TestCase.running.withLock { $0 = nil } }
            Locator.$shared.withValue(locator) {
                do {
                    try register(in: locator)
                    super.invokeTest()
                } catch {
                    XCTFail("\(error)")
                }
            }
            close(locator)
        }

        private func close(_ locator: Locator) {
            let closed = XCTestExpectation(description: "The locator of the test is closed.")
            let errors = Mutex([InjectleError]())
            Task.detached {
                let thrown = await locator.close()
                errors.withLock { $0 = thrown }
                closed.fulfill()
            }
            if XCTWaiter().wait(for: [closed], timeout: 600) != .completed { XCTFail("The locator does not close.") }
            for error in errors.withLock({ $0 }) { XCTFail("\(error)") }
        }

        /// Records a failure of the running method.
        static func record(_ text: String, _ fileID: String, _ line: Int) {
            guard let test = running.withLock({ $0 }) else { return XCTFail(text) }
            #if canImport(ObjectiveC)
            let location = XCTSourceCodeLocation(filePath: fileID, lineNumber: line)
            let context = XCTSourceCodeContext(location: location)
            test.record(XCTIssue(type: .assertionFailure, compactDescription: text, sourceCodeContext: context))
            #else
            test.recordFailure(withDescription: text, inFile: fileID, atLine: line, expected: true)
            #endif
        }
    }
}

/// Records the failed reads of a method, which then trap.
private struct XCTestObserver: PropertyObserver {
    let observedKinds: Set<Locator.Event.Kind> = []

    func handle(_ event: Locator.Event) {}

    func readDidFail(_ error: InjectleError, at location: (fileID: String, line: Int), blocksClose: Bool) {
        if error.underlying is UnimplementedError { return }
        Locator.TestCase.record(error.description, location.fileID, location.line)
    }
}
#endif
