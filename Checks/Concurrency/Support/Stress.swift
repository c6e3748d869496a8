import Foundation

/// The number of rounds of a stress test, scaled by the factor in the environment's `INJECTLE_STRESS`, such as 10 or
/// 0.25.
///
/// Without it, a test runs a fifth of its rounds: `.ci/run` and `Scripts/stress` run all.
public enum Stress {
    private static let factor = ProcessInfo.processInfo.environment["INJECTLE_STRESS"].flatMap(Double.init) ?? 0.2

    /// Returns a number of rounds that scales up and down.
    public static func rounds(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }
}
