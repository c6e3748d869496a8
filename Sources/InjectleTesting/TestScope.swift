#if canImport(Testing)
internal import Injectle
internal import Testing

/// One run of a test case: its locator, and what the test must report.
///
/// It observes its locator as a behavior. It records issues on the thread that causes them if that belongs to the test, and
/// otherwise at the end of the test.
///
/// Invariant: `state` is the only mutable state, and has a lock.
final class TestScope: PropertyObserver {
    /// The scope of the calling task.
    @TaskLocal static var current: TestScope?

    /// The end of a test.
    enum End: Sendable {
        case returned
        case threw(any Error)
        /// A read that cannot return has ended it.
        case stopped
    }

    private struct State {
        var pending: [(text: String, location: SourceLocation)] = []
        var events: [Locator.Event] = []
        var used: Set<Locator.Identity> = []
        /// The services that a trait registers and a test must use, and the trait.
        var required: [(identities: [Locator.Identity], trait: Int)] = []
        var registering: Int?
        var paths: [Locator.Identity: [Locator.Identity]] = [:]
        /// Whether a thread that never returns has left a creation or a close in progress.
        var cannotClose = false
        var hasEnded = false
        /// Runs the test, then the close of its locator, where the system has task executors.
        var executor: (any AnyObject & Sendable)?
    }

    let test: Test.ID
    let locator: Locator
    let observedKinds: Set<Locator.Event.Kind>
    private let traits: [Locator.TestTrait]
    /// Whether the locator has the registrations of another one, and the number of those that it has copied.
    private let inherits: Bool
    private let copied: Int
    private let isRecording: Bool
    private let live: [ObjectIdentifier]?
    private let state = Mutex(State())

    /// Installs the hooks of the runtime that reads which cannot return need.
    static let areHooksInstalled: Bool = {
        Locator.default.add(UnattributedReads(), observesDescendants: false)
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return MainActorJobs.isInstalled }
        return MainActorJobs.isInstalled && GlobalJobs.areHooked
    }()

    init(for test: Test.ID, named name: String, _ traits: [Locator.TestTrait]) {
        self.test = test
        self.traits = traits
        let make = traits.lazy.compactMap(\.make).last
        inherits = make != nil
        locator = make?(name) ?? Locator(name)
        copied = locator.layer
        isRecording = traits.contains(where: \.isRecording)
        let allowed = traits.compactMap(\.live)
        live = allowed.isEmpty && inherits ? nil : allowed.flatMap(\.self)
        var kinds: Set<Locator.Event.Kind> = []
        if traits.contains(where: \.requiresUse) { kinds.formUnion([.didRegister, .didResolve]) }
        if isRecording || live != nil && inherits { kinds.insert(.didResolve) }
        if isRecording || traits.contains(where: \.reportsSurvivors) { kinds.insert(.didCreate) }
        observedKinds = kinds
    }

    var events: [Locator.Event] { state.withLock { $0.events } }

    // MARK: The run

    func run(_ function: @Sendable @concurrent () async throws -> Void) async throws {
        locator.add(self)
        if live != nil { _ = LiveReads.handle }
        let end = await Locator.$shared.withValue(locator) {
            await TestScope.$current.withValue(self) {
                let end = await perform { [self] in
                    try await register()
                    try await function()
                }
                await finish()
                return end
            }
        }
        if case .threw(let error) = end { throw error }
    }

    private func register() async throws {
        for (position, trait) in traits.enumerated() {
            state.withLock { $0.registering = trait.requiresUse ? position : nil }
            defer { state.withLock { $0.registering = nil } }
            try await trait.register(locator)
            // What the next trait registers replaces a service whichever arguments it declares here.
            locator.beginLayer()
        }
    }

    private func perform(_ function: @Sendable @concurrent () async throws -> Void) async -> End {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            let executor = ScopeExecutor()
            state.withLock { $0.executor = executor }
            return await executor.perform(function)
        }
        do {
            try await function()
            return .returned
        } catch {
            return .threw(error)
        }
    }

    private func finish() async {
        reportUnused()
        let reportsSurvivors = traits.contains(where: \.reportsSurvivors)
        let created = reportsSurvivors ? locator.createdObjects.map(WeakObject.init) : []
        // A creation or a hook that never ends would keep the close from ending.
        if !state.withLock({ $0.cannotClose }) {
            _ = await perform { [self] in
                // A test that has closed its locator has got the errors.
                let errors = locator.isClosed ? [] : await locator.close()
                for error in errors { Issue.record(error, sourceLocation: traits[0].sourceLocation) }
            }
            for created in created where created.object != nil { reportSurvivor(created.identity) }
        }
        let pending = state.withLock { state in
            state.hasEnded = true
            return state.pending
        }
        for (text, location) in pending { Issue.record(Comment(rawValue: text), sourceLocation: location) }
    }

    // MARK: Issues

    /// Records an issue, on this thread if that belongs to the test.
    func report(_ text: String, at location: SourceLocation) {
        let isOfTest = Test.current?.id == test
        let isPending = state.withLock { state in
            if isOfTest || state.hasEnded { return false }
            state.pending.append((text, location))
            return true
        }
        if !isPending { Issue.record(Comment(rawValue: text), sourceLocation: location) }
    }

    func readDidFail(_ error: InjectleError, at location: (fileID: String, line: Int), blocksClose: Bool) {
        readDidFail(error, error.description, at: location, blocksClose: blocksClose)
    }

    func readDidFail(
        _ error: InjectleError,
        _ text: String,
        at location: (fileID: String, line: Int),
        blocksClose: Bool
    ) {
        // The service can be of the locator of another test.
        let scope = TestScope.current ?? self
        // A service without a placeholder has reported itself.
        if !(error.underlying is UnimplementedError) {
            scope.report(text, at: SourceLocation(location.fileID, location.line))
        }
        if blocksClose { state.withLock { $0.cannotClose = true } }
        scope.stopAndPark()
    }

    /// Ends the test, and blocks the calling thread permanently. Returns if that is not possible.
    private func stopAndPark() {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        (state.withLock { $0.executor } as? ScopeExecutor)?.stopAndPark()
    }

    private func reportUnused() {
        let (required, used) = state.withLock { ($0.required, $0.used) }
        for (identities, trait) in required where used.isDisjoint(with: identities) {
            let text = """
                \(identities[0]) is registered for this test, and nothing resolved it.
                  fix  remove the registration, or resolve the service from the locator of the test
                """
            report(text, at: traits[trait].sourceLocation)
        }
    }

    private func reportSurvivor(_ identity: Locator.Identity) {
        guard let trait = traits.first(where: \.reportsSurvivors) else { return }
        let path = state.withLock { $0.paths[identity] } ?? [identity]
        let text = """
            \(identity) was created in this test, and is alive after it.
              path  \(path.map(\.description).joined(separator: " → "))
              fix   release the object, or end the work that retains it, before the test ends
            """
        report(text, at: trait.sourceLocation)
    }

    // MARK: Events

    func handle(_ event: Locator.Event) {
        switch event.kind {
        case .didRegister:
            state.withLock { state in
                if let trait = state.registering { state.required.append((event.identities, trait)) }
            }
        case .didCreate where event.failure == nil:
            state.withLock { state in
                state.paths[event.identity] = event.path
                if isRecording { state.events.append(event) }
            }
        case .didResolve where event.failure == nil:
            state.withLock { state in
                state.used.insert(event.identity)
                if isRecording { state.events.append(event) }
            }
            if inherits, event.isInherited(by: locator, copied: copied) { reportLive(event) }
        default:
            break
        }
    }

    /// Records an issue for a service of the production locator, unless it is allowed.
    func reportLive(_ event: Locator.Event) {
        guard let live, !live.contains(ObjectIdentifier(event.identity.type)), let request = event.request else {
            return
        }
        let type = event.identity.typeExpression
        let text = """
            A service of the production locator was resolved in a test: \(event.identity)
              requested by  \(request.requester) in \(request.fileID):\(request.line)
              path          \(event.path.map(\.description).joined(separator: " → "))
              fix           .override(\(type)) { … }
              or            .live(allowing: \(type))
            """
        report(text, at: SourceLocation(request.fileID, request.line))
    }
}

/// Observes the default locator, from which most tests must not resolve.
private struct LiveReads: Locator.Behavior {
    let observedKinds: Set<Locator.Event.Kind> = [.didResolve]

    static let handle = Locator.default.add(LiveReads(), observesDescendants: false)

    func handle(_ event: Locator.Event) {
        // The dependencies of a service are resolved with it.
        if event.kind == .didResolve, event.isOutermost { TestScope.current?.reportLive(event) }
    }
}

/// Observes the reads that fail in code without an override, such as a detached task.
private struct UnattributedReads: PropertyObserver {
    let observedKinds: Set<Locator.Event.Kind> = []

    func handle(_ event: Locator.Event) {}

    func readDidFail(_ error: InjectleError, at location: (fileID: String, line: Int), blocksClose: Bool) {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let note = "detached tasks and threads have no override: create the object in the test, or use `Task { }`"
        let text = error.description + (error == .missing ? "\n  note          \(note)" : "")
        (TestScope.current ?? GlobalJobs.scope)?.readDidFail(error, text, at: location, blocksClose: blocksClose)
    }
}

/// A weak reference to an instance of a locator.
private struct WeakObject {
    let identity: Locator.Identity
    weak var object: AnyObject?
}

extension Testing.SourceLocation {
    /// The location of a property or of a request, whose path is unknown.
    init(_ fileID: String, _ line: Int) {
        self.init(
            fileID: fileID.contains("/") ? fileID : "Unknown/\(fileID)",
            filePath: fileID,
            line: max(1, line),
            column: 1
        )
    }
}
#endif
