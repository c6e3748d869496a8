import Foundation

/// Compares the library with a model of its semantics, on random programs.
///
/// - Returns: The shortest program that shows a difference, and the difference. Nil if there is none.
package func compareWithModel(_ settings: Settings) async -> String? {
    var seed = settings.seed
    var executed = 0
    let begin = ContinuousClock.now
    while settings.continues(after: executed, since: begin) {
        // A trap in a program prints no seed.
        if (seed - settings.seed) % 1000 == 0 { FileHandle.standardError.write(Data("from seed \(seed)\n".utf8)) }
        let program = Generator.program(seed: seed, count: settings.length)
        if let first = await Runner.run(program) {
            print("Shrinking the program of seed \(seed), which fails in statement \(first.index).")
            let shortest = await Shrinker.shrink(program) { await Runner.run($0) != nil }
            let divergence = await Runner.run(shortest)
            return """
                The library and the model differ. Again: INJECTLE_FUZZ_SEED=\(seed)
                \(shortest.map(\.description).joined(separator: "\n"))
                \(divergence?.description ?? "Not again, but before:\n\(first)")
                """
        }
        executed += program.count
        seed += 1
        // Other tests need the thread, too.
        await Task.yield()
    }
    print("\(executed) operations, seeds \(settings.seed) to \(seed - 1), in \(ContinuousClock.now - begin)")
    return nil
}

/// Uses locators from many threads and tasks at once, and checks the promises that hold in any order of events.
///
/// - Returns: The promises that were broken, or nil. The same seed can give another result.
package func useConcurrently(_ settings: Settings) async -> String? {
    let operations = 100
    let activities = (0..<ConcurrentRound.threads + ConcurrentRound.tasks).map { _ in Activity() }
    let watchdog = Watchdog(activities, limit: 120)
    defer { watchdog.stop() }
    let begin = ContinuousClock.now
    var rounds = 0
    while settings.continues(after: rounds * operations, since: begin) {
        let seed = settings.seed + UInt64(rounds)
        let violations = await ConcurrentRound(seed: seed, operations: operations).run(activities)
        if !violations.isEmpty { return "error: round \(seed):\n\(violations.prefix(20).joined(separator: "\n"))" }
        rounds += 1
    }
    print("\(rounds) rounds, in \(ContinuousClock.now - begin)")
    return nil
}
