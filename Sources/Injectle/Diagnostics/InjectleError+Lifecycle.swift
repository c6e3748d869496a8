// The errors of async services, of `onDispose` hooks, and of the start and close of a locator.

extension InjectleError {
    /// A service has an async closure, and a synchronous caller requests it before it exists.
    static func asynchronous(_ request: ResolveRequest, _ entry: Entry, _ caller: LocatorCore) -> InjectleError {
        let (identity, core) = (entry.identity, entry.core)
        let startCreates = entry.record.isShared && entry.record.startsAutomatically
        let needed = (entry, request, caller)
        return InjectleError(.requiresAsync, identity, request, registered: entry.record, needed: needed) { report in
            let resolving = "try await \(caller.expression).resolveAsync(\(reference(identity)))"
            let starting = "try await \(core.expression).start(), before it is requested"
            report.add("fix", then: "or", startCreates ? [resolving, starting] : [resolving])
            return "\(identity) requires async creation, and does not exist yet."
        }
    }

    /// An `onDispose` hook threw.
    static func disposing(_ disposal: Disposal, threw error: any Error) -> InjectleError {
        InjectleError(.disposalFailed, disposal.record.identities[0], registered: disposal.record, underlying: error) {
            "Failed to dispose of \($0.identity): \(error)"
        }
    }

    /// An instance with an async `onDispose` hook was released by a caller that cannot await it.
    static func notDisposed(_ disposal: Disposal) -> InjectleError {
        let (identity, core) = (disposal.record.identities[0], disposal.core)
        return InjectleError(.disposalFailed, identity, registered: disposal.record) { report in
            let unregistering = "await \(core.expression).unregisterAsync(\(reference(identity.type)))"
            report.fix("\(unregistering), or close(), before it is replaced")
            return "\(identity) was released, and no caller could await its async `onDispose` hook."
        }
    }

    /// A start exceeded its timeout.
    static func startTimedOut(
        _ request: ResolveRequest,
        after limit: Duration,
        _ progress: Locator.StartProgress,
        waits: [(Locator.Identity, [Locator.Identity])],
        in core: LocatorCore
    ) -> InjectleError {
        let identity = progress.running.first?.identity ?? progress.pending.first ?? request.identity
        return InjectleError(.startTimedOut, identity, request) { report in
            func names(_ identities: [Locator.Identity]) -> String {
                identities.map(\.description).joined(separator: ", ")
            }
            report.add("created", progress.completed.isEmpty ? "nothing" : names(progress.completed.map(\.identity)))
            for step in progress.running {
                let dependencies = waits.first { $0.0 == step.identity }.map { ", waits for \(names($0.1))" } ?? ""
                report.add("running", "\(step.identity), for \(step.duration)\(dependencies)")
            }
            for identity in progress.pending { report.add("pending", "\(identity)") }
            let longer = Int64((limit * 2) / .milliseconds(1))
            let spelled = longer % 1000 == 0 ? ".seconds(\(longer / 1000))" : ".milliseconds(\(longer))"
            report.fix("look at the services that wait for no other, or allow more time: start(timeout: \(spelled))")
            return "The start of \(core.title) timed out after \(limit)."
        }
    }

    /// A `running` closure returned or threw before its instance was disposed of.
    static func endedEarly(_ record: RegistrationRecord, _ thrown: (any Error)?, in core: LocatorCore)
        -> InjectleError
    {
        InjectleError(.factoryFailed, record.identities[0], registered: record, underlying: thrown) { report in
            if thrown == nil { report.fix("return from the `running` closure only when its task is cancelled") }
            let end = thrown.map { "threw an error: \($0)" } ?? "returned before \(core.title) was closed."
            return "The `running` closure of \(report.identity) \(end)"
        }
    }

    /// Children were open when a run of their parent ended, and the grace period after it.
    static func childrenAreOpen(
        _ children: [LocatorCore],
        after limit: Duration,
        in core: LocatorCore,
        _ request: ResolveRequest
    ) -> InjectleError {
        InjectleError(.locatorClosed, request.identity, request) { report in
            var counts: [(title: String, count: Int)] = []
            for title in children.map(\.title) {
                if let index = counts.firstIndex(where: { $0.title == title }) {
                    counts[index].count += 1
                } else {
                    counts.append((title, 1))
                }
            }
            for (title, count) in counts { report.add("open", count == 1 ? title : "\(count) times \(title)") }
            report.fix("close or release them before the run ends, or allow more time by `gracePeriod`")
            return "Children of \(core.title) were open \(limit) after the end of its run, and were closed with it."
        }
    }

    /// A closed locator refuses to start, to register or to apply modules.
    static func closed(
        _ core: LocatorCore,
        _ refusal: String,
        _ identity: Locator.Identity,
        _ request: ResolveRequest? = nil
    )
        -> InjectleError
    {
        let state = core.isTerminated ? "which is closed" : "which is being closed"
        return InjectleError(.locatorClosed, identity, request) { report in
            report.fix("do this before \(core.expression).close(), or use another locator")
            return "\(refusal) \(core.title), \(state)."
        }
    }
}
