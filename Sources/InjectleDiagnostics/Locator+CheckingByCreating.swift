public import Injectle

extension Locator {
    /// Creates each service of a copy once, and throws if one fails or resolves something that the registrations lack.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// try locator.check()  // does not see what the closure resolves
    /// do {
    ///     try await locator.checkByCreating()
    /// } catch {
    ///     print(error.findings.map(\.kind))  // Prints "[creationFailed]"
    /// }
    /// ```
    ///
    /// The check of closures. It first checks as `check()` does, and creates nothing if that finds a fault. Then it
    /// creates the services of `Locator(copying:)`, also async ones, records what their closures and properties
    /// resolve, compares that with the registrations of this locator, and closes the copy. Values of `.eager` are not
    /// created again. A request's services are created in its locator, whose values the test chooses:
    /// `try await locator.child("request") { … }.checkByCreating()`. Before the check, register mocks in place of
    /// services with effects that a test must not have.
    ///
    /// Objects that the program creates itself are created, too, and their properties resolve:
    ///
    /// ```swift
    /// final class GaragePage { @Injected(resolve: .eager) var database: Database }
    ///
    /// locator.register(.lazy { Database() })
    /// print(try await locator.checkByCreating { GaragePage() }.created)  // Prints "1"
    /// ```
    ///
    /// - Parameters:
    ///   - mode: Whether the check fails on notes, too.
    ///   - types: The types of services that are not created unless another service needs them, as with
    ///     `skippingCheck()`.
    ///   - objects: The objects that the program creates itself. They are created after the services.
    /// - Returns: The numbers of services that were created and left out.
    /// - Throws: ``CheckFailure`` with the findings.
    @discardableResult
    public func checkByCreating(
        _ mode: CheckMode = .lenient,
        allowing types: Any.Type...,
        @RootBuilder creating objects: () throws -> [Root] = RootBuilder.noRoots
    ) async throws(CheckFailure) -> CreationSummary {
        var roots = Roots(objects: create(objects), areAll: false, isOfCreation: true)
        try fail(with: DependencyGraph(of: facts, roots: roots).findingsBeforeCreation)
        let copy = Locator(copying: self)
        let recorder = DependencyRecorder()
        copy.add(recorder)
        let observer = CapturedLocatorObserver(copy: copy.facts.id)
        let handle = add(observer)
        defer { handle.remove() }
        var summary = CreationSummary()
        var failures = [Finding]()
        await copy.createServices(allowing: types, &summary, &failures)
        roots.objects = create(objects, in: copy)
        let graph = DependencyGraph(of: facts, roots: roots, recorder: recorder)
        await copy.close()
        let notes = mode == .strict ? observer.findings.snapshot : []
        try fail(with: failures + graph.findings(mode) + notes)
        return summary
    }

    /// Creates each service once, and adds the failures, each once for all that need the service.
    private func createServices(
        allowing types: [Any.Type],
        _ summary: inout CreationSummary,
        _ failures: inout [Finding]
    ) async {
        var seen: Set<String> = []
        for registration in facts.registrations where !registration.isSupplied {
            let isAllowed = types.contains { $0 == registration.identity.type || $0 == registration.serviceType }
            if isAllowed || registration.isSkipped || registration.creator(for: facts) == nil {
                summary.skipped += 1
            } else if registration.needsArguments {
                summary.needingArguments += 1
            } else {
                do throws(InjectleError) {
                    try await registration.create()
                    summary.created += 1
                } catch InjectleError.locatorNotFound where !registration.isSharedWithDescendants {
                    // A locator of another name has what it needs.
                    summary.skipped += 1
                } catch {
                    // A service that others need fails once, and so does one that lacks another.
                    let requester = error.underlying == nil ? error.path.last : nil
                    let cause = "\(requester.map(\.description) ?? "") \(error.identity ?? registration.identity)"
                    if seen.insert(cause).inserted { failures.append(Finding(failed: registration, error)) }
                }
            }
        }
    }

    /// The numbers of services that ``checkByCreating(_:allowing:creating:)`` has created.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.volatile { (locator, name: String) in User(name: name) })
    /// let summary = try await locator.checkByCreating()
    /// print(summary.created, summary.needingArguments)  // Prints "1 1"
    /// ```
    public struct CreationSummary: Hashable, Sendable {
        /// The services that were created.
        public fileprivate(set) var created = 0
        /// The services that were left out, since their closures declare arguments.
        public fileprivate(set) var needingArguments = 0
        /// The services that were left out by `allowing:` or `skippingCheck()`, or that belong to a locator with
        /// another name or need a service of one.
        public fileprivate(set) var skipped = 0
    }
}

/// Observes the locator whose copy creates the services, and its children: a closure of the copy resolves from one of
/// these only if it has captured that.
private final class CapturedLocatorObserver: Locator.Behavior {
    let observedKinds: Set<Locator.Event.Kind> = [.didResolve]
    let findings = Mutex<[Locator.Finding]>([])
    private let copy: ObjectIdentifier

    init(copy: ObjectIdentifier) {
        self.copy = copy
    }

    func handle(_ event: Locator.Event) {
        guard event.failure == nil, let registration = Locator.registrationInProgress, registration.locator.id == copy,
            !registration.isSkipped
        else { return }
        let name = registration.identity.description
        let finding = Locator.Finding(
            .unchecked,
            of: name,
            in: registration.location,
            "The closure of \(name) resolves \(event.identity) from a locator that it has captured.",
            fix: "resolve from the locator that the closure receives: `{ locator in … try locator.resolve() … }`",
            path: [name, event.identity.description]
        )
        findings.withLock { if !$0.contains(finding) { $0.append(finding) } }
    }
}

extension Locator.Finding {
    fileprivate init(failed registration: RegistrationFacts, _ error: InjectleError) {
        let name = registration.identity.description
        var fixes = error.fixes
        if fixes.isEmpty {
            fixes = [error.underlying == nil ? "register its dependencies" : "correct its closure or initializer"]
        }
        if error.underlying == nil {
            fixes.append("check a child that has them: `locator.child(…) { … }.checkByCreating()`")
        }
        self.init(
            .creationFailed,
            of: name,
            in: registration.location,
            "\(name) cannot be created. \(error.description.prefix { $0 != "\n" })",
            fix: fixes.joined(separator: ", or ") + "; or leave it out by `.skippingCheck()`",
            on: error.identity.map { ($0.description, nil) },
            path: (error.path + [error.identity].compactMap(\.self)).map(\.description)
        )
    }
}
