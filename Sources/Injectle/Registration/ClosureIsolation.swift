/// Where a registration's closure runs.
enum ClosureIsolation: Sendable {
    /// On whichever thread asks.
    case anywhere
    /// On the main actor.
    case mainActor
    /// On the actor it was written on.
    case actor(WeakReference, any Actor.Type)

    /// The place of a closure that was written in the given isolation.
    @inline(__always)
    init(_ isolation: (any Actor)?) {
        if let isolation { self = ClosureIsolation.on(isolation) } else { self = .anywhere }
    }

    private static func on(_ actor: any Actor) -> ClosureIsolation {
        actor === MainActor.shared ? .mainActor : .actor(WeakReference(actor), type(of: actor))
    }

    /// The actor. Nil if there is none, or if it was released.
    var actor: (any Actor)? {
        switch self {
        case .anywhere: nil
        case .mainActor: MainActor.shared
        case .actor(let reference, _): reference.object as? any Actor
        }
    }

    /// How errors call it.
    var name: String {
        switch self {
        case .anywhere: "any thread"
        case .mainActor: "the main actor"
        case .actor(_, let type): "the actor \(spelled(type))"
        }
    }

    /// Whether it is an actor, main or not.
    var isActor: Bool { if case .anywhere = self { false } else { true } }

    var isMainActor: Bool { if case .mainActor = self { true } else { false } }

    /// Whether the calling code already runs there.
    var isHere: Bool {
        switch self {
        case .anywhere: true
        // The executor of the main actor need not be the main thread.
        case .mainActor: MainActorBridge.isMainThread || MainActor.shared.isCurrent
        case .actor: actor?.isCurrent ?? false
        }
    }

    /// Whether both are the same actor.
    func isSameActor(as other: ClosureIsolation) -> Bool {
        switch self {
        case .anywhere: false
        case .mainActor: other.isMainActor
        case .actor: actor.map { $0 === other.actor } ?? false
        }
    }
}

extension AnyRecord {
    /// Whether the closure may run on the calling thread.
    final var runsHere: Bool { !traits.isIsolated || traits.isolation.isHere }
}

extension ClosureIsolation {
    /// Calls `body` on the actor, or right here if it is none.
    ///
    /// - Throws: What `body` throws, and ``CreationFailure/actorHasGone``.
    func run<Value>(_ body: @escaping () throws -> Value) async throws -> Value {
        if actor == nil, isActor { throw CreationFailure.actorHasGone }
        // It is called once, while the caller waits, and only the caller gets its result.
        return try await call(UncheckedBox(body), on: actor).value
    }

    private func call<Value>(
        _ body: UncheckedBox<() throws -> Value>,
        on actor: isolated (any Actor)?
    ) async throws -> UncheckedBox<Value> {
        UncheckedBox(try body.value())
    }
}
