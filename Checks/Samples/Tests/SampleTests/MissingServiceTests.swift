import Dispatch
import Injectle
import InjectleTesting
import Testing

/// Each kind of read of a service that is not registered.
@Suite(.locator) struct MissingServiceTests {
    @Test func aReadInTheTest() {
        _ = Model().host
        Issue.record("not reached")
    }

    @Test func aReadInAChildTask() async {
        let model = Model()
        async let host = model.host
        _ = await host
        Issue.record("not reached")
    }

    @Test func aReadInATaskGroup() async {
        let model = Model()
        await withTaskGroup { group in
            group.addTask { _ = model.host }
        }
        Issue.record("not reached")
    }

    @Test func aReadInATask() async {
        let model = Model()
        await Task { _ = model.host }.value
        Issue.record("not reached")
    }

    @Test func aReadOnAQueue() async {
        let model = Model()
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "reads").async {
                _ = model.host
                continuation.resume()
            }
        }
        Issue.record("not reached")
    }

    @MainActor @Test func aReadOnTheMainActor() async {
        await Task.yield()
        _ = MainModel().host
        Issue.record("not reached")
    }

    @Test(.locator { $0.register(.lazy { Broken() }) }) func aReadWhileAServiceIsCreated() throws {
        _ = try Locator.shared.resolve(Broken.self)
        Issue.record("not reached")
    }

    @Test(.locator { $0.register(.lazy { () throws -> any APIClient in throw Failure() }, for: (any APIClient).self) })
    func aFactoryThatThrows() {
        _ = Model().host
        Issue.record("not reached")
    }

    @Test func aResolve() {
        #expect(throws: InjectleError.self) { try Locator.shared.resolve((any APIClient).self) }
    }

    @Test func anOptionalProperty() {
        #expect(Optject<any APIClient>()() == nil)
    }

    @Test func aReadWithinAKnownIssue() {
        withKnownIssue { _ = Model().host }
        Issue.record("not reached")
    }

    @Test(arguments: 0..<100) func manyReads(number: Int) {
        _ = Model().host
        Issue.record("not reached")
    }

    @MainActor @Test(arguments: 0..<100) func manyReadsOnTheMainActor(number: Int) async {
        await Task.yield()
        MainActor.assertIsolated()
        _ = MainModel().host
        Issue.record("not reached")
    }

    @MainActor @Test func aReadInAHookOfAClose() async {
        Locator.shared.register(.eager(MainModel()).onDispose { (model: MainModel) in _ = model.host })
        await Locator.shared.close()
        Issue.record("not reached")
    }
}
