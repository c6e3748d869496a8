// Start, close and disposal. The same file is compiled in Swift 6, in Swift 5, and in a module whose default isolation
// is the main actor.

import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`.
final class Journal {
    private(set) var lines: [String] = []
    private let closed: CallLog

    init(_ closed: CallLog) { self.closed = closed }

    func write(_ line: String) { lines.append(line) }

    func close() { closed.record("journal") }
}

actor Connection {
    private let closed: CallLog

    init(_ closed: CallLog) { self.closed = closed }

    static func open(_ closed: CallLog) async throws -> Connection { Connection(closed) }

    func close() async { closed.record("connection") }
}

@MainActor final class Dashboard {
    let journal: Journal
    private let closed: CallLog

    init(_ journal: Journal, _ closed: CallLog) {
        self.journal = journal
        self.closed = closed
    }

    func hide() { closed.record("dashboard") }

    func fade() async {
        await Task.yield()
        closed.record("dashboard faded")
    }
}

@Suite struct LifecycleUsageTests {
    @MainActor @Test func `A start on the main actor closes there`() async throws {
        let closed = CallLog()
        let locator = Locator("app")
        locator.register(.lazy { Journal(closed) }.onDispose { $0.close() })
        locator.register(.lazy { try await Connection.open(closed) }.onDispose { await $0.close() })
        locator.register(
            .lazy { locator in Dashboard(try locator.resolve(), closed) }
                .atStart()
                .onDispose { $0.hide() }
                .onDispose { await $0.fade() }
        )
        try await locator.start(timeout: .seconds(1_000))
        let dashboard: Dashboard = try locator.resolve()
        dashboard.journal.write("started")
        let connection = try locator.resolve(Connection.self)
        #expect(connection === (try locator.resolve(Connection.self)))
        let errors = await locator.close()
        #expect(errors.isEmpty)
        let entries = closed.drain()
        #expect(entries.filter { $0 != "connection" } == ["dashboard", "dashboard faded", "journal"])
        #expect(entries.contains("connection"))
    }

    @Test func `A start elsewhere closes elsewhere`() async throws {
        let closed = CallLog()
        let locator = Locator {
            $0.register(.lazy { try await Connection.open(closed) }.onDispose { await $0.close() })
            $0.register(.lazy(.main) { Journal(closed) }.atStart().onDispose { $0.close() })
        }
        try await locator.start()
        for error in await locator.close() { Issue.record(error) }
        #expect(closed.drain().sorted() == ["connection", "journal"])
    }

    @MainActor @Test func `Replacing a non-Sendable service disposes it`() throws {
        let closed = CallLog()
        let locator = Locator()
        locator.register(.eager(Journal(closed)).onDispose { $0.close() })
        locator.register(.lazy { Journal(closed) }.onDispose { journal in journal.close() })
        #expect(closed.drain() == ["journal"])
        try locator.resolve(Journal.self).write("line")
        locator.unregister(Journal.self)
        #expect(closed.drain() == ["journal"])
    }
}
