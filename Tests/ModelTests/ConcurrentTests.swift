import Testing

/// Uses locators from many threads and tasks at once, and checks the promises that hold in any order of events.
@Suite struct ConcurrentTests {
    @Test func `Threads and tasks get what the library promises`() async {
        let settings = Settings()
        let seconds = settings.seconds ?? settings.concurrentSeconds
        let activities = (0..<ConcurrentRound.threads + ConcurrentRound.tasks).map { _ in Activity() }
        let watchdog = Watchdog(activities, limit: .seconds(120))
        defer { watchdog.stop() }
        let begin = ContinuousClock.now
        var seed = settings.seed
        while ContinuousClock.now - begin < .seconds(seconds) {
            let violations = await ConcurrentRound(seed: seed, operations: 100).run(activities)
            if !violations.isEmpty {
                Issue.record("Round \(seed):\n\(violations.prefix(20).joined(separator: "\n"))")
                return
            }
            seed += 1
        }
        print("\(seed - settings.seed) rounds in \(ContinuousClock.now - begin)")
    }
}
