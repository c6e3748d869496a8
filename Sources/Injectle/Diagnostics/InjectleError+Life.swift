// The errors of services that are made in tasks, and of a locator's beginning and end.

extension InjectleError {
    /// An async service that does not exist, the request that needs it, and the locator of the request.
    typealias Needed = (entry: Entry, request: ResolveRequest, caller: LocatorCore)

    /// A service is made in a task, and was asked for by code that cannot await it.
    static func asynchronous(_ request: ResolveRequest, _ entry: Entry, _ caller: LocatorCore) -> InjectleError {
        var report = Report(
            "\(entry.identity) is made by an asynchronous closure, and is not there yet.",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("registered", "in \(entry.record.location), \(entry.record.lifetime)")
        let type = reference(entry.identity.type)
        let key = entry.identity.userKey.map { ", key: \($0)" } ?? ""
        report.add("fix", "try await \(caller.expression).resolveAsync(\(type)\(key))")
        if entry.record.isShared, entry.record.startsAutomatically {
            report.add("or", "try await \(entry.core.expression).start(), before it is asked for")
        }
        return InjectleError(requiresAsync, entry.identity, report, needing: (entry, request, caller))
    }

    /// A disposer threw.
    static func disposing(_ disposal: Disposal, threw error: any Error) -> InjectleError {
        let identity = disposal.record.identities[0]
        var report = Report("\(identity) could not be disposed of: \(error)")
        report.add("registered", "in \(disposal.record.location), \(disposal.record.lifetime)")
        return InjectleError(disposalFailed, identity, report, underlying: error)
    }

    /// A disposer that awaits was due where nothing can be awaited.
    static func notDisposed(_ disposal: Disposal) -> InjectleError {
        let identity = disposal.record.identities[0]
        var report = Report("\(identity) has gone without being disposed of: its disposer awaits, and nobody could.")
        report.add("registered", "in \(disposal.record.location), \(disposal.record.lifetime)")
        let type = reference(identity.type)
        report.add(
            "fix",
            "await \(disposal.core.expression).unregisterAsync(\(type)), or close(), before it is replaced"
        )
        return InjectleError(disposalFailed, identity, report)
    }

    /// A start took too long.
    static func startTimedOut(
        _ request: ResolveRequest,
        after limit: Duration,
        _ progress: Locator.StartProgress,
        waits: [(ServiceKey, [ServiceKey])],
        in core: LocatorCore
    ) -> InjectleError {
        var report = Report("The start of \(core.title) did not end within \(limit).", requestedBy: request)
        report.add("created", progress.completed.isEmpty ? "nothing" : names(progress.completed.map(\.identity)))
        for step in progress.running {
            let awaited = waits.first { $0.0 == step.identity }.map { ", waits for \(names($0.1))" } ?? ""
            report.add("running", "\(step.identity), begun \(step.duration) ago\(awaited)")
        }
        for identity in progress.pending { report.add("pending", "\(identity)") }
        let longer = Int64((limit * 2) / .milliseconds(1))
        let spelled = longer % 1000 == 0 ? ".seconds(\(longer / 1000))" : ".milliseconds(\(longer))"
        report.add("fix", "look at what waits for nothing, or allow more time: start(timeout: \(spelled))")
        let identity = progress.running.first?.identity ?? progress.pending.first ?? request.identity
        return InjectleError(startTimedOut, identity, report)
    }

    private static func names(_ identities: [ServiceKey]) -> String {
        identities.map(\.description).joined(separator: ", ")
    }

    /// A locator is to start or to be registered in, and is closed, or being closed.
    static func closed(
        _ core: LocatorCore,
        _ whatIsNotDone: String,
        _ identity: ServiceKey,
        _ request: ResolveRequest? = nil
    ) -> InjectleError {
        let state = core.isTerminated ? "which is closed" : "which is being closed"
        var report = Report("\(whatIsNotDone) \(core.title), \(state).", requestedBy: request)
        report.add("fix", "do that before \(core.expression).close(), or with another locator")
        return InjectleError(locatorClosed, identity, report)
    }
}
