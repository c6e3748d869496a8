import Injectle
import SwiftUI
import TodoAppKit

struct TodoListView: View {
    let model: TodoListModel
    @State private var title = ""

    var body: some View {
        List {
            ForEach(model.todos) { todo in
                Button(todo.isDone ? "✓ \(todo.title)" : todo.title) { model.toggle(todo) }
            }
            TextField("New entry", text: $title).onSubmit {
                model.add(title)
                title = ""
            }
            if let errorText = model.errorText { Text(errorText) }
        }
        .navigationTitle(model.title)
        .task { await model.load() }
    }
}

#Preview("Two entries") {
    let mocks = Locator("preview") { locator in
        registerMocks(in: locator)
        locator.register(.eager(User(name: "Ada")))
    }
    let model = Locator.$shared.withValue(mocks) { TodoListModel() }
    TodoListView(model: model)
        .onAppear {
            model.add("Buy tea")
            model.add("Boil water")
        }
}
