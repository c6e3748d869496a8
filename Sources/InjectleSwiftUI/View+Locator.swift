#if canImport(SwiftUI)
public import Injectle
public import SwiftUI

extension View {
    /// Sets the locator of the views below.
    ///
    /// ```swift
    /// struct SessionView: View {
    ///     let session: Locator
    ///     var body: some View { ProfileView().locator(session) }
    /// }
    /// ```
    ///
    /// Their ``InjectedState`` properties resolve from it, and so do the properties of the services that it creates.
    /// SwiftUI evaluates the bodies of views later, so the current locator, `Locator.shared`, is another one there: an
    /// `@Inject` property of a view, or of a model that a view creates, does not resolve from it.
    ///
    /// The environment retains the locator. Create it once, not in a `body`.
    ///
    /// - Parameter locator: The locator of the views.
    public func locator(_ locator: Locator) -> some View { environment(\.locator, locator) }

    /// Gives the views below a child locator of their own, which lives as long as the view.
    ///
    /// ```swift
    /// struct NotesApp: App {
    ///     var body: some Scene {
    ///         WindowGroup {
    ///             ProfileView().childLocator("window") { $0.register(.lazy { Selection() }) }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Each window of the group has its own selection. The locator ends with the state of the view: its disposers run,
    /// and its services are released. A screen that animates out still has them. So a session, too, can live as long as
    /// its views:
    ///
    /// ```swift
    /// struct RootView: View {
    ///     let user: User?
    ///     var body: some View {
    ///         if let user {
    ///             ProfileView()
    ///                 .childLocator("session") { $0.register(.eager(user)) }
    ///                 .id(user.name)  // another user is another session
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// `register` runs once. Without another `id(_:)`, the view keeps the child when the values that it registers
    /// change.
    ///
    /// - Parameters:
    ///   - name: The name in error texts, and for `perLocator(named:)`.
    ///   - register: Registers the services of the child. An error traps, or is a text in a preview.
    public func childLocator(
        _ name: Locator.Name? = nil,
        register: @escaping @MainActor (Locator) throws -> Void = { _ in }
    ) -> some View {
        modifier(OwnLocator { parent in try parent.child(name) { try register($0) } })
    }

    /// Gives a preview a locator of its own, on systems without `PreviewModifier`.
    ///
    /// ```swift
    /// struct ProfileView_Previews: PreviewProvider {
    ///     static var previews: some View {
    ///         ProfileView().previewLocator { $0.register(.lazy { ProfileModel() }) }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in error texts, and for `perLocator(named:)`.
    ///   - other: The locator whose registrations it copies, or nil for none.
    ///   - register: Registers the services of the preview. The preview shows an error as a text.
    public func previewLocator(
        _ name: Locator.Name = "preview",
        copying other: Locator? = nil,
        register: @escaping @MainActor (Locator) throws -> Void
    ) -> some View {
        modifier(
            OwnLocator { _ in
                let locator = other.map { Locator(copying: $0, name) } ?? Locator(name)
                try register(locator)
                return locator
            }
        )
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension Scene {
    /// Sets the locator of the views of a scene.
    ///
    /// ```swift
    /// struct NotesApp: App {
    ///     private let library = Locator("library") { $0.register(.lazy { ProfileModel() }) }
    ///
    ///     var body: some Scene {
    ///         WindowGroup { ProfileView() }.locator(library)
    ///     }
    /// }
    /// ```
    ///
    /// All windows of a `WindowGroup` share it; ``SwiftUI/View/childLocator(_:register:)`` gives each its own.
    ///
    /// - Parameter locator: The locator of the views.
    public func locator(_ locator: Locator) -> some Scene { environment(\.locator, locator) }
}

/// Creates a locator for a view, and keeps it as long as the view.
private struct OwnLocator: ViewModifier {
    @Environment(\.locator) private var outer
    @State private var state = ResolvedState<Locator>()
    let make: @MainActor (Locator) throws -> Locator

    init(_ make: @escaping @MainActor (Locator) throws -> Locator) { self.make = make }

    func body(content: Content) -> some View {
        switch state.result(from: outer, by: make, isPreview: isPreview()) {
        case .success(let locator): content.locator(locator)
        case .failure(let error): Placeholder(text: "\(error)")
        }
    }
}
#endif
