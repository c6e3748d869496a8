internal import Foundation

/// Whether Xcode runs the process for a preview.
func isPreview(environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
    environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1"
}
