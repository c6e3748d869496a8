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
    /// It looks each dependency up as a resolve does: the parameters of an `.initializer`, the properties of `injecting`,
    /// what `depending(on:)` declares, and the stored properties of each service: `@Inject`, `@Optject`, `@Injected`,
    /// `Lazy` and `Provider`, also in superclasses, stored structures, tuples and optionals. An existing instance is
    /// validated as if this locator had created it. What a closure really resolves is compared if a
    /// ``DependencyRecorder`` observes. A request's locator is validated with the registrations of its parents.
    ///
    /// - Parameter roots: The types that the program resolves or creates itself. With at least one, a registration that none
    ///   of them reaches is a finding; so are roots that are missing. A root that is not registered and has such properties
    ///   is an object that the program creates. Services with `atStart()` are roots, too.
    /// - Returns: The findings, in order of registration, with notes.
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
        validate(roots: roots, by: .runtime)
    }

    /// The same, where the runtime may not list properties.
    package func validate(roots: [Locator.Identity], by reflection: TypeReflection?) -> [Finding] {
        DependencyGraph(of: facts, roots: roots, by: reflection).findings
    }

    /// Which findings a check fails on.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
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
    ///   - roots: The types that the program resolves or creates itself.
    /// - Throws: ``CheckFailure`` with all findings of `validate(roots:)`, without notes unless it is strict.
    /// - Complexity: The same as of `validate(roots:)`.
    public func check(_ mode: CheckMode = .lenient, roots: Any.Type...) throws(CheckFailure) {
        try check(mode, roots: roots.map { Locator.Identity($0) })
    }

    /// Throws if the registrations have faults, where some roots have keys.
    public func check(_ mode: CheckMode = .lenient, roots: [Locator.Identity]) throws(CheckFailure) {
        try fail(with: DependencyGraph(of: facts, roots: roots).findings(mode))
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
        as name: Name?,
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
        as name: Name?,
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
    /// - Throws: ``CheckFailure`` with all findings of `validate(as:given:)`, without notes unless it is strict.
    public func check(
        _ mode: CheckMode = .lenient,
        as name: Name?,
        given services: Any.Type...,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(CheckFailure) {
        try check(mode, as: name, given: services.map { Identity($0) }, fileID: fileID, line: line)
    }

    /// Throws if the registrations that a child would find have faults, where some of its own have keys.
    public func check(
        _ mode: CheckMode = .lenient,
        as name: Name?,
        given services: [Identity],
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(CheckFailure) {
        var findings: [Finding] = []
        withPlaceholders(of: services, inChild: name, fileID, line) {
            findings = DependencyGraph(of: $0).findings(mode)
        }
        try fail(with: findings)
    }

    func fail(with findings: [Finding]) throws(CheckFailure) {
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
        /// The faults, and the notes of a strict check.
        public let findings: [Finding]

        fileprivate init(locator: String, findings: [Finding]) {
            (self.locator, self.findings) = (locator, findings)
        }

        /// The texts of the findings.
        public var description: String {
            let notes = findings.count { $0.isNote }
            let counts = [(findings.count - notes, "fault"), (notes, "note")].compactMap { count, name in
                count == 0 ? nil : count == 1 ? "a \(name)" : "\(count) \(name)s"
            }
            let texts = findings.map(\.description).joined(separator: "\n")
            return "The registrations of \(locator) have \(counts.joined(separator: " and ")).\n\(texts)"
        }
    }
}
