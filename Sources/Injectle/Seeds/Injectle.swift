/// Another name for ``Locator``, in the vocabulary of a service locator.
///
/// ```swift
/// Injectle[.default].register(.lazy { DeLorean() }, for: (any Car).self)
/// Injectle[.test].register(.lazy { Taxi() }, for: (any Car).self)
/// print(Trip().describe())  // Prints "a trip by DeLorean"
/// Injectle.testUp()
/// print(Trip().describe())  // Prints "a trip by taxi"
/// Injectle.testDown()
/// ```
public typealias Injectle = Locator

/// Another name for ``Locator``, for code that calls it a container.
///
/// ```swift
/// DependencyContainer.shared.register(.lazy { DeLorean() }, for: (any Car).self)
/// print(try Locator.default.resolve((any Car).self).name)  // Prints "DeLorean"
/// ```
public typealias DependencyContainer = Locator

extension Injected {
    /// The strategy, named in its wrapper.
    public typealias ResolveStrategy = Locator.ResolveStrategy
}

extension Locator {
    /// The type itself, so that `Injectle.Locator` compiles: Swift looks it up in the type, not in the module.
    public typealias Locator = Injectle

    /// Returns a locator: `Injectle[.default]` is ``default``.
    ///
    /// ```swift
    /// Injectle[.default].registerSingleton(Settings(currency: "EUR"))
    /// print(try Locator.default.resolve(Settings.self).currency)  // Prints "EUR"
    /// ```
    ///
    /// - Parameter locator: ``default``, ``test`` or any other locator.
    public static subscript(_ locator: Locator) -> Locator { locator }

    /// Makes the test locator the current locator of the whole process, until ``testDown()``.
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
    /// Injected properties without a locator of their own resolve from it, also those that were read before. Parallel
    /// tests share it: give each an override instead, as <doc:Testing> describes.
    public static func testUp() { LocatorCore.useTestLocator(true) }

    /// Makes the default locator the current locator again.
    ///
    /// ```swift
    /// Injectle.testUp()
    /// defer { Injectle.testDown() }
    /// Injectle[.test].registerSingleton(Settings(currency: "XXX"))
    /// ```
    ///
    /// The test locator keeps its registrations. Without a ``testUp()`` before it, the call has no effect.
    public static func testDown() { LocatorCore.useTestLocator(false) }

    /// Removes all registrations of some locators and releases their instances.
    ///
    /// ```swift
    /// Injectle[.test].registerSingleton(Settings(currency: "XXX"))
    /// Injectle.reset(.test)
    /// print(Injectle[.test].registrations.count)  // Prints "0"
    /// ```
    ///
    /// Each locator is emptied in place, as by ``reset()``, and can be filled again.
    ///
    /// - Parameter locators: The locators to empty. If none is given, ``default``.
    /// - Complexity: O(*n*) in the number of registrations and instances.
    public static func reset(_ locators: Locator...) {
        for locator in locators.isEmpty ? [.default] : locators { locator.reset() }
    }

    /// Removes all registrations of the default and the test locator, and releases their instances.
    ///
    /// ```swift
    /// Injectle[.default].registerSingleton(Settings(currency: "EUR"))
    /// Injectle.resetAll()
    /// print(Injectle[.default].isRegistered(Settings.self))  // Prints "false"
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of registrations and instances.
    public static func resetAll() {
        reset(.default, .test)
    }
}

// In the earlier library Injectle, the name of a locator is a case of an enumeration.
extension Locator: Hashable {
    /// Returns whether both are the same locator. The current one, ``shared``, equals the locator that it is at the
    /// time.
    public static func == (left: Locator, right: Locator) -> Bool { left.core === right.core }

    /// Hashes the identity of the locator.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}
