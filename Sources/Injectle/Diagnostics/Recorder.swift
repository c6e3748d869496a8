extension Locator {
    /// A behavior that records what is made and handed out, to see where the time of a start goes.
    ///
    /// ```swift
    /// let recorder = Locator.Recorder()
    /// let observation = Locator.default.add(recorder)
    /// // … what the program does at its start …
    /// observation.remove()
    /// print(recorder)
    /// ```
    ///
    /// prints what was made, that which took longest itself first:
    ///
    /// ```text
    ///    own ms   total ms
    ///    41.302     41.302  Database (lazy), for Garage
    ///     0.118     41.420  Garage (lazy)
    /// 2 made in 41.420 ms, 3 resolved
    /// ```
    ///
    /// ``chromeTrace`` is the same as a picture. It can be read at any time and on any thread.
    public final class Recorder: Behavior, CustomStringConvertible {
        /// Something that was recorded.
        public struct Entry: Sendable {
            /// What has happened: ``Event/Kind/didCreate``, ``Event/Kind/didResolve`` or ``Event/Kind/didWait``.
            public let event: Event

            /// How long it took without what it called for.
            ///
            /// For a making that is the time of its closure and its hooks without that of the services they asked for.
            public fileprivate(set) var ownDuration: Duration

            /// How long it took.
            public var duration: Duration { event.duration ?? .zero }

            /// The moment when it had ended.
            var ended: ContinuousClock.Instant { event.began + duration }
        }

        fileprivate struct State {
            var entries: [Entry] = []
            var leftOut = 0
            /// By thread, what has ended there and was not called for by what has ended after it.
            var outermost: [UInt64: [(began: ContinuousClock.Instant, duration: Duration)]] = [:]
        }

        private let limit: Int
        private let lock = Lock()
        // Sound to share: touched only under `lock`.
        private nonisolated(unsafe) var state = State()

        /// Makes a recorder.
        ///
        /// - Parameter limit: How many entries it keeps. What comes after is counted only.
        public init(limit: Int = 100_000) {
            self.limit = limit
        }

        public func didCreate(_ event: Event) { record(event) }
        public func didResolve(_ event: Event) { record(event) }
        public func didWait(_ event: Event) { record(event) }

        private func record(_ event: Event) {
            lock.withLock {
                guard state.entries.count < limit else { return state.leftOut += 1 }
                var entry = Entry(event: event, ownDuration: event.duration ?? .zero)
                if !event.isAsynchronous { entry.ownDuration -= state.takeCalled(by: entry) }
                state.entries.append(entry)
            }
        }

        /// What was recorded, in the order in which it ended.
        ///
        /// - Complexity: O(*n*), and as much again for each of them that has awaited.
        public var entries: [Entry] {
            var entries = lock.withLock { state.entries }
            for index in entries.indices where entries[index].event.isAsynchronous {
                entries[index].ownDuration -= Recorder.timeCalled(by: entries[index], in: entries)
            }
            return entries
        }

        /// How many there was no room for.
        public var leftOut: Int { lock.withLock { state.leftOut } }

        /// Forgets what was recorded.
        public func reset() {
            let old = lock.withLock {
                defer { state = State() }
                return state
            }
            withExtendedLifetime(old) {}
        }

        /// The time that others took which were called for in a task: those that have it on their path, on whichever
        /// thread, and perhaps side by side.
        private static func timeCalled(by caller: Entry, in entries: [Entry]) -> Duration {
            let path = caller.event.path
            let called = entries.filter { entry in
                entry.event.path.count > path.count && entry.event.began >= caller.event.began
                    && entry.ended <= caller.ended && entry.event.path.starts(with: path)
            }
            var time = Duration.zero
            var end: ContinuousClock.Instant?
            for entry in called.sorted(by: { $0.event.began < $1.event.began }) {
                let begin = max(entry.event.began, end ?? entry.event.began)
                if entry.ended > begin { time += begin.duration(to: entry.ended) }
                end = max(entry.ended, end ?? entry.ended)
            }
            return time
        }

        // MARK: As text

        /// What was made, in lines: that which took longest itself first.
        public var report: String {
            let entries = entries
            let made = entries.filter { $0.event.kind == .didCreate }
            var lines = ["    own ms   total ms"]
            for entry in made.sorted(by: { $0.ownDuration > $1.ownDuration }) {
                let event = entry.event
                let callers = event.path.dropLast().map(\.description).joined(separator: " → ")
                lines.append(
                    Recorder.column(entry.ownDuration) + " " + Recorder.column(entry.duration)
                        + "  \(event.identity) (\(event.lifetime))" + (callers.isEmpty ? "" : ", for \(callers)")
                        + (event.failure == nil ? "" : ", failed")
                )
            }
            let total = made.reduce(Duration.zero) { $0 + $1.ownDuration }
            let resolved = entries.count { $0.event.kind == .didResolve }
            var summary = "\(made.count) made in \(total.inMilliseconds) ms, \(resolved) resolved"
            let waits = entries.filter { $0.event.kind == .didWait }
            if !waits.isEmpty {
                let time = waits.reduce(Duration.zero) { $0 + $1.duration }
                summary += ", \(waits.count) waited \(time.inMilliseconds) ms for the main actor"
            }
            if leftOut > 0 { summary += ", \(leftOut) not recorded" }
            return (lines + [summary]).joined(separator: "\n")
        }

        /// The ``report``.
        public var description: String { report }

        private static func column(_ duration: Duration) -> String {
            let text = duration.inMilliseconds
            return String(repeating: " ", count: max(0, 10 - text.count)) + text
        }
    }
}

extension Locator.Recorder.State {
    /// The time of what an entry has called for on its thread. From now on that is part of it.
    ///
    /// Whatever ended on this thread since it began was called for by it, since it kept the thread.
    fileprivate mutating func takeCalled(by entry: Locator.Recorder.Entry) -> Duration {
        var outermost = outermost[entry.event.thread] ?? []
        var time = Duration.zero
        while let last = outermost.last, last.began >= entry.event.began {
            time += last.duration
            outermost.removeLast()
        }
        outermost.append((entry.event.began, entry.duration))
        self.outermost[entry.event.thread] = outermost
        return time
    }
}
