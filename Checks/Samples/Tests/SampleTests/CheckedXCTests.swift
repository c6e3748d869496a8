import Injectle
import InjectleTesting
import XCTest

/// The same test with a check, and a use of a service that is not implemented.
final class CheckedXCTests: Locator.TestCase {
    override class var checkedTypes: [Any.Type] { [Model.self] }

    override func register(in locator: Locator) {
        if name.hasSuffix("testAnUnimplementedService") {
            locator.register(.unimplemented((any APIClient).self) { MockAPIClient() })
        }
    }

    func testAModelWithoutAClient() {
        _ = Model().host
    }

    func testAnUnimplementedService() {
        XCTAssertEqual(Model().host, "mock")
    }
}
