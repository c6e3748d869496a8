import Foundation
import Injectle
import InjectleDiagnostics
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
        #expect(graph.services.map(\.module) == ["InjectleDiagnosticsTests", "InjectleDiagnosticsTests"])
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

    @Test func `Dependencies are recorded while a recorder observes`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.volatile { locator in Repository(disk: try locator.resolve()) })
        _ = try locator.resolve(Repository.self)
        #expect(locator.graph.dependencies.isEmpty)
        let handle = locator.add(Locator.DependencyRecorder())
        _ = try locator.resolve(Repository.self)
        #expect(locator.graph.dependencies.map(\.isRecorded) == [true])
        #expect(locator.graph.dependencies.map(\.isDeclared) == [false])
        #expect(locator.child("request").graph.dependencies.map(\.isRecorded) == [true])
        handle.remove()
        #expect(locator.graph.dependencies.isEmpty)
    }

    @Test func `Recorded dependencies of one type are told apart by their keys`() throws {
        for number in 0..<100 { locator.register(.lazy { Disk() }, key: number) }
        locator.register(
            .volatile { locator in
                for number in 0..<100 { _ = try locator.resolve(Disk.self, key: number) }
                return Pool()
            }
        )
        locator.add(Locator.DependencyRecorder())
        _ = try locator.resolve(Pool.self)
        #expect(Set(locator.graph.dependencies.map(\.to)) == Set(0..<100))
    }

    @Test func `Dependencies of requests and of async closures are recorded`() async throws {
        locator.add(Locator.DependencyRecorder())
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

    @Test func `DOT has types and keys as Swift writes them`() {
        locator.register(.lazy { Set<Int>() }, key: "a \"quoted\" key")
        #expect(locator.graph.dot.contains(#"s0 [label="Set<Int>, \"a \"quoted\" key\"", tooltip="lazy"]"#))
    }

    @Test func `Instances of scopes are created`() throws {
        locator.register(.lazy { Disk() }.lifetime(.timeToLive(.seconds(60))))
        #expect(locator.registrations.map(\.isCreated) == [false])
        _ = try locator.resolve(Disk.self)
        #expect(locator.registrations.map(\.isCreated) == [true])
        #expect(locator.graph.services.map(\.isCreated) == [true])
        #expect(locator.explain(Disk.self).services.map(\.isCreated) == [true])
    }

    @Test func `Mermaid has no reserved word as a class, and escapes the labels`() {
        locator.register(.lazy { Set<Int>() }.lifetime(.graph), key: "a \"#1\"")
        #expect(locator.graph.mermaid.contains(##"s0["Set#lt;Int#gt;, #quot;a #quot;#35;1#quot;#quot;"]:::isGraph"##))
    }
}
