public import Injectle

extension Locator {
    /// Returns the faults of the registrations that this locator can find, without creating a service.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.lifetime(.perLocator), for: (any Car).self)
    /// locator.register(.initializer(Chauffeur.init))
    /// for finding in locator.validate() { print(finding.message) }
    /// // Prints "App.Chauffeur keeps one any App.Car for all children and requests, although each has its own: …"
    /// ```
    ///
    /// It looks each dependency up as a resolve does: the parameters of an `.initializer`, the properties of
    /// `injecting`, what `depending(on:)` declares, and the stored properties of each service: `@Inject`, `@Optject`,
    /// `@Injected`, `Lazy` and `Provider`, also in superclasses, stored structures, tuples and optionals. An existing
    /// instance is validated as if this locator had created it. What a closure really resolves is compared if a
    /// ``DependencyRecorder`` observes. A request's locator is validated with the registrations of its parents. Of each
    /// name of `perLocator(named:)`, a note says whether services need what only such a child can have:
    /// `validate(as:given:)` checks them.
    ///
    /// - Parameters:
    ///   - roots: The types that the program resolves. With at least one root, a registration that none of them reaches
    ///     is a finding; so are roots that are missing. Services with `atStart()` are roots, too.
    ///   - objects: The objects that the program creates itself, such as view models. They are created in a copy of
    ///     this locator and released, which shows the keys of their properties. Their `@Injected` properties resolve
    ///     nothing, unless an initializer reads them.
    /// - Returns: The findings, in order of registration, with notes.
    /// - Complexity: O(*n* + *m*) on average, in the numbers of registrations and dependencies, in one locator without
    ///   captive dependencies.
    public func validate(
        roots: Any.Type...,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) -> [Finding] {
        validate(roots: roots.map { Identity($0) }, creating: objects)
    }

    /// Returns the faults of the registrations that this locator can find, where some roots have keys.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }, key: "second")
    /// print(locator.validate(roots: [Locator.Identity(Garage.self, key: "second")]).isEmpty)  // Prints "true"
    /// ```
    public func validate(
        roots: [Identity],
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) -> [Finding] {
        let objects = create(objects)
        return DependencyGraph(of: facts, roots: Roots(types: roots, objects: objects)).findings
    }

    /// The findings where the runtime may not list properties.
    package func validate(listsProperties: Bool) -> [Finding] {
        DependencyGraph(of: facts, listsProperties: listsProperties).findings
    }

    /// Which findings a check fails on.
    ///
    /// ```swift
    /// locator.register(.lazy { LiveAPIClient() }.as((any APIClient).self))
    /// locator.register(.lazy { locator in UserStore(api: try locator.resolve()) })
    /// try locator.check()  // passes, although it does not see what the closure resolves
    /// do { try locator.check(.strict) } catch { print(error.findings.map(\.kind)) }  // Prints "[undeclared]"
    /// ```
    public enum CheckMode: Sendable {
        /// Faults.
        case lenient
        /// Faults, and the notes of what the check does not see.
        case strict
    }

    /// Throws if the registrations have faults, which the error lists.
    ///
    /// ```swift
    /// locator.register(.initializer(Garage.init(database:)))
    /// do {
    ///     try locator.check()
    /// } catch {
    ///     print(error.findings.map(\.kind))  // Prints "[missing]"
    /// }
    /// ```
    ///
    /// A test that calls it checks all registrations: see the article "A test of the registrations" of Injectle.
    ///
    /// - Parameters:
    ///   - mode: Whether the check fails on notes, too.
    ///   - roots: The types that the program resolves.
    ///   - objects: The objects that the program creates itself: see `validate(roots:creating:)`.
    /// - Throws: ``CheckFailure`` with all findings of `validate(roots:creating:)`, without notes unless it is strict:
    ///   then also with notes that only a strict check has, such as ``Finding/Kind/notSendable``.
    /// - Complexity: The same as of `validate(roots:creating:)`.
    public func check(
        _ mode: CheckMode = .lenient,
        roots: Any.Type...,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) throws(CheckFailure) {
        try check(mode, roots: roots.map { Identity($0) }, creating: objects)
    }

    /// Throws if the registrations have faults, where some roots have keys.
    public func check(
        _ mode: CheckMode = .lenient,
        roots: [Identity],
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) throws(CheckFailure) {
        let objects = create(objects)
        try fail(with: DependencyGraph(of: facts, roots: Roots(types: roots, objects: objects)).findings(mode))
    }
}
