import Dispatch
import Injectle
import InjectleTesting
import Testing

/// Reads that fail for other reasons than a missing service, and reads in tasks that the test does not run.
@Suite(.locator, .serialized) struct OtherReadTests {
    @Test func aReadOfAClosedLocator() async throws {
        let child = Locator("session") { $0.register(.lazy { Model() }) }
        let model = try child.resolve(Model.self)
        await child.close()
        _ = model.host
        Issue.record("not reached")
    }

    @Test(
        .locator {
            $0.register(.lazy { First() }); $0.register(.lazy { Second() })
        }
    )
    func aReadInACircle() throws {
        _ = Inject<First>()()
        Issue.record("not reached")
    }

    @Test func aReadOfAnotherActor() async {
        await Owner().register(in: .shared)
        _ = Model().host
        Issue.record("not reached")
    }

    @Test func aReadInADetachedTask() async {
        await Task.detached { _ = Model().host }.value
        Issue.record("not reached")
    }

    @Test(arguments: 0..<8) func readsInDetachedTasksThatSleep(number: Int) async {
        await Task.detached {
            try? await Task.sleep(for: .milliseconds(1))
            _ = Model().host
        }.value
        Issue.record("not reached")
    }

    @Test func aReadOfAnOwnLocatorInADetachedTask() async throws {
        let model = try Locator("own") { $0.register(.lazy { Model() }) }.resolve(Model.self)
        await Task.detached { _ = model.host }.value
        Issue.record("not reached")
    }

    @Test(arguments: 0..<8) func readsInAsyncClosures(number: Int) async throws {
        Locator.shared.register(.lazy { () async in Broken() })
        _ = try await Locator.shared.resolveAsync(Broken.self)
        Issue.record("not reached")
    }

    @Test(arguments: 0..<8) func readsInAStart(number: Int) async throws {
        Locator.shared.register(.lazy { () async in Broken() })
        try await Locator.shared.start()
        Issue.record("not reached")
    }

    @Test(arguments: 0..<8) func readsInAsyncHooksOfAClose(number: Int) async {
        Locator.shared.register(.eager(Model()).onDispose { (model: Model) async in _ = model.host })
        await Locator.shared.close()
        Issue.record("not reached")
    }

    @Test(arguments: 0..<8) func readsInAsyncHooksAtTheEndOfTheTest(number: Int) {
        Locator.shared.register(.eager(Model()).onDispose { (model: Model) async in _ = model.host })
    }

    @Test func aReadInAHookAtTheEndOfTheTest() {
        Locator.shared.register(.eager(Model()).onDispose { (model: Model) in _ = model.host })
    }

    @Test(.locator { _ in _ = Model().host }) func aReadInTheClosureOfATrait() {
        Issue.record("not reached")
    }

    @Test(.locator(parent: broken), arguments: 0..<2) func readsInACreationOfAParent(number: Int) throws {
        _ = try Locator.shared.resolve(Broken.self)
        Issue.record("not reached")
    }

    @MainActor @Test func aReadInACreationOnTheMainActor() async throws {
        await Task.yield()
        Locator.shared.register(.lazy { MainBroken() })
        _ = try Locator.shared.resolve(MainBroken.self)
        Issue.record("not reached")
    }

    @MainActor @Test(.override((any APIClient).self) { MockAPIClient() }) func aReadAfterIt() async {
        await Task.yield()
        #expect(MainModel().host == "mock")
    }

    @MainActor @Test func workThatOutlivesItsTest() {
        let model = MainModel()
        Task {
            await Outliving.wait()
            _ = model.host
        }
    }

    @MainActor @Test func detachedWorkThatOutlivesItsTest() {
        Task.detached { await Outliving.read() }
    }

    @MainActor @Test func theWorkGoesOn() async {
        while Outliving.waiting.count < 2 { await Task.yield() }
        // The main actor runs the work before the rest of this test.
        await Outliving.end()
    }
}

private let broken = Locator("broken") { $0.register(.lazy { Broken() }) }

@MainActor final class MainBroken {
    init() { _ = MainModel().host }
}

final class First: Sendable {
    init() { _ = Inject<Second>()() }
}

final class Second: Sendable {
    init() { _ = Inject<First>()() }
}

actor Owner {
    func register(in locator: Locator) {
        locator.register(.lazy { self.client() }, for: (any APIClient).self)
    }

    func client() -> any APIClient { MockAPIClient() }
}

/// Work that waits until its test has ended.
@MainActor enum Outliving {
    static var waiting: [CheckedContinuation<Void, Never>] = []

    static func wait() async {
        await withCheckedContinuation { waiting.append($0) }
    }

    static func read() async {
        // So the issues have one order.
        while waiting.isEmpty { await Task.yield() }
        await wait()
        _ = MainModel().host
    }

    static func end() async {
        await withCheckedContinuation { end in
            // Not in the task of another test.
            DispatchQueue(label: "end").async { [waiting] in
                for continuation in waiting + [end] { continuation.resume() }
            }
        }
    }
}
