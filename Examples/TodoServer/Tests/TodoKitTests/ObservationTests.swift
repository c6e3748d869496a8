import Injectle
import InjectleTesting
import MetricsTestKit
import Testing

@testable import TodoKit

@Suite(.server) struct ObservationTests {
    struct Failure: Error {}

    @Test func `The creations of the server are counted, those of requests are not`() async throws {
        let metrics = TestMetrics()
        Locator.shared.addMetrics(metrics)
        try await withServer { client in
            let todos = try await client.todos()
            #expect(todos.isEmpty)
        }
        let created = metrics.counters.filter { $0.label == "injectle_creations" }
        let services = created.flatMap { counter in counter.dimensions.filter { $0.0 == "service" }.map(\.1) }
        #expect(services.contains("TodoKit.TodoDatabase") && !services.contains("TodoKit.UnitOfWork"), "\(services)")
        #expect(created.allSatisfy { $0.totalValue == 1 })
    }

    @Test func `A failed disposal of a request is counted`() async throws {
        let metrics = TestMetrics()
        Locator.shared.addMetrics(metrics)
        for _ in 1...2 {
            _ = await Locator.shared.withChild(requestScope) { child in
                child.register(.eager(RequestID("1")).onDispose { _ in throw Failure() })
            }
        }
        let failed = metrics.counters.filter { $0.label == "injectle_failed_disposals" }
        #expect(failed.map(\.totalValue) == [2])
    }

    @Test func `The page of the graph is served on request only`() async throws {
        try await withServer { client in
            let response = try await client.send(.get, "/debug/graph")
            #expect(response.status == .notFound)
        }
        var settings = try Locator.shared.resolve(Settings.self)
        settings.servesGraph = true
        Locator.shared.register(.eager(settings))
        try await withServer { client in
            let response = try await client.send(.get, "/debug/graph")
            #expect(response.headers[.contentType] == "text/html; charset=utf-8")
            #expect(response.text.hasPrefix("<!DOCTYPE html>") && response.text.contains("TodoKit.UnitOfWork"))
        }
    }
}
