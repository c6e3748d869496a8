/// A type that another module has by the same name.
public struct Config: Sendable {
    public let origin = "InjectleTestSupport"
    public init() {}
}

/// Has a type that a parent beside it has by the same name.
public enum Left {
    public final class Engine: Sendable {
        public init() {}
    }
}

/// Has a type that a parent beside it has by the same name.
public enum Right {
    public final class Engine: Sendable {
        public init() {}
    }
}

/// Tells when it is made and when it goes.
public final class Tracked: Sendable {
    /// How many there are and have been.
    public final class Log: Sendable {
        private let counts = Guarded((made: 0, gone: 0))

        public init() {}

        public var made: Int { counts.value.made }
        public var gone: Int { counts.value.gone }
        public var alive: Int { counts.withLock { $0.made - $0.gone } }

        /// Lets others run until none is alive, or the calling task is cancelled, as by a time limit.
        ///
        /// What a task has made, it may hold for a moment longer than those who waited for it take to go on.
        public func isEmptied() async -> Bool {
            while alive > 0, !Task.isCancelled { await Task.yield() }
            return alive == 0
        }

        fileprivate func made(by change: Int) { counts.withLock { $0.made += change } }
        fileprivate func gone(by change: Int) { counts.withLock { $0.gone += change } }
    }

    private let log: Log

    public init(_ log: Log) {
        self.log = log
        log.made(by: 1)
    }

    deinit { log.gone(by: 1) }
}
