/// A disposer of one instance.
@usableFromInline struct Disposer {
    /// A synchronous disposer, and the actor on which it may be called.
    struct Synchronous {
        let isolation: ClosureIsolation
        let run: () throws -> Void
    }

    /// Nil for an async disposer.
    let synchronous: Synchronous?
    /// Runs it where it belongs.
    let run: @concurrent @Sendable () async throws -> Void
}
