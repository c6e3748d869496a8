// The errors of async services, of `onDispose` hooks, and of the start and close of a locator.

extension InjectleError {
    /// A service has an async closure, and a synchronous caller requests it before it exists.
    static func asynchronous(_ request: Request, _ found: Found, _ caller: LocatorCore) -> InjectleError {
        let identity = found.identity
        let core = found.entry.core
        let record = found.record
        let startCreates = record.startsAutomatically
        let starter = record.traits.lifetime.isShared ? core : caller
        let need = NeedCollector.current?.add(Need(request: request, found: found, caller: caller))
        return InjectleError(.requiresAsync, identity, request, registered: record, need: need) { report in
            let resolving = "try await \(caller.expression).resolveAsync(\(reference(identity)))"
            let starting = "try await \(starter.expression).start(), before it is requested"
            report.add("fix", then: "or", startCreates ? [resolving, starting] : [resolving])
            return "\(identity) requires async creation, and does not exist yet."
        }
    }

    /// A resolve has created many async services for a synchronous closure, and that closure requires another one
    /// each time.
    static func endlessNeeds(_ need: Need) -> InjectleError {
        InjectleError(.requiresAsync, need.found.identity, need.request, registered: need.found.record) { report in
            report.add(
                "note",
                "its synchronous caller requests it with other arguments, or another key, at each attempt"
            )
            report.fix(
                "make the closure that requests it async, and await it there: `try await locator.resolveAsync(…)`"
            )
            return "\(report.identity) requires async creation, and \(NeedCollector.limit) creations were not enough."
        }
    }

    /// An `onDispose` hook threw.
    static func disposing(_ record: AnyRecord, threw error: any Error) -> InjectleError {
        InjectleError(.disposalFailed, record.traits.identity, registered: record, underlying: error) {
            "Failed to dispose of \($0.identity): \(error)"
        }
    }

    /// An `onDispose` hook still runs at the end of the grace period.
    static func disposing(_ record: AnyRecord, exceeded limit: Duration) -> InjectleError {
        InjectleError(.disposalFailed, record.traits.identity, registered: record) { report in
            let longer = "gracePeriod: \(spelled(limit * 2))"
            report.fix("give what its `onDispose` hook waits for a timeout, or allow more time: `\(longer)`")
            return "The disposal of \(report.identity) still runs after \(limit)."
        }
    }

    /// Creations that a close has cancelled still run at the end of the grace period.
    static func closing(_ core: LocatorCore, leaves running: [Locator.Identity], after limit: Duration)
        -> InjectleError
    {
        InjectleError(.disposalFailed, running.first ?? Locator.Identity(Locator.self)) { report in
            for identity in running.dropFirst() { report.add("also", identity.description) }
            report.fix("let its factory closure end when its task is cancelled")
            return "The creation of \(report.identity) in \(core.title) still runs, \(limit) after its cancellation."
        }
    }

    /// A close still runs at the end of the grace period, and no hook or creation does that could be left behind.
    static func closing(_ core: LocatorCore, exceeded limit: Duration) -> InjectleError {
        InjectleError(.disposalFailed, Locator.Identity(Locator.self)) { report in
            report.fix("look for synchronous code that blocks a thread, such as the main thread")
            return "The close of \(core.title) still runs after \(limit)."
        }
    }

    /// Holds were left at the end of the grace period, and the locators have been closed.
    static func closing(_ core: LocatorCore, despite holds: [SourceLocation], after limit: Duration) -> InjectleError {
        InjectleError(.disposalFailed, Locator.Identity(Locator.self)) { report in
            for location in holds.prefix(5) { report.add("taken", "in \(location)") }
            report.fix(
                "allow the work more time, if it ends: `gracePeriod: \(spelled(limit * 2))`",
                "end the work by `try await hold.run { locator in … }`, or call `hold.release()` on each way out of it"
            )
            let subject = holds.count == 1 ? "A hold" : "\(holds.count) holds"
            return "\(subject) still kept \(core.title) open after \(limit), and it was closed."
        }
    }

    /// A duration as an expression, rounded up to milliseconds.
    private static func spelled(_ duration: Duration) -> String {
        let milliseconds = Int64((duration / .milliseconds(1)).rounded(.up))
        return milliseconds % 1_000 == 0 ? ".seconds(\(milliseconds / 1_000))" : ".milliseconds(\(milliseconds))"
    }

    /// A start exceeded its timeout.
    ///
    /// - Parameters:
    ///   - created: The services that exist.
    ///   - running: The other services, and what their creations wait for.
    static func startTimedOut(
        _ request: Request,
        after limit: Duration,
        created: [Locator.Identity],
        running: [(identity: Locator.Identity, awaited: [Locator.Identity])],
        in core: LocatorCore
    ) -> InjectleError {
        InjectleError(.startTimedOut, running.first?.identity ?? request.identity, request) { report in
            func names(_ identities: [Locator.Identity]) -> String {
                identities.map(\.description).joined(separator: ", ")
            }
            report.add("created", created.isEmpty ? "nothing" : names(created))
            for (identity, awaited) in running {
                report.add("running", "\(identity)\(awaited.isEmpty ? "" : ", waits for \(names(awaited))")")
            }
            let longer = "timeout: \(spelled(limit * 2))"
            report.fix("look at the services that wait for no other, or allow more time: `\(longer)`")
            return "The start of \(core.title) timed out after \(limit)."
        }
    }

    /// A closed locator refuses to start, to register or to apply modules.
    static func closed(
        _ core: LocatorCore,
        _ refusal: String,
        _ identity: Locator.Identity,
        _ request: Request? = nil
    ) -> InjectleError {
        let state = core.hasEnded ? "which is closed" : "which is being closed"
        return InjectleError(.locatorClosed, identity, request) { report in
            report.fix("do this before \(core.expression).close(), or use another locator")
            return "\(refusal) \(core.title), \(state)."
        }
    }

    /// A locator is closed or being closed, or its last handle was released.
    static func ended(_ request: Request, _ core: LocatorCore) -> InjectleError {
        let isProperty = request.origin.kind == .property
        // A child of a locator that has ended has ended with it.
        let core = core.chain.prefix(while: \.keepsNothingNew).reduce(core) { $1 }
        return InjectleError(.locatorClosed, request.identity, request) { report in
            report.add("fix", then: "or", fixes(ofRequestTo: core, isProperty: isProperty))
            let closed = core.hasEnded ? "is closed" : "is being closed, and caches no new instances"
            let state = core.closeHasBegun ? closed : "has been released"
            return "\(report.identity) was requested from \(core.title), which \(state)."
        }
    }

    /// The ways out where a locator has ended.
    private static func fixes(ofRequestTo core: LocatorCore, isProperty: Bool) -> [String] {
        let keeping = "keep it: `@Injected(resolve: .eager)`; or let the read throw: `try $property.resolve()`"
        let own = isProperty ? [keeping] : []
        if !core.closeHasBegun {
            return ["hold a strong reference to the locator as long as its services are in use"] + own
        }
        let hook = "an `onDispose` hook can use the dependencies of its service"
        if core.parent == nil { return ["resolve before \(core.expression).close(); \(hook)"] + own }
        return own + [
            "resolve before it is closed, as `withChild` does at its end, and keep the service; \(hook)",
            """
            keep the locator open: `let hold = \(core.expression).hold()` before the work begins, and \
            `try await hold.run { locator in … }`
            """,
        ]
    }
}
