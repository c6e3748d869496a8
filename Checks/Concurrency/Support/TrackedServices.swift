/// Has the same name as a type of another module.
public struct Config: Sendable {
    public let origin = "InjectleTestSupport"
    public init() {}
}

/// A service that counts its creation and its release.
public final class Tracked: Sendable {
    /// Counts instances.
    public final class Log: Sendable {
        private let counts = Guarded((created: 0, released: 0))

        public init() {}

        public var created: Int { counts.value.created }

        public var released: Int {
            counts.value.released
        }

        public var alive: Int {
            counts.withLock { $0.created - $0.released }
        }

        /// Yields until no instance is alive, or until the calling task is cancelled, as by a time limit.
        ///
        /// A task may retain its new instance for a moment after its waiters have resumed.
        public func becomesEmpty() async -> Bool {
            while alive > 0, !Task.isCancelled { await Task.yield() }
            return alive == 0
        }

        fileprivate func created(by change: Int) { counts.withLock { $0.created += change } }
        fileprivate func released(by change: Int) { counts.withLock { $0.released += change } }
    }

    private let log: Log

    public init(_ log: Log) {
        self.log = log
        log.created(by: 1)
    }

    deinit { log.released(by: 1) }
}
