public import CInjectle

/// Which of the process-wide locators is the shared one, and whether a task may have an override.
///
/// Both are words that readers look at without a lock: see `CInjectle.h`.
@usableFromInline
enum CurrentLocator {
    /// The header of the shared locator's core, without an override.
    @usableFromInline
    static var header: UnsafeMutablePointer<LocatorHeader> {
        unsafe injectle_shared()?.assumingMemoryBound(to: LocatorHeader.self) ?? noteDefault()
    }

    /// The header of the default locator, which is the shared one until somebody calls `testUp()`. It and the test locator live
    /// as long as the process.
    @inline(never)
    private static func noteDefault() -> UnsafeMutablePointer<LocatorHeader> {
        let header = unsafe Locator.default.core.header
        unsafe injectle_share_first(header)
        return unsafe header
    }

    /// The core of the shared locator, without an override.
    static var core: LocatorCore { unsafe header.pointee.owner.takeUnretainedValue() }

    /// Makes one of the process-wide locators the shared one.
    static func change(to locator: Locator) {
        unsafe injectle_share(locator.core.header)
    }

    /// Allows overrides from now on. Returns the default value of the task-local, which evaluates it before it can bind
    /// anything: no property looks for an override in a process that never uses `Locator.shared` or `Locator.$shared`.
    static func allowingOverrides() -> Locator {
        injectle_allow_overrides()
        return .current
    }

    /// `Locator.shared` in the public way, which is the only one until the first look-up has chosen another.
    @usableFromInline
    static var publicShared: Locator {
        @inline(never) get {
            if injectle_has_to_choose_overrides() { chooseLookup() }
            return Locator.$shared.wrappedValue
        }
    }

    /// Chooses how overrides are looked up: by the address of the task-local, which returns the override without a retain
    /// but is not documented, or, if that finds anything else than the public way, in the public way.
    private static func chooseLookup() {
        let key = unsafe Unmanaged.passUnretained(Locator.$shared).toOpaque()
        unsafe injectle_choose_overrides(key, !findsOverrides(byKey: key))
    }

    /// Returns whether the look-up by a key finds what the public way finds: with no binding, in one, and in an inner one.
    static func findsOverrides(byKey key: UnsafeRawPointer) -> Bool {
        func agrees() -> Bool {
            let current = unsafe Unmanaged.passUnretained(Locator.current).toOpaque()
            let shared = unsafe Unmanaged.passUnretained(Locator.$shared.wrappedValue).toOpaque()
            return unsafe (injectle_task_local(key) ?? current) == shared
        }
        let agreesInside = Locator.$shared.withValue(.default) {
            agrees() && Locator.$shared.withValue(.current, operation: agrees) && agrees()
        }
        return agrees() && agreesInside
    }

    /// The override of this task, if there is one.
    static var override: Locator? {
        @inline(__always) get {
            guard let locator = unsafe borrowedOverride?.takeUnretainedValue() else { return nil }
            return locator.isCurrent ? nil : locator
        }
    }

    /// Calls `body` with an override of the code that runs now, or with none, if it is `.current`.
    static func bind(_ locator: Locator, _ body: () -> Void) {
        // Nothing is bound as long as overrides are not allowed, and binding would allow them.
        guard injectle_allows_overrides() else { return body() }
        Locator.$shared.withValue(locator, operation: body)
    }

    /// What readers see of the core of this task's override, if there is one.
    static var overrideHead: UnsafeMutablePointer<LocatorHeader>? {
        @inline(__always) get { unsafe borrowedOverride?._withUnsafeGuaranteedRef { unsafe $0.header } }
    }

    /// The locator that the task-local is bound to. The binding retains it.
    private static var borrowedOverride: Unmanaged<Locator>? {
        @inline(__always) get {
            guard injectle_allows_overrides() else { return nil }
            guard let key = unsafe injectle_key_of_overrides() else { return unsafe .passUnretained(publicShared) }
            return unsafe injectle_task_local(key).map { unsafe Unmanaged.fromOpaque($0) }
        }
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
    ///
    /// - Complexity: O(1)
    // The same as the getter that `@TaskLocal` writes, but inlined, without `swift_once`, and looked up in the way that has
    // been chosen. Overload resolution prefers this one, since the other is disfavored. Where it did not, the result would be
    // the same. The binding retains the override until this getter has retained it for the caller.
    @inlinable
    public static var shared: Locator {
        guard let key = unsafe injectle_key_of_overrides() else { return CurrentLocator.publicShared }
        guard let override = unsafe injectle_task_local(key) else { return .current }
        return unsafe Unmanaged<Locator>.fromOpaque(override).takeUnretainedValue()
    }
}
