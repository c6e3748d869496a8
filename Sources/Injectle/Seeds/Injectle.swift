/// Names the two locators of a process, and says which of them counts.
///
/// ```swift
/// Injectle[.default].register(.lazy { DeLorean() }, for: (any Car).self)
/// Injectle[.test].register(.lazy { Taxi() }, for: (any Car).self)
/// print(Trip().describe())  // Prints "a trip by DeLorean"
/// Injectle.testUp()
/// print(Trip().describe())  // Prints "a trip by taxi"
/// Injectle.testDown()
/// ```
///
/// All of it can be called from any thread, and counts for the whole process. The module is called the same, so Swift
/// looks for `Injectle.Locator` in this type: write `Locator`.
public enum Injectle {
    /// Returns the locator that is named: `Injectle[.default]`, `Injectle[.test]`, or any other.
    ///
    /// ```swift
    /// print(Injectle[.default] === Locator.default)  // Prints "true"
    /// ```
    ///
    /// - Parameter locator: The locator.
    /// - Returns: The same locator.
    /// - Complexity: O(1)
    public static subscript(_ locator: Locator) -> Locator { locator }

    /// Makes the test locator the shared one, for the whole process, until ``testDown()``.
    ///
    /// Properties that belong to no other locator read from it from now on, also those that were read before.
    ///
    /// ```swift
    /// import Injectle
    /// import XCTest
    ///
    /// final class TripTests: XCTestCase {
    ///     override class func setUp() { Injectle.testUp() }
    ///     override class func tearDown() { Injectle.testDown() }
    /// }
    /// ```
    ///
    /// Tests that run side by side share it; give each an override of its own instead: ``Locator/shared``.
    ///
    /// - Complexity: O(1)
    public static func testUp() {
        CurrentLocator.change(to: .test)
    }

    /// Makes the default locator the shared one again.
    ///
    /// Without a ``testUp()`` before it, it does nothing. What is registered in the test locator stays there.
    ///
    /// ```swift
    /// Injectle.testUp()
    /// defer { Injectle.testDown() }
    /// Injectle[.test].registerSingleton(Settings(currency: "XXX"))
    /// ```
    ///
    /// - Complexity: O(1)
    public static func testDown() {
        CurrentLocator.change(to: .default)
    }

    /// Removes all registrations of some locators, and releases what was made of them.
    ///
    /// Each is emptied in place, as by ``Locator/reset()``: whoever has it sees it empty, and can register again.
    ///
    /// ```swift
    /// Injectle[.test].registerSingleton(Settings(currency: "XXX"))
    /// Injectle.reset(.test)
    /// print(Injectle[.test].registrations.count)  // Prints "0"
    /// ```
    ///
    /// - Parameter locators: The locators to empty.
    /// - Complexity: O(*n*) in the number of what is registered and made in them.
    public static func reset(_ locators: Locator...) {
        for locator in locators { locator.reset() }
    }

    /// Removes all registrations of both process-wide locators.
    ///
    /// ```swift
    /// Injectle.resetAll()  // says the same
    /// Injectle.reset(.test)  // is perhaps what is meant
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of what is registered and made in them.
    @available(*, deprecated, message: "Say which locators to reset, or call resetAll().")
    public static func reset() {
        resetAll()
    }

    /// Removes all registrations of the default and the test locator, and releases what was made of them.
    ///
    /// ```swift
    /// Injectle[.default].registerSingleton(Settings(currency: "EUR"))
    /// Injectle.resetAll()
    /// print(Injectle[.default].isRegistered(Settings.self))  // Prints "false"
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of what is registered and made in them.
    public static func resetAll() {
        reset(.default, .test)
    }
}
