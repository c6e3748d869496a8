import Injectle
import InjectleTesting
import Testing

/// Tests that forget a mock. Each one ends its process, so each has a run of its own.
@Suite(.locator) struct ForgottenMockTests {
    @Test func inANonisolatedTest() {
        _ = Model().host
    }

    @MainActor @Test func inATestOfTheMainActor() {
        _ = MainModel().host
    }

    @Test func inAChildTask() async {
        async let host = Model().host
        _ = await host
    }

    @Test func inADetachedTask() async {
        let model = Model()
        _ = await Task.detached { model.host }.value
    }

    @Test func inADetachedTaskThatCreatesTheModel() async {
        _ = await Task.detached { Model().host }.value
    }

    @Test(arguments: [1]) func onAThread(number: Int) async {
        let model = Model()
        _ = await onAnotherThread { model.host }
    }

    @Test(.locator { _ in _ = Model().host }) func inTheClosureOfATrait() {}

    @Test func inAHookAtTheEndOfTheTest() {
        Locator.shared.register(.eager(Model()).onDispose { (model: Model) in _ = model.host })
    }

    @Test(.locator { $0.register(.unimplemented((any APIClient).self)) }) func ofAnUnimplementedService() {
        _ = Model().host
    }
}
