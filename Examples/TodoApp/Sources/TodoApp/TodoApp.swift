import Foundation
import Injectle
import SwiftUI
import TodoAppKit

@main
struct TodoApp: App {
    @State private var model: AppModel

    init() {
        // Before the first view model exists. The unit tests of an app run inside of it, and register their own services.
        if !Self.isTestHost {
            registerServices(in: .default, file: .documentsDirectory.appending(path: "todos.json"))
        }
        model = AppModel()
    }

    var body: some Scene {
        WindowGroup {
            if !Self.isTestHost { RootView(app: model) }
        }
    }

    private static var isTestHost: Bool {
        ProcessInfo.processInfo.environment["XCTestConfigurationFilePath"] != nil
    }
}
