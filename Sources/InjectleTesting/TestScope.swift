#if canImport(Testing)
internal import Injectle
internal import InjectleDiagnostics
internal import Testing

/// One run of a test case: its locator, and what the test must report.
///
/// It observes its locator as a behavior. Invariant: `events` is the only mutable state, and has a lock.
final class TestScope: PropertyObserver {
    /// The scope of the calling task.
    @TaskLocal static var current: TestScope?

    let test: Test
    let locator: Locator
    let issues: TestIssues
    let events = Mutex([Locator.Event]())
    let traits: [Locator.TestTrait]
    /// The number of registrations that the locator has copied.
    private let copied: Int
    /// The types that may be resolved from the production locator, or nil if that is not checked.
    let live: [ObjectIdentifier]?

    init(for test: Test, _ traits: [Locator.TestTrait]) {
        self.test = test
        self.traits = traits
        issues = TestIssues(of: test.id)
        let make = traits.compactMap(\.make).last
        let name = Locator.Name(rawValue: test.name)
        locator = make?(name) ?? Locator(name)
        copied = locator.registrationCount
        let allowed = traits.compactMap(\.live)
        live = allowed.isEmpty && make != nil ? nil : allowed.flatMap(\.self)
    }

    // MARK: The run

    func run(_ function: @Sendable @concurrent () async throws -> Void) async throws {
        locator.add(self)
        _ = DefaultLocatorObserver.handle
        try await Locator.$shared.withValue(locator) {
            try await TestScope.$current.withValue(self) {
                var failure: (any Error)?
                do {
                    let registered = try await register()
                    if reportFindings() {
                        try await function()
                        reportUnused(registered)
                    }
                } catch {
                    failure = error
                }
                await close()
                issues.end()
                if let failure { throw failure }
            }
        }
    }

    /// Registers the services of all traits. Returns the events of each, if they are observed.
    private func register() async throws -> [[Locator.Event]] {
        var registered: [[Locator.Event]] = []
        for trait in traits {
            let former = events.withLock(\.count)
            try await trait.register(locator)
            registered.append(events.withLock { $0.dropFirst(former).filter { $0.kind == .didRegister } })
            // What the next trait registers replaces a service whichever arguments it declares here.
            locator.makeRegistrationsOverridable()
        }
        return registered
    }

    /// Reports the faults of the registrations that a trait checks. Returns whether there is none.
    private func reportFindings() -> Bool {
        let findings = traits.flatMap { trait in
            let findings = trait.checked.map { locator.findings(forTestOf: $0) { ".override(\($0)) { … }" } } ?? []
            return findings.map { (text: $0.description, location: trait.sourceLocation) }
        }
        for finding in findings { issues.add(finding.text, at: finding.location) }
        return findings.isEmpty
    }

    private func close() async {
        let reporting = traits.filter(\.reportsSurvivors)
        let created = reporting.isEmpty ? [] : locator.createdObjects.map(WeakObject.init)
        // A test that has closed its locator has got the errors.
        let errors = locator.isClosed ? [] : await locator.close()
        for error in errors { Issue.record(error, sourceLocation: traits[0].sourceLocation) }
        for created in created where created.object != nil { reportSurvivor(created.identity, of: reporting[0]) }
    }

    // MARK: Events

    var observedKinds: Set<Locator.Event.Kind> { traits.reduce(into: []) { $0.formUnion($1.observedKinds) } }

    func handle(_ event: Locator.Event) {
        if event.failure != nil { return }
        events.withLock { $0.append(event) }
        if event.kind == .didResolve, event.isInherited(by: locator, copied: copied) { reportLive(event) }
    }

    func readDidFail(_ error: InjectleError, at location: RequestLocation) -> String? {
        // The service can be of the locator of another test.
        let scope = TestScope.current ?? self
        let place = scope.test.sourceLocation
        let text = "Test \(scope.test.name) in \(place.fileID):\(place.line): \(error)"
        // At once, since the process ends. A service without a placeholder has reported itself.
        if !(error.underlying is UnimplementedError) {
            Issue.record(Comment(rawValue: text), sourceLocation: SourceLocation(location))
        }
        return text
    }

    func resolveWillThrow(_ error: InjectleError, at location: RequestLocation) {
        if error.underlying is UnimplementedError || !traits.contains(where: \.reportsErrors) { return }
        issues.add(error.description, at: SourceLocation(location))
    }
}

/// A weak reference to an instance of a locator.
private struct WeakObject {
    let identity: Locator.Identity
    weak var object: AnyObject?
}
#endif
