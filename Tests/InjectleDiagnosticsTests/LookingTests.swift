import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private protocol Greeter: Sendable {}
private struct Host: Greeter {}
private final class Lobby: Sendable {
    let greeter: any Greeter
    init(greeter: any Greeter) { self.greeter = greeter }
}
private final class Connection: Sendable {
    let id: Int
    init(_ id: Int) { self.id = id }
}

extension ServiceKey<any Greeter> {
    fileprivate static let door = Self("door", default: .lazy { Host() })
}

/// Diagnostics change nothing, and report no fault where there is none.
@Suite struct LookingTests {
    private let locator = Locator("app")
    private let collector = EventCollector()

    private enum Look: CaseIterable { case check, validate, explain, explainKey, graph }

    @Test(arguments: Look.allCases)
    private func `A look registers no default of a key`(_ look: Look) throws {
        locator.register(
            .lazy { locator in Lobby(greeter: try locator.resolve(.door)) }.depending(on: ServiceKey<any Greeter>.door)
        )
        locator.add(collector)
        let before = locator.registrations.count
        switch look {
        case .check: try locator.check()
        case .validate: #expect(locator.validate().isEmpty)
        case .explain: _ = locator.explain(Lobby.self)
        case .explainKey: _ = locator.explain((any Greeter).self, key: ServiceKey<any Greeter>.door)
        case .graph: _ = locator.graph
        }
        #expect(locator.registrations.count == before)
        #expect(collector.kinds.isEmpty)
        _ = try locator.resolve(Lobby.self)
        #expect(locator.registrations.count == before + 1)
    }

    @Test func `A look from a child registers no default in its root`() throws {
        let child = locator.child("request")
        child.register(
            .lazy { locator in Lobby(greeter: try locator.resolve(.door)) }.depending(on: ServiceKey<any Greeter>.door)
        )
        locator.add(collector)
        try child.check()
        #expect(locator.registrations.isEmpty)
        #expect(collector.kinds.isEmpty)
    }

    @Test func `A recorded decorator of an inherited service is no finding`() throws {
        let child = locator.child("request")
        child.add(Locator.DependencyRecorder())
        locator.register(.lazy { Connection(1) })
        child.decorate(Connection.self) { Connection($0.id + 10) }
        #expect(try child.resolve(Connection.self).id == 11)
        #expect(child.validate().map(\.kind) == [])
        try child.check()
    }

    @Test func `A recorded decorator of an own service is no finding`() throws {
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy { Connection(1) })
        locator.decorate(Connection.self) { Connection($0.id + 10) }
        locator.decorate(Connection.self) { Connection($0.id + 100) }
        #expect(try locator.resolve(Connection.self).id == 111)
        #expect(locator.validate().map(\.kind) == [])
    }

    @Test func `The recorder does not retain keys of requests`() throws {
        final class Key: Hashable, Sendable {
            let number: Int
            let tracked: Tracked
            init(_ number: Int, _ log: Tracked.Log) { (self.number, tracked) = (number, Tracked(log)) }
            static func == (left: Key, right: Key) -> Bool { left.number == right.number }
            func hash(into hasher: inout Hasher) { hasher.combine(number) }
        }
        let log = Tracked.Log()
        locator.add(Locator.DependencyRecorder())
        locator.register(
            .volatile { (locator, key: Key) in
                _ = try? locator.resolve(Connection.self, key: key)
                return Host()
            }
        )
        locator.register(.volatile { Connection(1) }, key: "key")
        for number in 0..<100 { _ = try locator.resolve(Host.self, arguments: Key(number, log)) }
        #expect(log.alive == 0)
    }
}
