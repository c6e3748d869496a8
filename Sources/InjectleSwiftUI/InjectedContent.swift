#if canImport(SwiftUI)
internal import Injectle
internal import os
public import SwiftUI

/// A view whose content needs a service of the environment's locator.
///
/// ```swift
/// struct ProfileScreen: View {
///     var body: some View {
///         InjectedContent { (model: ProfileModel) in Text(model.name) }
///     }
/// }
/// ```
///
/// It resolves as ``InjectedState``. If the service is not registered or cannot be created, it shows the text of the
/// `InjectleError` in a preview and logs it as a fault of `com.apple.runtime-issues`. Elsewhere, it traps with that
/// text.
public struct InjectedContent<Service, Content: View>: View {
    @InjectedState private var service: Service
    private let content: (Service) -> Content

    /// Creates a view with a service.
    ///
    /// - Parameters:
    ///   - key: The key of the registration, or nil for none.
    ///   - content: Creates the view of the service.
    public init(
        _ key: AnyHashable? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        @ViewBuilder content: @escaping (Service) -> Content
    ) {
        _service = InjectedState(key, fileID: fileID, line: line)
        self.content = content
    }

    /// The content, or the text of the error.
    public var body: some View {
        switch _service.result(isPreview: isPreview()) {
        case .success(let service): content(service)
        case .failure(let error): Placeholder(text: "\(error)")
        }
    }
}

/// The text of an error, which it logs as a runtime issue, too.
struct Placeholder: View {
    let text: String

    var body: some View {
        Text(text).onAppear {
            Logger(subsystem: "com.apple.runtime-issues", category: "Injectle").fault("\(text, privacy: .public)")
        }
    }
}
#endif
