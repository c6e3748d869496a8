import Injectle
import InjectleTestSupport
import Testing

/// Whether the current locator equals the one that it is.
@Suite(.processWide) struct CurrentLocatorTests {
    @Test func `The current locator is the default one where nothing overrides it`() {
        #expect(Locator.shared == Locator.default)
        #expect(Set([Locator.shared, .default]).count == 1)
    }

    @Test func `The current locator is the test locator between testUp and testDown`() {
        Injectle.testUp()
        #expect(Locator.shared == Locator.test)
        #expect(Locator.shared != Locator.default)
        Injectle.testDown()
        #expect(Locator.shared == Locator.default)
    }

    @Test func `The current locator is the override`() {
        let locator = Locator("override")
        Locator.$shared.withValue(locator) { #expect(Locator.shared == locator) }
    }
}
