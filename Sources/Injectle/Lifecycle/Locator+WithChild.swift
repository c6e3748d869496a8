extension Locator {
    /// Calls a closure with a child locator as the current one, and closes the child afterwards.
    ///
    /// ```swift
    /// let name = try await locator.withChild("request", { $0.register(.eager(User(name: "Ada"))) }) { request in
    ///     try request.resolve(User.self).name
    /// }
    /// print(name)  // Prints "Ada"
    /// ```
    ///
    /// While the closures run, the child is bound in the task: properties of objects that they create resolve
    /// from it. The child is closed when `body` returns or throws, also in a cancelled task; the close disposes of its
    /// instances as ``close(gracePeriod:isolation:)`` does, before this function returns. A child with a
    /// ``hold(fileID:line:)`` is closed when that is released; errors are written to standard error then. Both closures
    /// run on the actor of the caller.
    ///
    /// - Parameters:
    ///   - name: The name of the child in errors, and for ``Lifetime/perLocator(named:)``.
    ///   - build: Registers the services of the child. If it throws, `body` does not run.
    ///   - gracePeriod: How long it waits for the `onDispose` hooks. An async hook that still runs is cancelled and
    ///     left behind, and those after it get the same time. `nil` for no limit.
    ///   - report: Receives the errors of `onDispose` hooks, if there are any. Without it, they are written to standard
    ///     error, unless a behavior observes `didDispose`.
    ///   - body: Uses the child.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `build` or `body`.
    @inlinable
    public func withChild<Value, Failure: Error>(
        _ name: Name? = nil,
        _ build: (Locator) throws(Failure) -> Void,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil,
        _ body: (Locator) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let child = child(name)
        let value: Value
        do {
            value = try await Locator.$shared.withValue(child) {
                // A closure runs on the actor of a parameter that it captures.
                _ = isolation
                try child.beingBuilt(by: build)
                return try await body(child)
            }
        } catch {
            await child.close(within: gracePeriod, isolation, report)
            // `withValue` rethrows any error, and both closures throw a `Failure`.
            throw error as! Failure
        }
        await child.close(within: gracePeriod, isolation, report)
        return value
    }

    /// Calls a closure that registers the services of this locator. The properties of objects that it creates resolve
    /// from this locator, and do not retain it, since it probably retains the objects.
    @inlinable func beingBuilt<Failure: Error>(by build: (Locator) throws(Failure) -> Void) throws(Failure) {
        let core = core
        core.isBeingBuilt = true
        defer { core.isBeingBuilt = false }
        try build(self)
    }

    @usableFromInline func close(
        within limit: Duration?,
        _ isolation: isolated (any Actor)?,
        _ report: (([InjectleError]) -> Void)?
    ) async {
        let core = core
        if core.leaveToLastHold(CloseAfterHolds(gracePeriod: limit)) { return }
        await Ending.close(core, within: limit).report(to: report)
    }

    /// Calls a closure with an empty child locator as the current one, and closes the child afterwards.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.lifetime(.perLocator))
    /// await locator.withChild("request") { request in
    ///     print(request.isRegistered(Garage.self))  // Prints "true"
    /// }
    /// ```
    @inlinable
    public func withChild<Value, Failure: Error>(
        _ name: Name? = nil,
        gracePeriod: Duration? = .seconds(30),
        isolation: isolated (any Actor)? = #isolation,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil,
        _ body: (Locator) async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        // An overload, since a closure as default argument crashes the compiler where `Failure` is `Never`.
        try await withChild(
            name,
            { _ throws(Failure) in },
            gracePeriod: gracePeriod,
            isolation: isolation,
            onDisposalErrors: report,
            body
        )
    }

    /// Calls a synchronous closure with a child locator as the current one.
    ///
    /// ```swift
    /// locator.register(.volatile { locator in Report(settings: try locator.resolve()) })
    /// let currency = try locator.withChild("report", { $0.register(.eager(Settings(currency: "CHF"))) }) { child in
    ///     try child.resolve(Report.self).settings.currency
    /// }
    /// print(currency)  // Prints "CHF"
    /// ```
    ///
    /// A close is async, so this function releases the child instead: `onDispose` hooks run with the last reference to
    /// it, and async ones in a task of their own.
    @_disfavoredOverload
    public func withChild<Value, Failure: Error>(
        _ name: Name? = nil,
        _ build: (Locator) throws(Failure) -> Void,
        _ body: (Locator) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let child = child(name)
        do {
            return try Locator.$shared.withValue(child) {
                try child.beingBuilt(by: build)
                return try body(child)
            }
        } catch {
            // As above.
            throw error as! Failure
        }
    }

    /// Calls a synchronous closure with an empty child locator as the current one.
    @_disfavoredOverload
    public func withChild<Value, Failure: Error>(
        _ name: Name? = nil,
        _ body: (Locator) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withChild(name, { _ throws(Failure) in }, body)
    }
}
