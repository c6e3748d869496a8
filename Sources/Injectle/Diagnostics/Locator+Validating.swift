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
    /// and what ``Registration/depending(on:)`` declares. What a closure really resolves is compared while
    /// ``recordsDependencies`` is on. A request's locator is validated with the registrations of its parents.
    ///
    /// - Parameter roots: The types that the program resolves itself. With at least one, a registration that none of them
    ///   reaches is a finding; so are roots that are missing. Services with ``Registration/atStart()`` are roots, too.
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
        DependencyGraph(of: core, roots: roots).faults.map(\.finding)
    }

    /// Throws if the registrations have faults, which the error lists.
    ///
    /// ```swift
    /// locator.register(.initializer(Garage.init(database:)))
    /// do {
    ///     try locator.check()
    /// } catch {
    ///     print(error.findings.count)  // Prints "1"
    /// }
    /// ```
    ///
    /// A test that calls it checks all registrations: see <doc:CheckingRegistrations>.
    ///
    /// - Parameter roots: The types that the program resolves itself.
    /// - Throws: ``InjectleError/invalidRegistration`` with all findings of ``validate(roots:)-6uosj`` but notes.
    /// - Complexity: The same as of ``validate(roots:)-6uosj``.
    public func check(roots: Any.Type...) throws(InjectleError) {
        try check(roots: roots.map { Locator.Identity($0) })
    }

    /// Throws if the registrations have faults, where some roots have keys.
    public func check(roots: [Locator.Identity]) throws(InjectleError) {
        try check(DependencyGraph(of: core, roots: roots).faults)
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
    ///   - name: The name of the child, for ``Lifetime/perLocator(named:)``.
    ///   - services: The types that are registered in the child without a key.
    ///   - fileID: The file that findings about these types name.
    ///   - line: The line that findings about these types name.
    /// - Returns: The findings, as of ``validate(roots:)-6uosj`` in such a child.
    /// - Complexity: As of ``validate(roots:)-6uosj``.
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
        faults(as: name, given: services, SourceLocation(fileID, line)).map(\.finding)
    }

    /// Throws if the registrations that a child would find have faults, which the error lists.
    ///
    /// ```swift
    /// locator.register(.initializer(UserStore.init))
    /// do {
    ///     try locator.check(as: "request", given: User.self)
    /// } catch {
    ///     print(error == .invalidRegistration)  // Prints "true"
    /// }
    /// ```
    ///
    /// - Throws: ``InjectleError/invalidRegistration`` with all findings of ``validate(as:given:fileID:line:)-6llp0`` but
    ///   notes.
    public func check(
        as name: String?,
        given services: Any.Type...,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        try check(as: name, given: services.map { Identity($0) }, fileID: fileID, line: line)
    }

    /// Throws if the registrations that a child would find have faults, where some of its own have keys.
    public func check(
        as name: String?,
        given services: [Identity],
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) {
        try check(faults(as: name, given: services, SourceLocation(fileID, line)))
    }

    private func faults(as name: String?, given services: [Identity], _ location: SourceLocation)
        -> [DependencyGraph.Fault]
    {
        var faults: [DependencyGraph.Fault] = []
        // No behavior observes a locator that the program does not have.
        EventDispatch.mark(true) {
            let child = Locator(name, parent: self)
            for identity in services {
                let record = unsafe RegistrationRecord(of: identity.type, .lazy, at: .anywhere, location)
                record.list(identity)
                child.core.lock.withRetireList { _ = unsafe child.core.insert(record, as: identity, &$0) }
            }
            faults = DependencyGraph(of: child.core).faults
            withExtendedLifetime(child) {}
        }
        return faults
    }

    private func check(_ faults: [DependencyGraph.Fault]) throws(InjectleError) {
        let faults = faults.filter { !$0.finding.isNote }
        if let first = faults.first { throw .invalid(first.identity, faults.map(\.finding), in: core) }
    }
}
