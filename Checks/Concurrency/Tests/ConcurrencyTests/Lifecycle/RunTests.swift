import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error, Equatable {}

/// `run`: a start, a wait for the cancellation and for children, and a close.
@Suite struct RunTests {
    private let locator = Locator("run")
    private let callLog = CallLog()

    @Test func `run starts, and closes after its cancellation`() async throws {
        locator.register(.logged("database", in: callLog))
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
        locator.register(.logged("database", in: callLog))
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

    @MainActor @Test func `run ends when other code closes the locator`() async throws {
        locator.register(.eager(LoggedService("database", callLog)).onDispose { $0.close() })
        // The start has nothing to create, so the run waits on the main actor before this function continues there.
        let running = Task { [locator] in try await locator.run() }
        await Task.yield()
        await locator.close()
        try await running.value
        #expect(callLog.drain() == ["+database", "-database"])
    }

    @Test func `run throws the error of a hook`() async {
        locator.register(.eager(1).onDispose { _ in throw Broken() })
        let error = await thrown { [locator] in
            let running = Task { try await locator.run() }
            running.cancel()
            try await running.value
        }
        #expect(error == .disposalFailed && error?.underlying is Broken)
    }
}
