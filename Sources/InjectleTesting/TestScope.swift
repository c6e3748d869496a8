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
        issues = TestIssues(of: test)
        let make = traits.last { $0.make != nil }?.make
        let name = Locator.Name(rawValue: test.name)
        locator = make?(name) ?? Locator(name)
        copied = locator.registrationCount
        let allowed = traits.compactMap { $0.live }
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
                    let required = try await register()
                    if await reportFindings() {
                        try await function()
                        reportUnused(required)
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

    /// Registers the services of all traits. Returns the registrations that must be used, and the lines of their
    /// traits.
    private func register() async throws -> [(event: Locator.Event, location: SourceLocation)] {
        var required: [(event: Locator.Event, location: SourceLocation)] = []
        for trait in traits {
            let former = events.snapshot.count
            try await trait.register(locator)
            // What the next trait registers replaces a service whichever arguments it declares here.
            locator.makeRegistrationsOverridable()
            guard trait.requiresUse else { continue }
            let registered = events.snapshot.dropFirst(former).filter { $0.kind == .didRegister }
            required += registered.map { ($0, trait.sourceLocation) }
        }
        return required
    }

    /// Reports the faults of the registrations that a trait checks. Returns whether there is none.
    private func reportFindings() async -> Bool {
        var hasNone = true
        for trait in traits {
            guard let checked = trait.checked else { continue }
            let findings = await findings(of: checked)
            for finding in findings { issues.add(finding.description, at: trait.sourceLocation) }
            hasNone = hasNone && findings.isEmpty
        }
        return hasNone
    }

    private func findings(of checked: CheckedTypes) async -> [Locator.Finding] {
        func fix(_ service: String) -> String { ".override(\(service)) { … }" }
        guard let objects = checked.objects else { return locator.findings(forTestOf: checked, fix: fix) }
        return await MainActor.run { locator.findings(forTestOf: checked, creating: objects, fix: fix) }
    }

    private func close() async {
        let reporting = traits.filter { $0.reportsSurvivors }
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
        let missing = error == .missing ? error.identity : nil
        let fix = missing.map { "\n  in the test   .override(\($0.sourceText)) { … }" } ?? ""
        let text = "Test \(scope.test.name) in \(place.fileID):\(place.line): \(error)\(fix)"
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
