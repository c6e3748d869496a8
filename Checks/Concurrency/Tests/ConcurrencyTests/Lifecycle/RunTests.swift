import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error, Equatable {}

/// `run`: a start, a wait for the cancellation and for children, and a close.
@Suite struct RunTests {
    private let locator = Locator("run")
    private let callLog = CallLog()

    private func registerDatabase() {
        locator.register(
            .lazy { [callLog] () async -> LoggedService in LoggedService("database", callLog) }
                .onDispose { $0.close() }
        )
    }

    @Test func `run starts, and closes after its cancellation`() async throws {
        registerDatabase()
        let running = Task { [locator] in try await locator.run() }
        while callLog.entries.isEmpty { await Task.yield() }
        running.cancel()
        try await running.value
        #expect(callLog.drain() == ["+database", "-database"])
        #expect(thrown { try locator.resolve(LoggedService.self) } == .locatorClosed)
    }

    @Test func `A cancellation during the start is no error`() async throws {
        let hasBegun = Signal()
        locator.register(
            .lazy { () async throws -> Int in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
        )
        let running = Task { [locator] in try await locator.run() }
        await hasBegun.reached()
        running.cancel()
        try await running.value
        #expect(thrown { try locator.resolve(Int.self) } == .locatorClosed)
    }

    @Test func `A start that fails ends the run, and closes the locator`() async throws {
        registerDatabase()
        locator.register(.lazy { () async throws -> Int in throw Broken() })
        let error = await thrown { [locator] in try await locator.run() }
        #expect(error?.underlying as? Broken == Broken())
        #expect(thrown { try locator.resolve(Int.self) } == .locatorClosed)
    }

    @Test func `A start that takes too long ends the run`() async throws {
        locator.register(
            .lazy { () async throws -> Int in
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
        )
        let error = await thrown { [locator] in try await locator.run(timeout: .milliseconds(1)) }
        #expect(error == .startTimedOut)
    }

    @Test func `A closed locator does not run`() async {
        await locator.close()
        let error = await thrown { [locator] in try await locator.run() }
        #expect(error == .locatorClosed)
    }

    @Test func `run closes its locator after the last child is closed or released`() async throws {
        registerDatabase()
        let (closed, kept) = (locator.child("closed"), Guarded<Locator?>(locator.child("kept")))
        let running = Task { [locator] in try await locator.run(gracePeriod: nil) }
        _ = try await locator.resolveAsync(LoggedService.self)
        running.cancel()
        #expect(try closed.resolve(LoggedService.self).name == "database")
        await closed.close()
        #expect(try locator.resolve(LoggedService.self).name == "database")
        #expect(callLog.drain() == ["+database"])
        kept.withLock { $0 = nil }
        try await running.value
        #expect(callLog.drain() == ["-database"])
    }

    @Test func `run closes the children that outlive the grace period`() async throws {
        let child = locator.child("session")
        let running = Task { [locator] in try await locator.run(gracePeriod: .milliseconds(1)) }
        running.cancel()
        try await running.value
        #expect(thrown { try child.resolve(Int.self) } == .locatorClosed)
    }

    private static func runWithThrowingHook(observedBy behavior: (any Locator.Behavior)?) async throws {
        let locator = Locator("run")
        if let behavior { locator.add(behavior) }
        locator.register(.eager(1).onDispose { _ in throw Broken() })
        let running = Task { try await locator.run() }
        running.cancel()
        try await running.value
    }

    @Test func `The error of a hook is written to standard error`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await RunTests.runWithThrowingHook(observedBy: nil)
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(text?.contains("Broken()") == true)
    }

    @Test func `The error of a hook that a behavior observes is not written`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await RunTests.runWithThrowingHook(observedBy: EventCollector())
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        #expect(text?.contains("Broken()") == false)
    }
}
