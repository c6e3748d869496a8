import Foundation
import Injectle
import InjectleTesting
import Testing
import TodoAppKit

/// The tests of one list: the test's locator has the user, which a session has in the app.
@Suite(
    .locator { @MainActor locator in
        locator.register(.eager(MemoryTodoStore()), for: (any TodoStore).self)
        locator.register(.eager(User(name: "Ada")))
    }
)
struct TodoListTests {
    let model = TodoListModel()

    @Test func `A new entry has the time of the clock`() throws {
        let date = Date(timeIntervalSince1970: 0)
        Locator.shared.register(.eager(Now { date }), for: .now)
        model.add("Buy tea")
        #expect(model.todos.map(\.title) == ["Buy tea"])
        #expect(model.todos.first?.created == date)
    }

    @Test func `The text field adds an entry, and is empty again`() {
        model.newTitle = "Buy tea"
        model.addNewTitle()
        #expect(model.todos.map(\.title) == ["Buy tea"])
        #expect(model.newTitle.isEmpty)
    }

    @Test func `A toggled entry is done`() throws {
        model.add("Buy tea")
        model.toggle(try #require(model.todos.first))
        #expect(model.todos.map(\.isDone) == [true])
    }

    @Test func `A saved list loads again`() async throws {
        model.add("Buy tea")
        try await model.save()
        let other = TodoListModel()
        await other.load()
        #expect(other.todos == model.todos)
        #expect(other.title == "Ada’s list")
    }

    @Test(.override((any TodoStore).self) { FullTodoStore() })
    func `A failed load shows its error`() async {
        await model.load()
        #expect(model.errorText == "DiskFull()")
    }
}
