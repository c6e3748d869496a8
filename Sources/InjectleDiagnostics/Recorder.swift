public import Injectle

extension Locator {
    /// A behavior that records creations and resolves, to measure the start of a program.
    ///
    /// ```swift
    /// let recorder = Locator.Recorder()
    /// let observation = locator.add(recorder)
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// _ = try locator.resolve(Garage.self)
    /// observation.remove()
    /// print(recorder.entries.map(\.event.kind))  // Prints "[didCreate, didResolve, didCreate, didResolve]"
    /// ```
    ///
    /// Its description lists the creations, those with the longest own duration first:
    ///
    /// ```text
    ///     own ms   total ms
    ///     41.302     41.302  App.Database (lazy), for App.Garage
    ///      0.118     41.420  App.Garage (lazy)
    /// 2 created in 41.420 ms, 2 resolved
    /// ```
    ///
    /// ``chromeTrace`` exports the same as a trace. Any thread can read it at any time, also while it records. See
    /// ``InjectleDiagnostics``.
    public final class Recorder: Behavior, CustomStringConvertible {
        /// A recorded event.
        ///
        /// ```swift
        /// let recorder = Locator.Recorder()
        /// locator.add(recorder)
        /// locator.register(.eager(Lamp()))
        /// _ = try locator.resolve(Lamp.self)
        /// for entry in recorder.entries { print(entry.event.kind, entry.duration >= entry.ownDuration) }
        /// // Prints "didResolve true"
        /// ```
        ///
        /// It contains no instances, and any thread can use it.
        public struct Entry: Sendable {
            /// The event: `didCreate`, `didResolve` or `didWait`.
            public let event: Event

            /// The duration without the nested events.
            ///
            /// For a creation, the time of its closure and its hooks without the services they resolve.
            public fileprivate(set) var ownDuration: Duration

            /// The duration, nested events included.
            public var duration: Duration { event.duration ?? .zero }

            /// The end of the event.
            var ended: ContinuousClock.Instant { event.began + duration }
        }

        /// The kinds of events that it records.
        public let observedKinds: Set<Event.Kind> = [.didCreate, .didResolve, .didWait]

        private struct State {
            var entries: [Entry] = []
            var skipped = 0
            /// By thread, the entries that no later entry of the thread contains.
            var outermost: [UInt64: [Entry]] = [:]

            /// The time of the entries that an entry of the same thread contains, which are part of it from now on: all
            /// that have ended on the thread since the entry began.
            mutating func takeCalled(by entry: Entry) -> Duration {
                let thread = entry.event.thread
                var time = Duration.zero
                while let last = outermost[thread]?.last, last.event.began >= entry.event.began {
                    time += last.duration
                    outermost[thread]?.removeLast()
                }
                outermost[thread, default: []].append(entry)
                return time
            }
        }

        private let limit: Int
        private let state = Mutex(State())

        /// Creates a recorder.
        ///
        /// ```swift
        /// let recorder = Locator.Recorder(limit: 1)
        /// locator.add(recorder)
        /// locator.register(.lazy { Garage() })
        /// _ = try locator.resolve(Garage.self)
        /// print(recorder.entries.count, recorder.leftOut)  // Prints "1 1"
        /// ```
        ///
        /// - Parameter limit: The maximum number of entries. Further events are only counted.
        /// - Complexity: O(1)
        public init(limit: Int = 100_000) {
            self.limit = limit
        }

        /// Records a creation, a resolve or a wait for the main actor, and their failures.
        ///
        /// ```swift
        /// let recorder = Locator.Recorder()
        /// locator.add(recorder)
        /// locator.register(.eager(Lamp()))
        /// _ = try locator.resolve(Lamp.self)
        /// print(recorder.entries[0].event.kind)  // Prints "didResolve"
        /// ```
        ///
        /// - Parameter event: The event, which is only counted once the limit is reached. Other kinds are ignored.
        /// - Complexity: O(1), amortized.
        public func handle(_ event: Event) {
            guard observedKinds.contains(event.kind) else { return }
            state.withLock { state in
                guard state.entries.count < limit else { return state.skipped += 1 }
                var entry = Entry(event: event, ownDuration: event.duration ?? .zero)
                if !event.isAsynchronous { entry.ownDuration -= state.takeCalled(by: entry) }
                state.entries.append(entry)
            }
        }

        /// The recorded events, in the order of their ends.
        ///
        /// - Complexity: O(*n*), and O(*n* log *n*) for each async event.
        public var entries: [Entry] {
            var entries = state.withLock { $0.entries }
            for index in entries.indices where entries[index].event.isAsynchronous {
                entries[index].ownDuration -= Recorder.timeCalled(by: entries[index], in: entries)
            }
            return entries
        }

        /// The number of events beyond the limit.
        public var leftOut: Int { state.withLock { $0.skipped } }

        /// Removes all entries.
        ///
        /// ```swift
        /// let recorder = Locator.Recorder()
        /// locator.add(recorder)
        /// locator.register(.eager(Lamp()))
        /// _ = try locator.resolve(Lamp.self)
        /// recorder.reset()
        /// print(recorder.entries.isEmpty)  // Prints "true"
        /// ```
        ///
        /// The recorder continues to record.
        ///
        /// - Complexity: O(*n*) in the number of entries.
        public func reset() {
            // Released without the lock.
            _ = state.withLock { state in
                defer { state = State() }
                return state
            }
        }

        /// The time of the events that an async event contains: those with its path, on any thread, which can overlap.
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

        /// The creations, one a line, those with the longest own duration first.
        ///
        /// - Complexity: The same as of ``entries``, plus O(*n* log *n*).
        public var report: String {
            let entries = entries
            let created = entries.filter { $0.event.kind == .didCreate }
            var lines = ["    own ms   total ms"]
            func column(_ duration: Duration) -> String {
                let text = duration.inMilliseconds
                return String(repeating: " ", count: max(0, 10 - text.count)) + text
            }
            for entry in created.sorted(by: { $0.ownDuration > $1.ownDuration }) {
                let event = entry.event
                let callers = event.path.dropLast().map(\.description).joined(separator: " → ")
                lines.append(
                    column(entry.ownDuration) + " " + column(entry.duration)
                        + "  \(event.identity) (\(event.lifetime))" + (callers.isEmpty ? "" : ", for \(callers)")
                        + (event.failure == nil ? "" : ", failed")
                )
            }
            let total = created.reduce(Duration.zero) { $0 + $1.ownDuration }
            let resolved = entries.count { $0.event.kind == .didResolve }
            var summary = "\(created.count) created in \(total.inMilliseconds) ms, \(resolved) resolved"
            let waits = entries.filter { $0.event.kind == .didWait }
            if !waits.isEmpty {
                let time = waits.reduce(Duration.zero) { $0 + $1.duration }
                summary += ", \(waits.count) waited \(time.inMilliseconds) ms for the main actor"
            }
            if leftOut > 0 { summary += ", \(leftOut) not recorded" }
            return (lines + [summary]).joined(separator: "\n")
        }

        /// The same as ``report``.
        public var description: String { report }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// In milliseconds, with three decimals.
    var inMilliseconds: String {
        let microseconds = (nanoseconds + 500) / 1_000
        return "\(microseconds / 1_000).\("\(1_000 + abs(microseconds) % 1_000)".dropFirst())"
    }
}
