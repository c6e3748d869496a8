import Foundation
import Injectle

/// Returns the current date. A test replaces it.
package protocol DateSource: Sendable {
    var now: Date { get }
}

package struct SystemDates: DateSource {
    package init() {}

    package var now: Date { Date() }
}

extension ServiceKey<any DateSource> {
    /// The default registration applies where a locator has no other one, so no module registers the system's date.
    package static let dates = Self("dates", default: .lazy { SystemDates() })
}
