import Foundation

/// How many rounds a stress test runs, as the environment's `INJECTLE_STRESS` says: a factor, such as 10 or 0.25.
public enum Stress {
    private static let factor = ProcessInfo.processInfo.environment["INJECTLE_STRESS"].flatMap(Double.init) ?? 1

    /// Rounds of which there can be any number.
    public static func rounds(_ count: Int) -> Int { max(1, Int(Double(count) * factor)) }

    /// Rounds that are promised: all of them, unless fewer are asked for, as where each takes much longer.
    public static func promised(_ count: Int) -> Int { max(1, Int(Double(count) * min(factor, 1))) }
}
