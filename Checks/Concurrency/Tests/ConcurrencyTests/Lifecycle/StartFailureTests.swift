import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Stop: Error {}

/// Failures, timeouts and cancellation of `start()`.
@Suite struct StartFailureTests {
    private let locator = Locator("launch")
    private let callLog = CallLog()

    /// Registers 1. Its creation sets the first signal, and ends once the second one is set.
    private func registerBlockedNumber() -> (begun: Signal, goOn: Signal) {
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { () async in
                begun.set()
                await goOn.reached()
                return 1
            }
        )
        return (begun, goOn)
    }

    /// Returns a registration whose factory runs until it is cancelled, and then throws.
    private func endless(_ begun: Signal = Signal()) -> Locator.Registration<LoggedService> {
        .lazy(.anywhere) { [callLog] in
            let isCancelled = Signal()
            await withTaskCancellationHandler {
                begun.set()
                await isCancelled.reached()
            } onCancel: {
                isCancelled.set()
            }
            callLog.record("cancelled")
            throw CancellationError()
        }
    }

    // MARK: Errors

    @Test func `start throws the first error and cancels the others`() async throws {
        let begun = Signal()
        let isCreated = Signal()
        locator.register(endless(begun), key: "endless")
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("made", callLog) }.atStart(), key: "made")
        locator.register(
            .lazy(.anywhere) { () async throws -> LoggedService in
                await begun.reached()
                await isCreated.reached()
                throw Stop()
            },
            key: "failing"
        )
        locator.add(
            EventCollector { event in
                if event.kind == .didCreate, event.identity.key == AnyHashable("made") { isCreated.set() }
            }
        )
        let error = await thrown { try await locator.start() }
        #expect(error == .factoryFailed)
        #expect(error?.underlying is Stop)
        #expect(error?.identity == Locator.Identity(LoggedService.self, key: "failing"))
        #expect(try locator.resolve(LoggedService.self, key: "made").name == "made")
        await locator.close()
        #expect(callLog.drain() == ["+made", "cancelled"])
    }

    @Test func `The next start creates what failed`() async throws {
        let attempts = Counter()
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("made", callLog) }.atStart(), key: "made")
        locator.register(
            .lazy(.anywhere) { [callLog, locator] in
                // Fails only once the other service exists.
                while !locator.registrations.contains(where: \.isCreated) { await Task.yield() }
                if attempts.increment() == 1 { throw Stop() }
                return LoggedService("second attempt", callLog)
            },
            key: "failing"
        )
        #expect(await thrown { try await locator.start() }?.underlying is Stop)
        try await locator.start()
        #expect(callLog.drain() == ["+made", "+second attempt"])
        #expect(attempts.value == 2)
        locator.reset()
    }

    // MARK: Timeouts

    @Test func `A start timeout lists running services and their waits`() async throws {
        locator.register(endless(), key: "endless")
        locator.register(
            .lazy(.anywhere) { locator in try await locator.resolveAsync(LoggedService.self, key: "endless").name },
            key: "waiting"
        )
        locator.register(.lazy(.anywhere) { 1 }.atStart())
        // Doubles the timeout until both factories have started and one waits for the other, which may be pending at
        // first.
        var text = ""
        var running: [Substring] = []
        for exponent in 0..<12 where running.count < 2 || !text.contains("waits for Inj") {
            let error = await thrown { try await locator.start(timeout: .milliseconds(1 << exponent)) }
            #expect(error == .startTimedOut)
            text = try #require(error).description
            running = text.split(separator: "\n").filter { $0.contains("running") }
        }
        #expect(text.contains("The start of the locator \"launch\" timed out after"))
        #expect(text.contains("allow more time: `timeout: "))
        #expect(running.count == 2)
        #expect(
            running.contains { $0.contains("String") && $0.contains("waits for InjectleTestSupport.LoggedService") }
        )
        #expect(running.contains { $0.contains("\"endless\"") && !$0.contains("String") && !$0.contains("waits for") })
        await locator.close()
        #expect(Set(callLog.drain()) == ["cancelled"])
    }

    @Test func `A start timeout lists created services`() async throws {
        locator.register(endless())
        var text = ""
        for exponent in 0..<12 where !text.contains("created       Int") {
            // Registers again, so that the start that times out creates it.
            locator.register(.lazy(.anywhere) { 1 }.atStart())
            text =
                await thrown { try await locator.start(timeout: .milliseconds(1 << exponent)) }?.description ?? ""
        }
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.contains("created") && $0.contains("Int") })
        await locator.close()
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 10])
    func `A start timeout may be of any length`(_ timeout: Duration) async throws {
        let (begun, goOn) = registerBlockedNumber()
        let start = Task { [locator] in try await locator.start(timeout: timeout) }
        await begun.reached()
        goOn.set()
        try await start.value
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `A negative start timeout ends a start at once`() async throws {
        locator.register(endless())
        let error = await thrown { try await locator.start(timeout: .seconds(Int64.min)) }
        #expect(error == .startTimedOut)
        #expect(error?.description.contains("timed out after 0.0 seconds.") == true)
        await locator.close()
    }

    // MARK: Cancelled

    @Test func `Cancelling a start cancels its creations`() async throws {
        let begun = Signal()
        locator.register(endless(begun))
        let start = Task { [self] in await thrown { try await locator.start() } }
        await begun.reached()
        start.cancel()
        let error = try #require(await start.value)
        #expect(error == .cancelled)
        #expect(error.identity == Locator.Identity(LoggedService.self))
        await locator.close()
        #expect(callLog.drain() == ["cancelled"])
    }

    @Test func `Cancelling a start leaves services with other waiters`() async throws {
        let (locator, begun, mayGoOn) = (locator, Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [callLog] in
                begun.set()
                await mayGoOn.reached()
                try Task.checkCancellation()
                return LoggedService("wanted", callLog)
            },
            key: "wanted"
        )
        let start = Task { await thrown { try await locator.start() } }
        await begun.reached()
        let service = await ProbeActor.startTask { _ in
            try await locator.resolveAsync(LoggedService.self, key: "wanted").name
        }
        let other = await ProbeActor.startTask { _ in try await locator.start() }
        start.cancel()
        #expect(await start.value == .cancelled)
        mayGoOn.set()
        #expect(try await service.value == "wanted")
        try await other.value
        #expect(callLog.drain() == ["+wanted"])
    }

    @Test func `Cancelling a start ends it before its creations and its timeout`() async throws {
        let (begun, goOn) = registerBlockedNumber()
        let start = Task { [locator] in await thrown { try await locator.start(timeout: .seconds(600)) } }
        await begun.reached()
        start.cancel()
        #expect(await start.value == .cancelled)
        goOn.set()
    }

    @Test func `A start in a cancelled task creates nothing`() async throws {
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("a", callLog) }.atStart())
        let (cancelled, locator) = (Signal(), locator)
        let start = Task {
            await cancelled.reached()
            return await thrown { try await locator.start() }
        }
        start.cancel()
        cancelled.set()
        #expect(await start.value == .cancelled)
        #expect(callLog.drain() == [])
    }

    // MARK: Closed

    @Test(arguments: [false, true])
    func `Closing the locator ends a start before its creations`(ofParent: Bool) async throws {
        let (begun, goOn) = (Signal(), Signal())
        let child = locator.child("child")
        child.register(
            .lazy(.anywhere) { () async in
                begun.set()
                await goOn.reached()
                return 1
            }
        )
        let start = Task { await thrown { try await child.start(timeout: .seconds(600)) } }
        await begun.reached()
        let close = Task { [locator] in await (ofParent ? locator : child).close() }
        #expect(await start.value == .locatorClosed)
        goOn.set()
        _ = await close.value
    }
}
