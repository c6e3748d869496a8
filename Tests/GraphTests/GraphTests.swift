import Foundation
import Injectle
import Testing

@Suite struct GraphTests {
    private let locator = Locator("app")

    @Test func `A graph has the services and their dependencies`() throws {
        locator.register(.lazy { Disk() }.as((any Store).self).asSelf())
        locator.register(.initializer(.main, Repository.init).lifetime(.perLocator), key: "second")
        let graph = locator.graph
        #expect(graph.locator == "the locator \"app\"")
        #expect(graph.services.map(\.lifetime) == ["lazy", "per locator"])
        #expect(graph.services.map(\.key) == [nil, "\"second\""])
        #expect(graph.services.map(\.isolation) == ["any thread", "the main actor"])
        #expect(graph.services.map(\.module) == ["GraphTests", "GraphTests"])
        #expect(graph.services[0].otherIdentities.count == 1)
        #expect(graph.services.allSatisfy { $0.location.contains("GraphTests.swift:") && $0.declaresDependencies })
        #expect(graph.dependencies.map { [$0.from, $0.to] } == [[1, 0]])
        #expect(graph.dependencies.allSatisfy { $0.kind == "required" && $0.isDeclared && !$0.isRecorded })
    }

    @Test func `A graph states what is created, and which locator creates`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        let child = locator.child("request")
        child.register(.lazy { Pool() })
        _ = try child.resolve(Disk.self)
        _ = try child.resolve(Roster.self)
        let graph = child.graph
        let (app, request) = ("the locator \"app\"", "the locator \"request\"")
        #expect(graph.services.map(\.locator) == [request, app, app])
        #expect(graph.services.map(\.creator) == [nil, nil, request])
        #expect(graph.services.map(\.isCreated) == [false, true, true])
        #expect(locator.graph.services.map(\.isCreated) == [true, false])
    }

    @Test func `Findings are marked at their services`() {
        locator.register(.lazy { Disk() })
        locator.register(.initializer(Office.init))
        let graph = locator.graph
        #expect(graph.findings.map(\.kind) == [.missing])
        #expect(graph.services.map(\.findings) == [[], [0]])
    }

    @Test func `Dependencies are recorded once the switch is on`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.volatile { locator in Repository(disk: try locator.resolve()) })
        #expect(!locator.recordsDependencies)
        _ = try locator.resolve(Repository.self)
        #expect(locator.graph.dependencies.isEmpty)
        locator.recordsDependencies = true
        locator.recordsDependencies = true
        _ = try locator.resolve(Repository.self)
        #expect(locator.graph.dependencies.map(\.isRecorded) == [true])
        #expect(locator.graph.dependencies.map(\.isDeclared) == [false])
        locator.recordsDependencies = false
        #expect(!locator.recordsDependencies)
        #expect(locator.graph.dependencies.isEmpty)
    }

    @Test func `Dependencies of requests and of async closures are recorded`() async throws {
        locator.recordsDependencies = true
        locator.register(.lazy { () async in Pool() })
        locator.register(.volatile { locator async throws in Query(pool: try await locator.resolveAsync()) })
        _ = try await locator.child("request").resolveAsync(Query.self)
        #expect(locator.graph.dependencies.map { [$0.from, $0.to] } == [[1, 0]])
        #expect(locator.graph.dependencies.allSatisfy { $0.isRecorded })
    }

    @Test func `A graph is the same after it was encoded and decoded`() throws {
        locator.register(.lazy { Disk() }, key: "a \"quoted\" key\n</script>")
        locator.register(.initializer(Office.init))
        let graph = locator.graph
        #expect(try JSONDecoder().decode(Locator.Graph.self, from: JSONEncoder().encode(graph)) == graph)
        #expect(try JSONDecoder().decode(Locator.Graph.self, from: Data(graph.json.utf8)) == graph)
    }
}
