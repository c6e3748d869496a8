/// Where a registration's closure runs.
enum ClosureIsolation {
    /// On whichever thread asks.
    case anywhere
    /// On the main actor.
    case mainActor
    /// On the actor it was written on.
    case actor(WeakActor)

    /// An actor, without keeping it alive.
    final class WeakActor: @unchecked Sendable {
        // Sound to share: the reference is set once, and reading a weak one is safe on any thread.
        private let address: ObjectIdentifier
        private(set) weak var actor: (any Actor)?
        let type: any Actor.Type

        init(_ actor: any Actor) {
            address = ObjectIdentifier(actor)
            self.actor = actor
            type = Swift.type(of: actor)
        }

        /// Whether this is that actor, and not a later one at its address.
        func isSame(as other: any Actor) -> Bool {
            address == ObjectIdentifier(other) && actor != nil
        }
    }

    /// The place of a closure that was written in the given isolation.
    @inline(__always)
    init(_ isolation: (any Actor)?) {
        if let isolation { self = ClosureIsolation.on(isolation) } else { self = .anywhere }
    }

    private static func on(_ actor: any Actor) -> ClosureIsolation {
        actor === MainActor.shared ? .mainActor : .actor(WeakActor(actor))
    }

    /// How errors call it.
    var name: String {
        switch self {
        case .anywhere: "any thread"
        case .mainActor: "the main actor"
        case .actor(let boundLocator): "the actor \(spelled(boundLocator.type))"
        }
    }

    /// Whether it is an actor, main or not.
    var isActor: Bool {
        if case .anywhere = self { false } else { true }
    }

    var isMainActor: Bool {
        if case .mainActor = self { true } else { false }
    }

    /// Whether the calling code already runs there.
    var isHere: Bool {
        switch self {
        case .anywhere: true
        // The executor of the main actor need not be the main thread.
        case .mainActor: MainActorBridge.isMainThread || MainActor.shared.isCurrent
        case .actor(let bound): bound.actor?.isCurrent ?? false
        }
    }

    /// Whether both are the same actor.
    func isSameActor(as other: ClosureIsolation) -> Bool {
        switch (self, other) {
        case (.mainActor, .mainActor): true
        case (.actor(let bound), .actor(let other)): other.actor.map(bound.isSame) ?? false
        default: false
        }
    }
}

extension ClosureIsolation {
    /// Calls `body` on the actor, or right here if it is none.
    ///
    /// - Throws: What `body` throws, and ``CreationFailure/actorHasGone``.
    func run<Value>(_ body: @escaping () throws -> Value) async throws -> Value {
        let actor: (any Actor)? =
            switch self {
            case .anywhere: nil
            case .mainActor: MainActor.shared
            case .actor(let boundLocator): boundLocator.actor
            }
        if actor == nil, isActor { throw CreationFailure.actorHasGone }
        // Sound: it is called once, while the caller waits, and only the caller gets its result.
        nonisolated(unsafe) let body = body
        return try unsafe await call(body, on: actor).value
    }

    private func call<Value>(
        _ body: () throws -> Value,
        on actor: isolated (any Actor)?
    ) async throws -> UncheckedBox<Value> {
        UncheckedBox(value: try body())
    }
}

/// The errors of the library's own closures. `InjectleError.creation` replaces those that have codes of their own.
enum CreationFailure: Error, CustomStringConvertible {
    case actorHasGone
    /// The `copy(with:)` of a type returned a value of another type.
    case notACopy(of: Any.Type)
    /// A service could not be decoded from a file.
    case unreadable(file: String, any Error)

    var description: String {
        guard case .notACopy(let type) = self else { return "" }
        return "`copy(with:)` of \(spelled(type)) returned something that is no \(spelled(type))"
    }
}
