import Foundation

/// The number of rounds of a stress test, scaled by the factor in the environment's `INJECTLE_STRESS`, such as 10 or 0.25.
public enum Stress {
    private static let factor = ProcessInfo.processInfo.environment["INJECTLE_STRESS"].flatMap(Double.init) ?? 1

    /// Returns a number of rounds that scales up and down.
    public static func rounds(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }

    /// Returns a number of rounds that scales down only, for documented numbers.
    public static func promised(_ count: Int) -> Int { max(1, Int(Double(count) * min(factor, 1))) }
}
