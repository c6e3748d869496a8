public import Injectle

// Checks of a child that does not exist.

extension Locator {
    /// Returns the faults of the registrations that a child would find, without creating a service or the child.
    ///
    /// ```swift
    /// locator.register(.initializer(UserStore.init))
    /// locator.register(.volatile { locator in Report(settings: try locator.resolve()) }.depending(on: Settings.self))
    /// for finding in locator.validate(as: "request", given: Settings.self) { print(finding.message) }
    /// // Prints "App.UserStore needs any App.APIClient, which is not registered."
    /// ```
    ///
    /// The services of a request depend on values that only its locator has, such as the user. Validated from the root,
    /// they are missing; validated so, they are registered. A program validates each of its scopes at launch, and fails
    /// before it gets a request.
    ///
    /// - Parameters:
    ///   - name: The name of the child, for `perLocator(named:)`.
    ///   - services: The types that are registered in the child without a key.
    ///   - roots: The types that the program resolves from the child.
    ///   - fileID: The file that findings about these types name.
    ///   - line: The line that findings about these types name.
    ///   - objects: The objects that the program creates itself: see `validate(roots:creating:)`.
    /// - Returns: The findings, as of `validate(roots:creating:)` in such a child.
    /// - Complexity: As of `validate(roots:creating:)`.
    public func validate(
        as name: Name?,
        given services: Any.Type...,
        roots: Any.Type...,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) -> [Finding] {
        let child = PlannedChild(name: name, services.map { Identity($0) }, in: "\(fileID):\(line)")
        return graph(of: child, fileID, line, roots: roots.map { Identity($0) }, objects).findings
    }

    /// Returns the faults of the registrations that a child would find, where some of its own or of the roots have
    /// keys.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve(key: "archive")) }.lifetime(.perLocator)
    ///     .depending(on: Database.self, key: "archive"))
    /// print(locator.validate(as: "request", given: [Locator.Identity(Database.self, key: "archive")]))  // Prints "[]"
    /// ```
    public func validate(
        as name: Name?,
        given services: [Identity],
        roots: [Identity] = [],
        fileID: StaticString = #fileID,
        line: UInt = #line,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) -> [Finding] {
        let child = PlannedChild(name: name, services, in: "\(fileID):\(line)")
        return graph(of: child, fileID, line, roots: roots, objects).findings
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
    /// - Throws: ``CheckFailure`` with all findings of `validate(as:given:)`, without notes unless it is strict. It
    ///   names the types that the check was given, with their modules.
    public func check(
        _ mode: CheckMode = .lenient,
        as name: Name?,
        given services: Any.Type...,
        roots: Any.Type...,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) throws(CheckFailure) {
        let child = PlannedChild(name: name, services.map { Identity($0) }, in: "\(fileID):\(line)")
        let graph = graph(of: child, fileID, line, roots: roots.map { Identity($0) }, objects)
        try fail(with: graph.findings(mode), in: child)
    }

    /// Throws if the registrations that a child would find have faults, where some of its own or of the roots have
    /// keys.
    public func check(
        _ mode: CheckMode = .lenient,
        as name: Name?,
        given services: [Identity],
        roots: [Identity] = [],
        fileID: StaticString = #fileID,
        line: UInt = #line,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) throws(CheckFailure) {
        let child = PlannedChild(name: name, services, in: "\(fileID):\(line)")
        let graph = graph(of: child, fileID, line, roots: roots, objects)
        try fail(with: graph.findings(mode), in: child)
    }

    /// The graph of a child that does not exist.
    func graph(
        of planned: PlannedChild,
        _ fileID: StaticString = #fileID,
        _ line: UInt = #line,
        roots: [Identity],
        _ objects: () throws -> [Root] = { [] }
    ) -> DependencyGraph {
        withPlaceholders(of: planned.given, inChild: planned.name, fileID, line) { child in
            var roots = Roots(types: roots, hasPlaceholders: true)
            roots.objects = child.create(objects)
            return DependencyGraph(of: child.facts, roots: roots)
        }
    }
}

/// A child that the caller of a check plans.
struct PlannedChild {
    let name: Locator.Name?
    let given: [Locator.Identity]
    /// The file and line of the check.
    let location: String

    init(name: Locator.Name?, _ given: [Locator.Identity], in location: String) {
        self.name = name
        self.given = given
        self.location = location
    }
}
