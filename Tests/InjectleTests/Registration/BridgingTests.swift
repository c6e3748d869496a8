import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// A value that only bridging makes an object is not of that object's type, on any platform.
@Suite struct BridgingTests {
    private let locator = Locator("bridging")

    @Test func `A lazy value is not bridged to an identity`() {
        locator.register(.lazy { "text" }.as(NSString.self))
        locator.register(.lazy { 7 }.as(NSNumber.self))
        #expect(thrown { _ = try locator.resolve(NSString.self) } == .wrongType)
        #expect(thrown { _ = try locator.resolve(NSNumber.self) } == .wrongType)
    }

    @Test func `An object is not bridged to a value`() {
        locator.register(.lazy { NSString("text") }.as(String.self))
        #expect(thrown { _ = try locator.resolve(String.self) } == .wrongType)
    }

    @Test func `A value is no object`() {
        locator.register(.lazy { "text" }.as(AnyObject.self))
        #expect(thrown { _ = try locator.resolve(AnyObject.self) } == .wrongType)
    }

    #if os(macOS) || os(Linux)
    @Test func `An eager value that only bridging makes an object traps`() async {
        await #expect(processExitsWith: .failure) { Locator().register(.eager("text").as(NSString.self)) }
    }
    #endif
}
