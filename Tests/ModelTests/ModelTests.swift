import Testing

/// Compares the library with a model of its semantics, on random programs.
@Suite struct ModelTests {
    @Test func `Random programs behave as in the model`() async {
        let settings = Settings()
        var seed = settings.seed
        var executed = 0
        let begin = ContinuousClock.now
        while settings.continues(after: executed, since: begin) {
            let program = Generator.program(seed: seed, count: settings.length)
            if let first = await Runner.run(program) {
                print("Shrinking the program of seed \(seed), which fails in statement \(first.index).")
                let shortest = await Shrinker.shrink(program) { await Runner.run($0) != nil }
                let divergence = await Runner.run(shortest)
                Issue.record(
                    """
                    The library and the model differ. Again: INJECTLE_FUZZ_SEED=\(seed)
                    \(shortest.map(\.description).joined(separator: "\n"))
                    \(divergence?.description ?? "Not again, but before:\n\(first)")
                    """
                )
                return
            }
            executed += program.count
            seed += 1
            // Other tests need the thread, too.
            await Task.yield()
        }
        print("\(executed) operations, seeds \(settings.seed) to \(seed - 1), in \(ContinuousClock.now - begin)")
    }
}
