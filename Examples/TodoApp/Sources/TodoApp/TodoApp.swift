import Foundation
import Injectle
import SwiftUI
import TodoAppKit
import TodoAppUI

@main
struct TodoApp: App {
    @State private var model: AppModel

    init() {
        // Before the first view model exists.
        let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        registerLaunchServices(in: .default, file: documents.appending(path: "todos.json"))
        model = AppModel()
    }

    var body: some Scene {
        WindowGroup { RootView(app: model) }
    }
}
