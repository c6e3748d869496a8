/// The process-wide face of the library: its two locators, and which of them counts.
///
/// ```swift
/// Injectle[.default].registerSingleton(DeLorean())
/// Injectle[.test].registerSingleton(DeLoreanMock())
/// ```
public enum Injectle {
    /// The locator that is named: `Injectle[.default]`, `Injectle[.test]`, or any other.
    public static subscript(_ locator: Locator) -> Locator { locator }

    /// Makes the test locator the shared one, for the whole process, until ``testDown()``.
    ///
    /// Properties that belong to no other locator read from it from now on, also those that were read before.
    ///
    /// ```swift
    /// override class func setUp() { Injectle.testUp() }
    /// override class func tearDown() { Injectle.testDown() }
    /// ```
    ///
    /// Tests that run side by side share it; give each an override of its own instead: `Locator.$shared.withValue`.
    public static func testUp() {
        Ambient.change(to: .test)
    }

    /// Makes the default locator the shared one again.
    public static func testDown() {
        Ambient.change(to: .default)
    }

    /// Removes all registrations of some locators, and releases what was made of them.
    ///
    /// - Parameter locators: The locators to empty, in place.
    public static func reset(_ locators: Locator...) {
        for locator in locators { locator.reset() }
    }

    /// Removes all registrations of both process-wide locators.
    @available(*, deprecated, message: "Say which locators to reset, or call resetAll().")
    public static func reset() {
        resetAll()
    }

    /// Removes all registrations of the default and the test locator, and releases what was made of them.
    public static func resetAll() {
        reset(.default, .test)
    }
}
