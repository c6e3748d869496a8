import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error, Equatable {
    var number = 1
}

/// `run` with a closure: a start, the closure, and a close in any case.
@Suite struct RunProgramTests {
    private let locator = Locator("run")
    private let callLog = CallLog()

    private func registerBrokenHook(_ number: Int = 1) {
        locator.register(.eager("\(number)").onDispose { _ in throw Broken(number: number) }, key: number)
    }

    @Test func `run starts, calls the closure, closes, and returns the result`() async throws {
        locator.register(.logged("database", in: callLog))
        let name = try await locator.run {
            callLog.record("run")
            return try locator.resolve(LoggedService.self).name
        }
        #expect(name == "database")
        #expect(callLog.drain() == ["+database", "run", "-database"])
        #expect(thrown { try locator.resolve(LoggedService.self) } == .locatorClosed)
    }

    @MainActor @Test func `The closure runs on the actor of the caller`() async throws {
        var count = 0
        try await locator.run {
            MainActor.assertIsolated()
            count += 1
        }
        #expect(count == 1)
    }

    @Test func `An error of the closure closes the locator, and is thrown`() async {
        locator.register(.logged("database", in: callLog))
        await #expect(throws: Broken()) { try await locator.run { throw Broken() } }
        #expect(callLog.drain() == ["+database", "-database"])
    }

    @Test func `A start that fails closes the locator at once, and the closure does not run`() async {
        locator.register(.logged("database", in: callLog))
        locator.register(
            .lazy { (locator: Locator.Resolver) async throws -> Int in
                _ = try await locator.resolveAsync(LoggedService.self)
                throw Broken()
            }
        )
        let child = locator.child("session")
        let error = await thrown {
            try await locator.run(gracePeriod: nil) { Issue.record("The closure runs.") }
        }
        #expect(error?.underlying as? Broken == Broken())
        #expect(thrown { try child.resolve(Int.self) } == .locatorClosed)
        #expect(callLog.drain() == ["+database", "-database"])
    }

    @Test func `A cancellation ends the closure, and no hook`() async {
        let hasBegun = Signal()
        locator.register(.eager(1).onDispose { [callLog] _ async in callLog.record("cancelled: \(Task.isCancelled)") })
        let running = Task { [locator] in
            try await locator.run {
                hasBegun.set()
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        await hasBegun.reached()
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(callLog.drain() == ["cancelled: false"])
    }

    @Test func `A cancellation during the start is thrown`() async {
        let hasBegun = Signal()
        locator.register(
            .lazy { () async throws -> Int in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
        )
        let running = Task { [locator] in try await locator.run { Issue.record("The closure runs.") } }
        await hasBegun.reached()
        running.cancel()
        await #expect(throws: InjectleError.cancelled) { try await running.value }
    }

    @Test func `The first error of the hooks is thrown`() async {
        for number in 1...2 { registerBrokenHook(number) }
        let error = await thrown { try await locator.run {} }
        #expect(error == .disposalFailed && error?.underlying as? Broken == Broken(number: 2))
    }

    @Test func `A handler gets the errors of the hooks instead`() async throws {
        for number in 1...2 { registerBrokenHook(number) }
        var numbers: [Int?] = []
        try await locator.run(onDisposalErrors: { errors in
            numbers = errors.map { ($0.underlying as? Broken)?.number }
        }) {}
        #expect(numbers == [2, 1])
    }

    @Test func `A handler is not called without an error`() async throws {
        locator.register(.logged("database", in: callLog))
        try await locator.run(onDisposalErrors: { _ in Issue.record("There is no error.") }) {}
    }

    /// Runs a locator whose closure throws, and then a hook.
    private static func runWithTwoErrors(_ locator: Locator) async {
        locator.register(.eager(1).onDispose { _ in throw Broken() })
        await #expect(throws: Broken(number: 2)) { try await locator.run { throw Broken(number: 2) } }
    }

    @Test func `An error of a hook is written to standard error if the closure throws another`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await RunProgramTests.runWithTwoErrors(Locator("run"))
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("Broken(number: 1)"))
    }

    @Test func `An error of a hook that a behavior observes is not written to standard error`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let locator = Locator("run")
            locator.add(EventCollector())
            await RunProgramTests.runWithTwoErrors(locator)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains("Broken(number: 1)"))
    }
}
