#if canImport(SwiftUI)
public import Injectle
public import SwiftUI

private struct LocatorKey: EnvironmentKey {
    // Computed, since a test or a preview can bind another locator.
    static var defaultValue: Locator { .shared }
}

extension EnvironmentValues {
    /// The locator of the views: the current locator, unless ``SwiftUI/View/locator(_:)`` sets another one.
    ///
    /// ```swift
    /// struct RefreshButton: View {
    ///     @Environment(\.locator) private var locator
    ///
    ///     var body: some View {
    ///         Button("Refresh") { try? locator.resolve(Feed.self).refresh() }
    ///     }
    /// }
    /// ```
    public var locator: Locator {
        get { self[LocatorKey.self] }
        set { self[LocatorKey.self] = newValue }
    }
}
#endif
