extension Locator {
    /// Creates the async services and those that are marked ``Registration/atStart()``.
    ///
    /// ```swift
    /// struct Index: Sendable { static func load() async throws -> Index { Index() } }
    /// locator.register(.lazy { try await Index.load() })
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start(timeout: .seconds(10))
    /// let index: Index = try locator.resolve()  // exists already
    /// ```
    ///
    /// The creations run concurrently, each on the actor of its closure. A service that requires another one gets it
    /// once that exists, so no order has to be stated. Async services that are not cached or have arguments are not
    /// created, nor are those that a parent caches: start the parent, too. A service per locator is created by the
    /// start of each descendant of the registering locator, and not by the start of that locator itself, which may not
    /// have the dependencies of its descendants; one per named locator, by the start of each locator of that name.
    /// Synchronous callers can resolve the created services afterwards. See <doc:StartAndClose>.
    ///
    /// What a started service reads later, by `depending(on:)` or by the properties of its type, is created before it,
    /// and so ends after it.
    ///
    /// Another start creates the services that do not exist, because they were registered since or have failed.
    ///
    /// - Parameters:
    ///   - limit: The time after which the start fails, at most ten years.
    ///   - fileID: The file that errors name.
    ///   - line: The line that errors name.
    /// - Throws: ``InjectleError``: the first error of a creation; ``InjectleError/startTimedOut``, whose text lists
    ///   which services exist, which do not, and which wait for others; ``InjectleError/cancelled``. The other
    ///   creations are then cancelled, unless other callers wait for them, and the instances that exist stay.
    ///   ``InjectleError/locatorClosed`` if the locator is closed, also during the start.
    /// - Complexity: O(*m* log *m*) in the number of registrations here and in the parents, plus the cost of the
    ///   creations.
    public func start(
        timeout limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) async throws(InjectleError) {
        let core = core
        let request = Request(Locator.self, nil, nil, "start", SourceLocation(fileID, line))
        try await core.start(request, timeout: limit, isolation: isolation)
        withExtendedLifetime(self) {}
    }
}
