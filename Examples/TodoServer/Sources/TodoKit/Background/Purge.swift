import Foundation
import GRDB
import Logging
import ServiceLifecycle

/// Deletes the todos that users completed long ago.
struct Purge: Service {
    let settings: Settings
    let database: TodoDatabase
    let clock: any Clock<Duration>
    let dates: any DateSource
    let logger: Logger

    /// Purges once in each interval, until the group of services ends it.
    func run() async throws {
        defer { logger.info("purge ended") }
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    try await clock.sleep(for: settings.purgeInterval)
                    try await purge()
                }
            }
        } catch is CancellationError {}
    }

    private func purge() async throws {
        let limit = dates.now.addingTimeInterval(-settings.retention)
        let count = try await database.pool.write { connection in
            try TodoRow.filter { $0.completedAt < limit }.deleteAll(connection)
        }
        if count > 0 { logger.info("purged", metadata: ["count": "\(count)"]) }
    }
}
