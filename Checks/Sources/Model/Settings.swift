import Foundation

/// The extent of a run of random programs.
package struct Settings: Sendable {
    /// The first seed.
    let seed: UInt64
    let extent: Extent
    /// The number of statements of a program.
    let length = 60

    package enum Extent: Sendable {
        /// At least this many statements.
        case operations(Int)
        case seconds(Int)
    }

    /// - Parameter seed: The first seed, unless INJECTLE_FUZZ_SEED has one.
    package init(_ extent: Extent, seed: UInt64 = 1) {
        self.extent = extent
        self.seed = ProcessInfo.processInfo.environment["INJECTLE_FUZZ_SEED"].flatMap(UInt64.init) ?? seed
    }

    func continues(after executed: Int, since begin: ContinuousClock.Instant) -> Bool {
        switch extent {
        case .operations(let count): executed < count
        case .seconds(let seconds): ContinuousClock.now - begin < .seconds(seconds)
        }
    }
}
