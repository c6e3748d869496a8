extension Locator {
    /// A behavior that records what is made and handed out, to see where the time of a start goes.
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
    /// Printed itself, it shows what was made, that which took longest itself first:
    ///
    /// ```text
    ///     own ms   total ms
    ///     41.302     41.302  App.Database (lazy), for App.Garage
    ///      0.118     41.420  App.Garage (lazy)
    /// 2 created in 41.420 ms, 2 resolved
    /// ```
    ///
    /// ``chromeTrace`` is the same as a picture. It can be read at any time and on any thread, also while it records.
    /// See <doc:WatchingALocator>.
    public final class Recorder: Behavior, CustomStringConvertible {
        /// Something that was recorded.
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
        /// It has no service in it, so it can be kept, and handed to any thread.
        public struct Entry: Sendable {
            /// What has happened: ``Event/Kind/didCreate``, ``Event/Kind/didResolve`` or ``Event/Kind/didWait``.
            public let event: Event

            /// How long it took without what it called for.
            ///
            /// For a making that is the time of its closure and its hooks without that of the services they asked for.
            public fileprivate(set) var ownDuration: Duration

            /// How long it took, with what it called for.
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
        /// ```swift
        /// let recorder = Locator.Recorder(limit: 1)
        /// locator.add(recorder)
        /// locator.register(.lazy { Garage() })
        /// _ = try locator.resolve(Garage.self)
        /// print(recorder.entries.count, recorder.leftOut)  // Prints "1 1"
        /// ```
        ///
        /// - Parameter limit: How many entries it keeps. What comes after is counted only.
        /// - Complexity: O(1)
        public init(limit: Int = 100_000) {
            self.limit = limit
        }

        /// Records that a service was made, or that this failed.
        ///
        /// ```swift
        /// let recorder = Locator.Recorder()
        /// locator.add(recorder)
        /// locator.register(.lazy { Garage() })
        /// _ = try locator.resolve(Garage.self)
        /// print(recorder.entries[0].event.kind)  // Prints "didCreate"
        /// ```
        ///
        /// - Parameter event: What is recorded, as long as there is room.
        /// - Complexity: O(1), amortized.
        public func didCreate(_ event: Event) { record(event) }

        /// Records that a service was handed out.
        ///
        /// ```swift
        /// let recorder = Locator.Recorder()
        /// locator.add(recorder)
        /// locator.register(.eager(Lamp()))
        /// _ = try locator.resolve(Lamp.self)
        /// print(recorder.entries[0].event.kind)  // Prints "didResolve"
        /// ```
        ///
        /// - Parameter event: What is recorded, as long as there is room.
        /// - Complexity: O(1), amortized.
        public func didResolve(_ event: Event) { record(event) }

        /// Records that a thread has waited for the main actor.
        ///
        /// ```swift
        /// @MainActor final class ViewModel {}
        /// let recorder = Locator.Recorder()
        /// locator.add(recorder)
        /// locator.register(.lazy(.main) { ViewModel() })
        /// _ = try await Task.detached { try locator.resolve(ViewModel.self) }.value
        /// print(recorder.entries.contains { $0.event.kind == .didWait })  // Prints "true"
        /// ```
        ///
        /// - Parameter event: What is recorded, as long as there is room.
        /// - Complexity: O(1), amortized.
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
        /// - Complexity: O(*n*), and O(*n* log *n*) for each of them that has awaited.
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
        /// It goes on recording.
        ///
        /// - Complexity: O(*n*) in the number of entries.
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
        ///
        /// - Complexity: That of ``entries``, and O(*n* log *n*).
        public var report: String {
            let entries = entries
            let created = entries.filter { $0.event.kind == .didCreate }
            var lines = ["    own ms   total ms"]
            for entry in created.sorted(by: { $0.ownDuration > $1.ownDuration }) {
                let event = entry.event
                let callers = event.path.dropLast().map(\.description).joined(separator: " → ")
                lines.append(
                    Recorder.column(entry.ownDuration) + " " + Recorder.column(entry.duration)
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

        /// What ``report`` is.
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
        // Taken out while it changes, since it would be copied as a whole if the dictionary had it, too.
        var outermost = self.outermost.removeValue(forKey: entry.event.thread) ?? []
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
