import Injectle
import InjectleSwiftUI
import SwiftUI
import TodoAppKit

struct TodoListView: View {
    @InjectedState private var model: TodoListModel

    var body: some View {
        List {
            ForEach(model.todos) { todo in
                Button(todo.isDone ? "✓ \(todo.title)" : todo.title) { model.toggle(todo) }
            }
            TextField("New entry", text: $model.newTitle).onSubmit { model.addNewTitle() }
            if let errorText = model.errorText { Text(errorText) }
        }
        .navigationTitle(model.title)
        .task { await model.load() }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
#Preview("Two entries", traits: .locator(Session.locatorName, register: registerMockSession)) {
    TodoListView()
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
#Preview("An error", traits: .locator(Session.locatorName, register: registerFailingSession)) {
    TodoListView()
}
