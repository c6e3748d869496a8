import Foundation

/// What the command line determines.
package struct Settings: Sendable {
    package var databasePath: String
    /// Whether the server answers `GET /debug/graph`, which shows how the program is built.
    package var servesGraph: Bool
    /// The time between two purges.
    package var purgeInterval: Duration
    /// The seconds until a completed todo is purged.
    package var retention: TimeInterval
    /// How long the end of the server waits for requests, and then for `onDispose` hooks.
    package var gracePeriod: Duration

    package init(
        databasePath: String,
        servesGraph: Bool = false,
        purgeInterval: Duration = .seconds(60),
        retention: TimeInterval = 30 * 24 * 60 * 60,
        gracePeriod: Duration = .seconds(5)
    ) {
        self.databasePath = databasePath
        self.servesGraph = servesGraph
        self.purgeInterval = purgeInterval
        self.retention = retention
        self.gracePeriod = gracePeriod
    }
}
