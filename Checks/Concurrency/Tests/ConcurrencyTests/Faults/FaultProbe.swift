import Injectle
import InjectleTestSupport

/// The faulty code of one case. It does nothing until it is armed, and then runs once.
final class FaultProbe: Sendable {
    private struct Action: Sendable {
        let blocking: @Sendable () throws -> Void
        let async: @Sendable () async throws -> Void
    }

    private let site: FaultSite
    private let action = Guarded<Action?>(nil)
    let visits = Counter()

    init(_ site: FaultSite) { self.site = site }

    func arm(blocking: @escaping @Sendable () throws -> Void, async: @escaping @Sendable () async throws -> Void) {
        action.withLock { $0 = Action(blocking: blocking, async: async) }
    }

    private func take(_ site: FaultSite) -> Action? {
        guard site == self.site, let action = action.withLock({ $0.take() }) else { return nil }
        visits.increment()
        return action
    }

    func visit(_ site: FaultSite) throws { try take(site)?.blocking() }

    func visitAsync(_ site: FaultSite) async throws { try await take(site)?.async() }
}

/// The service of a case.
final class FaultService: Sendable {
    let number: Int
    private let tracked: Tracked
    private let probe: FaultProbe

    init(_ number: Int, _ log: Tracked.Log, _ probe: FaultProbe) {
        self.number = number
        tracked = Tracked(log)
        self.probe = probe
    }

    deinit { try? probe.visit(.deinit) }
}

/// Another service of the same locator.
final class FaultDependency: Sendable {
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// A service that requires itself with other arguments.
struct FaultRecursion: Sendable {}

struct FaultError: Error {}

/// The key of the service. Equal keys have different bits, so the locator compares them by `==`.
struct FaultKey: Hashable, Sendable {
    private final class Contents: Sendable {
        let probe: FaultProbe
        init(_ probe: FaultProbe) { self.probe = probe }
    }

    private let contents: Contents

    init(_ probe: FaultProbe) { contents = Contents(probe) }

    static func == (left: FaultKey, right: FaultKey) -> Bool {
        try? left.contents.probe.visit(.equality)
        return true
    }

    func hash(into hasher: inout Hasher) { try? contents.probe.visit(.hash) }
}

struct FaultScopeLifetime: Locator.CustomLifetime {
    let scope = Locator.Scope()
    let probe: FaultProbe

    func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? {
        try probe.visit(.scope)
        return scope
    }
}

/// Runs the probe for the events of its service, and collects the failures of disposals.
struct FaultBehavior: Locator.Behavior {
    let probe: FaultProbe
    let failures = Guarded<[FaultOutcome.Failure]>([])

    func handle(_ event: Locator.Event) {
        guard event.identity.type == FaultService.self, let site = FaultSite(rawValue: event.kind.description) else {
            return
        }
        if event.kind == .didDispose, let failure = event.failure {
            failures.withLock { $0.append(FaultOutcome.Failure(failure)) }
        }
        try? probe.visit(site)
    }
}

/// Runs the probe in each function of a module.
struct FaultModule: Locator.Module {
    let probe: FaultProbe
    let register: @Sendable () throws -> Void

    func register(in locator: Locator) throws {
        try probe.visit(.registerPhase)
        try register()
    }

    func didRegister(in locator: Locator) throws { try probe.visit(.lastPhase) }
}
