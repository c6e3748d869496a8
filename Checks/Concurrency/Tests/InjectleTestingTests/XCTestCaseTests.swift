import Injectle
import InjectleTesting
import XCTest

final class TestCaseTests: Locator.TestCase {
    private static nonisolated(unsafe) var closed: [String] = []

    override class var checkedTypes: [Any.Type] { [Page.self] }

    private var isSetUp = false

    override func register(in locator: Locator) {
        let name = name
        locator.register(
            .lazy { FixedGreeter(text: name) }.onDispose { TestCaseTests.closed.append($0.text) }
                .as((any Greeter).self)
        )
    }

    override func setUp() {
        XCTAssertEqual(Page().text, name)
        isSetUp = true
    }

    override func tearDown() {
        XCTAssertEqual(Page().text, name)
    }

    func testASynchronousMethodHasALocator() {
        XCTAssertTrue(isSetUp)
        XCTAssertEqual(Page().text, name)
    }

    func testAnAsyncMethodHasALocator() async {
        XCTAssertEqual(Page().text, name)
        await Task.yield()
        XCTAssertEqual(Page().text, name)
    }

    @MainActor func testAMainActorMethodHasALocator() async {
        XCTAssertEqual(Page().text, name)
        await Task.yield()
        XCTAssertEqual(Page().text, name)
    }

    func testServicesOfTheTestLocatorAreInherited() {
        Injectle[.test].register(.lazy { Bell() })
        Injectle.testUp()
        defer {
            Injectle.testDown()
            Injectle.reset(.test)
        }
        XCTAssertNotNil(Inject<Bell>()())
    }

    func testTheLocatorIsClosedAfterEachMethod() {
        // XCTest runs the methods by name.
        XCTAssertTrue(TestCaseTests.closed.contains { $0.contains("testASynchronousMethod") })
        XCTAssertFalse(TestCaseTests.closed.contains(name))
    }
}
