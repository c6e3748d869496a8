#if canImport(SwiftUI)
public import Injectle
public import SwiftUI

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension PreviewTrait where T == Preview.ViewTraits {
    /// Gives a preview a locator of its own.
    ///
    /// ```swift
    /// #Preview(traits: .locator { $0.register(.lazy { ProfileModel() }) }) {
    ///     ProfileView()
    /// }
    /// ```
    ///
    /// The locator has no other services than those that the closure registers, unless it copies a locator. The preview
    /// shows an error of the closure as a text. On older systems, use
    /// ``SwiftUI/View/previewLocator(_:copying:register:)``.
    ///
    /// - Parameters:
    ///   - name: The name in error texts, and for `perLocator(named:)`.
    ///   - other: The locator whose registrations it copies, or nil for none.
    ///   - register: Registers the services of the preview.
    @MainActor
    public static func locator(
        _ name: Locator.Name = "preview",
        copying other: Locator? = nil,
        register: @escaping @MainActor (Locator) throws -> Void
    ) -> PreviewTrait {
        .modifier(LocatorPreview(name: name, other: other, register: register))
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private struct LocatorPreview: PreviewModifier {
    let name: Locator.Name
    let other: Locator?
    let register: @MainActor (Locator) throws -> Void

    func body(content: Content, context: Void) -> some View {
        content.previewLocator(name, copying: other, register: register)
    }
}
#endif
