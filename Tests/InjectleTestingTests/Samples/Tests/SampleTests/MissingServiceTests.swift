import Foundation
import Injectle
import InjectleTesting
import Testing

protocol APIClient: Sendable { var host: String { get } }
struct MockAPIClient: APIClient { let host: String }

final class Model: @unchecked Sendable {
    @Inject var client: any APIClient
    var host: String { client.host }
}

@MainActor final class MainModel {
    @Inject var client: any APIClient
    var host: String { client.host }
}

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
            for _ in 0..<4 { group.addTask { _ = model.host } }
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
            DispatchQueue.global().async {
                _ = model.host
                continuation.resume()
            }
        }
        Issue.record("not reached")
    }

    @Test(arguments: 0..<100) func manyReads(number: Int) {
        _ = Model().host
        Issue.record("not reached")
    }

    @Test func aResolve() {
        #expect(throws: InjectleError.self) { try Locator.shared.resolve((any APIClient).self) }
    }
}

@Suite(.locator) @MainActor struct MainActorTests {
    @Test func aRead() {
        _ = MainModel().host
        Issue.record("not reached")
    }

    @Test(arguments: 0..<200) func manyReads(number: Int) async {
        await Task.yield()
        MainActor.assertIsolated()
        _ = MainModel().host
        Issue.record("not reached")
    }

    @Test(arguments: 0..<200, [true]) func noRead(number: Int, yes: Bool) async {
        for _ in 0..<10 { await Task.yield() }
        MainActor.assertIsolated()
        await Task.detached { await MainActor.run { MainActor.assertIsolated() } }.value
    }
}
