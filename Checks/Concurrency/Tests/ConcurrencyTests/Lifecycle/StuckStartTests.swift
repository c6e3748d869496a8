import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Worker: Sendable {}
private struct Broken: Error {}

/// A start or a run that cannot go on ends in time.
@Suite struct StuckStartTests {
    @Test(.disabled("On Linux, no task continues while all threads of the pool are blocked, also without the library."))
    func `A start times out while synchronous closures block all threads of the pool`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            await StuckStartTests.startWithBlockedPool()
        }
    }

    /// On the main actor, so that it needs no thread of the pool.
    @MainActor private static func startWithBlockedPool() async {
        let (locator, goOn) = (Locator("stuck"), Signal())
        for number in 0..<ProcessInfo.processInfo.activeProcessorCount {
            locator.register(
                .lazy(.anywhere) {
                    goOn.wait()
                    return Worker()
                }
                .atStart(),
                key: number
            )
        }
        let error = await thrown { try await locator.start(timeout: .milliseconds(100)) }
        goOn.set()
        guard error == .startTimedOut else { fatalError("\(String(describing: error))") }
    }

    @Test func `A failed start ends a run although a child lives`() async throws {
        let locator = Locator("server")
        locator.register(.lazy(.anywhere) { () async throws -> Worker in throw Broken() })
        let session = locator.child("session")
        let error = await inTime { await thrown { try await locator.run(gracePeriod: .seconds(600)) } }
        #expect(error == .factoryFailed)
        withExtendedLifetime(session) {}
    }

    @Test func `A close elsewhere ends a run`() async throws {
        let (locator, started) = (Locator("server"), Signal())
        locator.register(
            .lazy(.anywhere) { () async in
                started.set()
                return Worker()
            }
        )
        let running = Task { try await locator.run() }
        await started.reached()
        #expect(await inTime { await locator.close() } == [])
        #expect(await inTime { try? await running.value } != nil)
        running.cancel()
    }
}
