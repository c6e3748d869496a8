import Foundation
import InjectleTestSupport

/// The extent of a run, from the environment.
struct Settings {
    /// INJECTLE_FUZZ_SEED: the first seed.
    let seed: UInt64
    /// INJECTLE_FUZZ_OPERATIONS: the number of operations of the model test, otherwise scaled by INJECTLE_STRESS.
    let operations: Int
    /// INJECTLE_FUZZ_SECONDS: the duration, instead of a number of operations.
    let seconds: Int?
    /// The duration of the concurrent test without INJECTLE_FUZZ_SECONDS.
    let concurrentSeconds = 3
    /// The number of statements of a program.
    let length = 60

    #if DEBUG
    private static let defaultOperations = 20_000
    #else
    private static let defaultOperations = 200_000
    #endif

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        seed = environment["INJECTLE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
        operations =
            environment["INJECTLE_FUZZ_OPERATIONS"].flatMap(Int.init) ?? Stress.rounds(Settings.defaultOperations)
        seconds = environment["INJECTLE_FUZZ_SECONDS"].flatMap(Int.init)
    }

    func continues(after executed: Int, since begin: ContinuousClock.Instant) -> Bool {
        guard let seconds else { return executed < operations }
        return ContinuousClock.now - begin < .seconds(seconds)
    }
}
