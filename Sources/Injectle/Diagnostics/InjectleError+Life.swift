// The errors of services that are made in tasks, and of a locator's beginning and end.

extension InjectleError {
    /// A service that was asked for where nothing can be awaited, and is made in a task.
    final class Needed: @unchecked Sendable {
        // Sound to share: it never changes, and what it refers to protects itself.
        let slot: Slot
        let request: Request
        let asking: Core

        init(_ slot: Slot, _ request: Request, _ asking: Core) {
            self.slot = slot
            self.request = request
            self.asking = asking
        }
    }

    /// A service is made in a task, and was asked for by code that cannot await it.
    static func asynchronous(_ request: Request, _ slot: Slot, _ asking: Core) -> InjectleError {
        var report = Report(
            "\(slot.identity) is made by an asynchronous closure, and is not there yet.",
            askedBy: request,
            needing: slot.identity
        )
        report.add("registered", "in \(slot.record.site), \(slot.record.lifetime)")
        let type = reference(slot.identity.type)
        let key = slot.identity.label.map { ", key: \($0)" } ?? ""
        report.add("mend", "try await \(asking.expression).resolveAsync(\(type)\(key))")
        if slot.record.kind == .lazy {
            report.add("or", "try await \(slot.core.expression).start(), before it is asked for")
        }
        return InjectleError(asynchronous, slot.identity, report, needing: Needed(slot, request, asking))
    }

    /// A disposer threw.
    static func disposing(_ disposal: Disposal, threw error: any Error) -> InjectleError {
        let identity = disposal.record.identities[0]
        var report = Report("\(identity) could not be disposed of: \(error)")
        report.add("registered", "in \(disposal.record.site), \(disposal.record.lifetime)")
        return InjectleError(disposalFailed, identity, report, underlying: error)
    }

    /// A disposer that awaits was due where nothing can be awaited.
    static func notDisposed(_ disposal: Disposal) -> InjectleError {
        let identity = disposal.record.identities[0]
        var report = Report("\(identity) has gone without being disposed of: its disposer awaits, and nobody could.")
        report.add("registered", "in \(disposal.record.site), \(disposal.record.lifetime)")
        let type = reference(identity.type)
        report.add(
            "mend",
            "await \(disposal.core.expression).unregisterAsync(\(type)), or close(), before it is replaced"
        )
        return InjectleError(disposalFailed, identity, report)
    }

    /// A start took too long.
    static func startTimedOut(
        _ request: Request,
        after limit: Duration,
        _ progress: Locator.Progress,
        waits: [(ServiceKey, [ServiceKey])],
        in core: Core
    ) -> InjectleError {
        var report = Report("The start of \(core.title) did not end within \(limit).", askedBy: request)
        report.add("made", progress.made.isEmpty ? "nothing" : names(progress.made.map(\.identity)))
        for step in progress.inTheMaking {
            let awaited = waits.first { $0.0 == step.identity }.map { ", waits for \(names($0.1))" } ?? ""
            report.add("not made", "\(step.identity), begun \(step.duration) ago\(awaited)")
        }
        for identity in progress.toGo { report.add("not begun", "\(identity)") }
        let longer = Int64((limit * 2) / .milliseconds(1))
        let spelled = longer % 1000 == 0 ? ".seconds(\(longer / 1000))" : ".milliseconds(\(longer))"
        report.add("mend", "look at what waits for nothing, or allow more time: start(within: \(spelled))")
        let identity = progress.inTheMaking.first?.identity ?? progress.toGo.first ?? request.identity
        return InjectleError(startTimedOut, identity, report)
    }

    private static func names(_ identities: [ServiceKey]) -> String {
        identities.map(\.description).joined(separator: ", ")
    }

    /// A locator is to start or to be registered in, and is closed, or being closed.
    static func closed(
        _ core: Core,
        _ whatIsNotDone: String,
        _ identity: ServiceKey,
        _ request: Request? = nil
    ) -> InjectleError {
        let state = core.hasEnded ? "which is closed" : "which is being closed"
        var report = Report("\(whatIsNotDone) \(core.title), \(state).", askedBy: request)
        report.add("mend", "do that before \(core.expression).close(), or with another locator")
        return InjectleError(locatorClosed, identity, report)
    }
}
