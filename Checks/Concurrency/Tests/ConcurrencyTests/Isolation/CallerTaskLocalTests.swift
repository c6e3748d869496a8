import Foundation
import Injectle
import InjectleTestSupport
import Testing

private enum Request {
    @TaskLocal static var name = "none"
}

private final class Screen: Sendable {}
private final class Session: Sendable {}

/// A closure of the main actor sees the task-locals of the caller that it is created for.
@Suite struct CallerTaskLocalTests {
    private let locator = Locator("task-locals", mainActorTimeout: .seconds(600))
    private let names = Guarded<[String]>([])

    private func registerScreen() {
        locator.register(
            .lazy(.main) { [names] in
                names.withLock { $0.append(Request.name) }
                return Screen()
            }
        )
    }

    @Test func `A job that the blocked main thread runs has the task-locals of its caller`() async {
        registerScreen()
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { locator in
                begun.set()
                goOn.wait()
                _ = try locator.resolve(Screen.self)
                return Session()
            }
        )
        let isResolved = await MainActor.run {
            Thread.detachNewThread { Request.$name.withValue("caller") { _ = try? locator.resolve(Session.self) } }
            begun.wait()
            goOn.set()
            // Waits for the other thread, which needs the main actor.
            return Request.$name.withValue("main") { (try? locator.resolve(Session.self)) != nil }
        }
        #expect(isResolved)
        #expect(names.value == ["caller"])
    }

    @Test func `A job that the free main thread runs has the task-locals of its caller`() async {
        registerScreen()
        let locator = locator
        let isResolved = await onAnotherThread {
            Request.$name.withValue("caller") { (try? locator.resolve(Screen.self)) != nil }
        }
        #expect(isResolved)
        #expect(names.value == ["caller"])
    }
}
