internal import CInjectle

// Which of the process-wide locators is the current one, and whether the task has an override.

extension LocatorCore {
    /// The current locator, without an override. It lives as long as the process.
    static var currentHandle: Locator { injectle_current() & 2 == 0 ? Locator.default : Locator.test }

    /// The core of that locator.
    static var current: LocatorCore { currentHandle.core }

    /// Makes one of the process-wide locators the current one.
    static func useTestLocator(_ isTesting: Bool) { injectle_use_test_locator(isTesting) }

    /// Allows overrides from now on. Returns the default value of the task-local, which evaluates it before it can bind
    /// anything: no property looks for an override in a process that never uses `Locator.shared` or `Locator.$shared`.
    static func allowingOverrides() -> Locator {
        injectle_allow_overrides()
        return .current
    }

    /// The override of the task, if there is one.
    @usableFromInline static var overriding: Locator? {
        guard injectle_current() & 1 != 0 else { return nil }
        let locator = Locator.$shared.wrappedValue
        return locator.isCurrent ? nil : locator
    }

    /// The core of that override.
    static var override: LocatorCore? { overriding?.core }

    /// Whether a locator is the current one of a task without an override, in a process that uses overrides.
    static func lacksOverride(_ core: LocatorCore) -> Bool {
        injectle_current() & 1 != 0 && core === current && overriding == nil
    }

    /// Calls `body` with an override of the code that runs now, or with none, if it is `.current`.
    static func bind(_ locator: Locator, _ body: () -> Void) {
        // Nothing is bound as long as overrides are not allowed, and binding would allow them.
        if injectle_current() & 1 == 0 { return body() }
        Locator.$shared.withValue(locator, operation: body)
    }
}

extension Locator.Resolving where Self == Locator {
    /// The current locator: the override of this task, else the test locator or the default one.
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
