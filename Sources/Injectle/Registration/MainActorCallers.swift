/// The source lines from which callers elsewhere have reached a closure of the main actor.
///
/// Invariant: `locations` is accessed under `lock`.
final class MainActorCallers: @unchecked Sendable {
    // Sound to share: see the invariant.

    private let lock = Lock()
    private var locations: Set<SourceLocation> = []

    /// Adds a caller, up to a number at which the diagnosis no longer changes.
    func insert(_ location: SourceLocation) {
        lock.withLock { if locations.count < 100 { locations.insert(location) } }
    }

    /// The source lines, in order of their text.
    var all: [String] { lock.withLock { locations }.map(\.description).sorted() }

    var count: Int { lock.withLock { locations.count } }
}

extension RegistrationRecord {
    /// Adds a caller that had to wait for the main actor to run the closure.
    func noteMainActorCaller(of request: ResolveRequest) {
        guard case .mainActor = isolation else { return }
        mainActorCallers?.insert(request.location)
    }
}
