import Injectle
import InjectleTesting
import XCTest

/// A test that forgets a mock, and ends its process.
final class ForgottenMockXCTests: Locator.TestCase {
    func testAForgottenMock() {
        _ = Model().host
    }
}
