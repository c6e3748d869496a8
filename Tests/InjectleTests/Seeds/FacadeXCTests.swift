import Injectle
import XCTest

private class DeLorean {
    var isMock: Bool { false }
}

private final class DeLoreanMock: DeLorean {
    override var isMock: Bool { true }
}

private final class Garage {
    @Inject("deLorean") var deLorean: DeLorean
    @Optject var missing: String?
}

/// `testUp()` and `testDown()` in the class methods of an XCTestCase.
final class FacadeXCTests: XCTestCase {
    override class func setUp() {
        super.setUp()
        Injectle[.default].registerSingleton(DeLorean(), forKey: "deLorean")
        Injectle[.test].registerSingleton(DeLoreanMock() as DeLorean, forKey: "deLorean")
        Injectle.testUp()
    }

    override class func tearDown() {
        Injectle.testDown()
        Injectle.resetAll()
        super.tearDown()
    }

    func testPropertiesReadFromTheTestLocator() {
        let garage = Garage()
        XCTAssertTrue(garage.deLorean.isMock)
        XCTAssertNil(garage.missing)
    }

    func testPropertiesFollowTestDownAndTestUp() {
        let garage = Garage()
        for _ in 0..<3 {
            XCTAssertTrue(garage.deLorean.isMock)
            Injectle.testDown()
            XCTAssertFalse(garage.deLorean.isMock)
            Injectle.testUp()
        }
    }

    func testErrorsAreCaughtByTheirCode() {
        XCTAssertThrowsError(
            try Injectle[.test].registerSingleton(DeLoreanMock(), forKey: "deLorean", and: forbidReassignment)
        ) { error in
            XCTAssertEqual((error as? InjectleError), .forbiddenReassignment)
        }
        XCTAssertThrowsError(try Injectle[.test].resolve(Int.self)) { error in
            XCTAssertEqual((error as? InjectleError), .missing)
        }
    }
}
