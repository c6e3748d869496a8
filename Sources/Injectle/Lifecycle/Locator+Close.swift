extension Locator {
    /// Closes this locator and its descendants: disposes of their instances in reverse order of creation, and releases
    /// them.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")).onDispose { print("good-bye,", $0.name) })
    /// for error in await locator.close() { print(error) }
    /// // Prints "good-bye, Ada"
    /// ```
    ///
    /// It first waits until each ``hold(fileID:line:)`` is released. Running creations of cached instances end first.
    /// Creations in tasks are cancelled. A resolve that creates a volatile instance meanwhile is not waited for; its
    /// graph instances end with the close. Then the `onDispose` hooks run one after the other, each on its actor, in
    /// reverse order of creation, across lifetimes and locators. Meanwhile, existing instances can be resolved, and no
    /// new instances are cached. Then each resolve throws ``InjectleError/locatorClosed``, and registrations are
    /// ignored. A closed locator does not open again, not even the default one; ``reset()`` empties a locator that
    /// stays in use. See <doc:StartAndClose>.
    ///
    /// Another call returns the same errors once the first one has ended, and a call on a descendant the errors of
    /// its instances. Cancelling the calling task does not end a close. A hook or a creation that the close waits for
    /// does not wait for it.
    ///
    /// - Parameters:
    ///   - gracePeriod: How long it waits for holds, and then for the `onDispose` hooks. An async hook that still runs
    ///     is cancelled and left behind, and those after it get the same time. `nil` for no limit.
    ///   - isolation: The actor of the caller.
    /// - Returns: An ``InjectleError/disposalFailed`` for each hook that threw or was left behind, in the order in
    ///   which they ran, and one that names the holds that were not released.
    /// - Complexity: O(*n* log *n*) in the number of registrations and instances here and below, and the cost of the
    ///   hooks.
    @discardableResult
    public func close(
        gracePeriod: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async -> [InjectleError] {
        let limit = gracePeriod.map(\.clamped)
        let holds = core.isHeld ? await core.waitForHolds(atMost: limit) : []
        return await Ending.close(core, within: limit).adding(holds, of: core, after: limit).all
    }
}

extension LocatorCore {
    /// Adds an observer, which the caller removes.
    func addObserver() -> LocatorObserver {
        let observer = LocatorObserver()
        state.withLock { $0.ensuredExtras.observers.append(observer) }
        observer.continuation.yield()
        return observer
    }

    func removeObserver(_ observer: LocatorObserver) {
        state.withLock { $0.extras?.observers.removeAll { $0 === observer } }
    }

    /// Notifies those that wait for it that the locator, a child or a hold has ended.
    func notifyObservers() {
        if let observers = state.withLock({ $0.extras?.observers }) { LocatorCore.notify(observers) }
    }

    @inline(never)
    private static func notify(_ observers: [LocatorObserver]) {
        for observer in observers { observer.continuation.yield() }
    }
}

/// The errors that one caller of a close receives.
struct CloseErrors: Sendable {
    /// None for a caller that the close waits for, such as a disposer.
    var all: [InjectleError] = []
    /// Whether behaviors have observed the errors of hooks that threw.
    var areObserved = false
    /// Whether the caller has begun the close. Else another caller receives the errors, too.
    var isFirst = true

    /// Adds an error that names the holds that were left, if there are any.
    func adding(_ holds: [SourceLocation], of core: LocatorCore, after limit: Duration?) -> CloseErrors {
        guard !holds.isEmpty, let limit else { return self }
        var errors = self
        errors.all.append(.closing(core, despite: holds, after: limit))
        return errors
    }

    /// Passes the errors to a closure, if there is one; else throws the first one.
    func throwFirst(unlessReportedTo report: (([InjectleError]) -> Void)?) throws(InjectleError) {
        guard report == nil, let first = all.first else { return self.report(to: report) }
        var others = self
        others.all.removeFirst()
        others.report(to: nil)
        throw first
    }

    /// Passes the errors to a closure, or writes the errors that no behavior has observed to standard error.
    func report(to report: (([InjectleError]) -> Void)?) {
        if all.isEmpty { return }
        if let report { return report(all) }
        // A hook that still runs has thrown nothing.
        for error in all where !areObserved || error.underlying == nil { printError(error.description) }
    }
}

/// Code that waits for the end of a locator, of its children, of its holds or of late creations.
final class LocatorObserver: Sendable {
    /// Has an element at once, and one after each change or more: an end, or the begin of a close. The code that waits
    /// then looks whether it has what it waits for.
    let stream: AsyncStream<Void>
    let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }
}
