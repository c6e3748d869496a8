import Foundation
import Injectle
import Testing
import TodoAppKit

/// What a process registers, by the way it was launched; and what its previews register.
struct LaunchTests {
    private let locator = Locator("launch")

    private func register(arguments: [String] = ["TodoApp"], environment: [String: String] = [:]) {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        registerLaunchServices(in: locator, file: file, arguments: arguments, environment: environment)
    }

    @Test func `The app stores its lists in a file`() async throws {
        register()
        #expect(try await locator.resolveAsync((any TodoStore).self) is FileTodoStore)
    }

    @Test func `A preview has mocks`() throws {
        register(environment: ["XCODE_RUNNING_FOR_PREVIEWS": "1"])
        #expect(try locator.resolve((any TodoStore).self) is MemoryTodoStore)
    }

    @Test func `The argument of a UI test chooses mocks`() throws {
        register(arguments: ["TodoApp", "-mocks"])
        #expect(try locator.resolve((any TodoStore).self) is MemoryTodoStore)
    }

    @Test func `The host of unit tests registers nothing`() {
        register(environment: ["XCTestConfigurationFilePath": "/tmp/Tests.xctestconfiguration"])
        #expect(locator.registrations.isEmpty)
    }

    @Test func `The preview of the list shows two entries`() async throws {
        let session = Locator(Session.locatorName) { locator in registerMockSession(in: locator) }
        let model = try session.resolve(TodoListModel.self)
        await model.load()
        #expect(model.title == "Ada’s list")
        #expect(model.todos.map(\.title) == ["Buy tea", "Boil water"])
    }

    @Test func `The preview of an error shows it`() async throws {
        let session = Locator(Session.locatorName) { locator in registerFailingSession(in: locator) }
        let model = try session.resolve(TodoListModel.self)
        await model.load()
        #expect(model.errorText == "DiskFull()")
    }
}
