extension Duration {
    /// In nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// In milliseconds, with three decimals.
    var inMilliseconds: String {
        let (whole, fraction) = (nanoseconds / 1_000).magnitude.quotientAndRemainder(dividingBy: 1_000)
        return "\(nanoseconds <= -1_000 ? "-" : "")\(whole).\(String(fraction + 1_000).dropFirst())"
    }

    /// A duration from zero to ten years, which no sum with the current time overflows, in any representation.
    var clamped: Duration { min(max(self, .zero), .seconds(10 * 365 * 86_400)) }

    /// For Dispatch: its nanoseconds are an `Int`, which has no more than two seconds of them where it has 32 bits.
    var seconds: Double { Double(nanoseconds) / 1e9 }
}
