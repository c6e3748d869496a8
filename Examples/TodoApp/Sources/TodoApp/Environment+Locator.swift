import Injectle
import SwiftUI

extension EnvironmentValues {
    /// The locator of the views; below `SessionView`, the locator of the session.
    @Entry var locator: Locator = .shared
}

/// Creates a view model once, by the locator of the environment.
struct Resolved<Model: AnyObject, Content: View>: View {
    @Environment(\.locator) private var locator
    @State private var model: Result<Model, InjectleError>?
    @ViewBuilder let content: (Model) -> Content

    var body: some View {
        switch model {
        case .success(let model): content(model)
        case .failure(let error): Text(error.description)
        case nil: ProgressView().onAppear(perform: resolve)
        }
    }

    private func resolve() {
        do { model = .success(try locator.resolve()) } catch { model = .failure(error) }
    }
}
