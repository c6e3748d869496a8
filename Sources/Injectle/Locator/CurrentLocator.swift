internal import CInjectle

// The current locator: the one that is bound in the task, else one of the two of the process.

extension LocatorCore {
    /// The test locator between `testUp()` and `testDown()`, else the default one. Both live as long as the process.
    static var processLocator: Locator { injectle_locator_flags() & 2 == 0 ? Locator.default : Locator.test }

    /// The core of that locator.
    static var processCore: LocatorCore { processLocator.core }

    /// Makes one of the two the locator of the process.
    static func useTestLocator(_ isTesting: Bool) { injectle_use_test_locator(isTesting) }

    /// Allows tasks to bind locators from now on. Returns the default value of the task-local, which evaluates it
    /// before it can bind anything: no property looks for a bound locator in a process that never uses `Locator.shared`
    /// or `Locator.$shared`.
    static func allowingBindings() -> Locator {
        injectle_allow_bindings()
        return .unbound
    }

    /// The locator that is bound in the task, if there is one.
    @usableFromInline static var boundLocator: Locator? {
        guard injectle_locator_flags() & 1 != 0 else { return nil }
        let locator = Locator.$shared.wrappedValue
        return locator.isUnbound ? nil : locator
    }

    /// The core of that locator.
    static var boundCore: LocatorCore? { boundLocator?.core }

    /// Whether a core is the process's, and used by a task without a bound locator, in a process that binds locators.
    static func lacksBoundLocator(_ core: LocatorCore) -> Bool {
        injectle_locator_flags() & 1 != 0 && core === processCore && boundLocator == nil
    }

    /// Calls `body` with a locator bound in the code that runs now, or with none, if it is `.unbound`.
    static func bind(_ locator: Locator, _ body: () -> Void) {
        // Nothing is bound as long as the process has not allowed it, and binding would allow it.
        if injectle_locator_flags() & 1 == 0 { return body() }
        Locator.$shared.withValue(locator, operation: body)
    }
}

extension Locator.Resolving where Self == Locator {
    /// The current locator: the one that is bound in this task, else the test locator or the default one.
    ///
    /// ```swift
    /// func currency(from services: some Locator.Resolving) throws -> String {
    ///     try services.resolve(Settings.self).currency
    /// }
    ///
    /// Locator.default.register(.eager(Settings(currency: "EUR")))
    /// print(try currency(from: .shared))  // Prints "EUR"
    /// ```
    // Overload resolution prefers it to the property that `@TaskLocal` declares, which is disfavored.
    public static var shared: Locator { Locator.$shared.wrappedValue }
}
