import Foundation
import Injectle

/// Returns the current date. A test replaces it.
package protocol DateSource: Sendable {
    var now: Date { get }
}

package struct SystemDates: DateSource {
    package init() {}

    /// In milliseconds, as the database stores it: a response has the same date before and after.
    package var now: Date { Date(timeIntervalSince1970: (Date().timeIntervalSince1970 * 1000).rounded(.down) / 1000) }
}

extension ServiceKey<any DateSource> {
    /// The default registration applies where a locator has no other one, so no module registers the system's date.
    package static let dates = Self("dates", default: .eager(SystemDates()))
}
