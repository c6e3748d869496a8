#if canImport(Testing)
internal import Injectle
internal import Testing

extension TestScope {
    /// - Parameter required: The registrations that must be used, and the lines of their traits.
    func reportUnused(_ required: [(event: Locator.Event, location: SourceLocation)]) {
        lazy var used = Set(events.snapshot.filter { $0.kind == .didResolve }.map(\.identity))
        for (event, location) in required where used.isDisjoint(with: event.identities) {
            let text = """
                \(event.identity) is registered for this test, and nothing resolved it.
                  fix  remove the registration, or resolve the service from the locator of the test
                """
            issues.add(text, at: location)
        }
    }

    func reportSurvivor(_ identity: Locator.Identity, of trait: Locator.TestTrait) {
        let creation = events.withLock { $0.last { $0.kind == .didCreate && $0.identity == identity } }
        let text = """
            \(identity) was created in this test, and is alive after it.
              path  \((creation?.path ?? [identity]).map(\.description).joined(separator: " → "))
              fix   release the object, or end the work that retains it, before the test ends
            """
        issues.add(text, at: trait.sourceLocation)
    }

    /// Reports a service of the production locator, unless it is allowed.
    func reportLive(_ event: Locator.Event) {
        let isAllowed = live?.contains(ObjectIdentifier(event.identity.type)) ?? true
        guard !isAllowed, let request = event.request else { return }
        let type = Locator.Identity(event.identity.type).sourceText
        let text = """
            A service of the production locator was resolved in a test: \(event.identity)
              requested by  \(request.requester) in \(request.location.file):\(request.location.line)
              path          \(event.path.map(\.description).joined(separator: " → "))
              fix           .override(\(event.identity.sourceText)) { … }
              or            .live(allowing: \(type))
            """
        issues.add(text, at: SourceLocation(request.location))
    }
}

/// Observes the default locator, from which most tests must not resolve.
struct DefaultLocatorObserver: Locator.Behavior {
    static let handle = Locator.default.add(DefaultLocatorObserver(), observesDescendants: false)

    let observedKinds: Set<Locator.Event.Kind> = [.didResolve]

    func handle(_ event: Locator.Event) {
        // The dependencies of a service are resolved with it.
        if event.isOutermost { TestScope.current?.reportLive(event) }
    }
}

extension Testing.SourceLocation {
    /// The location of a property or of a request, whose path is unknown.
    init(_ location: RequestLocation) {
        let file = "\(location.file)"
        let fileID = file.contains("/") ? file : "Unknown/\(file)"
        self.init(fileID: fileID, filePath: file, line: max(1, Int(location.line)), column: 1)
    }
}
#endif
