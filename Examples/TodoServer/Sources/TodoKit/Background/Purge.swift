import Foundation
import GRDB
import Logging

/// Deletes the todos that users completed long ago.
package struct Purge: Sendable {
    let settings: Settings
    let database: TodoDatabase
    let clock: any Clock<Duration>
    let dates: any DateSource
    let logger: Logger

    /// Purges once in each interval, until its task is cancelled.
    func run() async throws {
        defer { logger.info("purge ended") }
        while true {
            try await clock.sleep(for: settings.purgeInterval)
            try await purge()
        }
    }

    private func purge() async throws {
        let limit = dates.now.addingTimeInterval(-settings.retention)
        let count = try await database.pool.write { connection in
            try TodoRow.filter { $0.completedAt < limit }.deleteAll(connection)
        }
        if count > 0 { logger.info("purged", metadata: ["count": "\(count)"]) }
    }
}
