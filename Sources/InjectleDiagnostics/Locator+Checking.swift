public import Injectle

extension Locator {
    /// Returns the faults of the registrations that this locator can find, without creating a service.
    ///
    /// ```swift
    /// locator.register(.lazy { DeLorean() }.lifetime(.perLocator), for: (any Car).self)
    /// locator.register(.initializer(Chauffeur.init))
    /// for finding in locator.validate() { print(finding.message) }
    /// // Prints "App.Chauffeur keeps any App.Car, which lives shorter: lazy holds per locator."
    /// ```
    ///
    /// It looks each dependency up as a resolve does: the parameters of an `.initializer`, the properties of `injecting`,
    /// and what `depending(on:)` declares. What a closure really resolves is compared if a ``DependencyRecorder`` observes.
    /// A request's locator is validated with the registrations of its parents.
    ///
    /// - Parameter roots: The types that the program resolves itself. With at least one, a registration that none of them
    ///   reaches is a finding; so are roots that are missing. Services with `atStart()` are roots, too.
    /// - Returns: The findings, in order of registration. A finding of kind ``Finding/Kind/undeclared`` is a note.
    /// - Complexity: O(*n* + *m*) on average, in the numbers of registrations and dependencies, in one locator without
    ///   captive dependencies.
    public func validate(roots: Any.Type...) -> [Finding] {
        validate(roots: roots.map { Locator.Identity($0) })
    }

    /// Returns the faults of the registrations that this locator can find, where some roots have keys.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }, key: "second")
    /// print(locator.validate(roots: [Locator.Identity(Garage.self, key: "second")]).isEmpty)  // Prints "true"
    /// ```
    public func validate(roots: [Locator.Identity]) -> [Finding] {
        DependencyGraph(of: facts, roots: roots).findings
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
    /// A test that calls it checks all registrations: see the article "Checking and observing" of Injectle.
    ///
    /// - Parameter roots: The types that the program resolves itself.
    /// - Throws: ``CheckFailure`` with all findings of `validate(roots:)` but notes.
    /// - Complexity: The same as of `validate(roots:)`.
    public func check(roots: Any.Type...) throws(CheckFailure) {
        try check(roots: roots.map { Locator.Identity($0) })
    }

    /// Throws if the registrations have faults, where some roots have keys.
    public func check(roots: [Locator.Identity]) throws(CheckFailure) {
        try check(DependencyGraph(of: facts, roots: roots).findings)
    }

    // MARK: Of a child that does not exist

    /// Returns the faults of the registrations that a child would find, without creating a service or the child.
    ///
    /// ```swift
    /// locator.register(.initializer(UserStore.init))
    /// locator.register(.volatile { locator in Report(settings: try locator.resolve()) }.depending(on: Settings.self))
    /// for finding in locator.validate(as: "request", given: Settings.self) { print(finding.message) }
    /// // Prints "App.UserStore needs any App.APIClient, which is not registered."
    /// ```
    ///
    /// The services of a request depend on values that only its locator has, such as the user. Validated from the root, they
    /// are missing; validated so, they are registered. A program validates each of its scopes at launch, and fails before it
    /// gets a request.
    ///
    /// - Parameters:
    ///   - name: The name of the child, for `perLocator(named:)`.
    ///   - services: The types that are registered in the child without a key.
    ///   - fileID: The file that findings about these types name.
    ///   - line: The line that findings about these types name.
    /// - Returns: The findings, as of `validate(roots:)` in such a child.
    /// - Complexity: As of `validate(roots:)`.
    public func validate(
        as name: String?,
        given services: Any.Type...,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> [Finding] {
        validate(as: name, given: services.map { Identity($0) }, fileID: fileID, line: line)
    }

    /// Returns the faults of the registrations that a child would find, where some of its own have keys.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve(key: "archive")) }.lifetime(.perLocator)
    ///     .depending(on: Database.self, key: "archive"))
    /// print(locator.validate(as: "request", given: [Locator.Identity(Database.self, key: "archive")]))  // Prints "[]"
    /// ```
    public func validate(
        as name: String?,
        given services: [Identity],
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> [Finding] {
        var findings: [Finding] = []
        withPlaceholders(of: services, inChild: name, fileID, line) { findings = DependencyGraph(of: $0).findings }
        return findings
    }

    /// Throws if the registrations that a child would find have faults, which the error lists.
    ///
    /// ```swift
    /// locator.register(.initializer(UserStore.init))
    /// do {
    ///     try locator.check(as: "request", given: User.self)
    /// } catch {
    ///     print(error.findings.map(\.kind))  // Prints "[missing]"
    /// }
    /// ```
    ///
    /// - Throws: ``CheckFailure`` with all findings of `validate(as:given:)` but notes.
    public func check(
        as name: String?,
        given services: Any.Type...,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(CheckFailure) {
        try check(as: name, given: services.map { Identity($0) }, fileID: fileID, line: line)
    }

    /// Throws if the registrations that a child would find have faults, where some of its own have keys.
    public func check(
        as name: String?,
        given services: [Identity],
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(CheckFailure) {
        try check(validate(as: name, given: services, fileID: fileID, line: line))
    }

    private func check(_ findings: [Finding]) throws(CheckFailure) {
        let findings = findings.filter { !$0.isNote }
        if !findings.isEmpty { throw CheckFailure(locator: facts.title, findings: findings) }
    }

    /// The registrations of a locator have faults.
    ///
    /// ```swift
    /// locator.register(.initializer(Garage.init(database:)))
    /// do { try locator.check() } catch { print("\(error)".prefix(43)) }
    /// // Prints "The registrations of the locator "app" have"
    /// ```
    public struct CheckFailure: Error, CustomStringConvertible {
        private let locator: String
        /// The faults, without notes.
        public let findings: [Finding]

        fileprivate init(locator: String, findings: [Finding]) {
            (self.locator, self.findings) = (locator, findings)
        }

        /// The texts of the findings.
        public var description: String {
            let count = findings.count == 1 ? "a fault" : "\(findings.count) faults"
            let texts = findings.map(\.description).joined(separator: "\n")
            return "The registrations of \(locator) have \(count).\n\(texts)"
        }
    }
}
