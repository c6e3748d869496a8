import InjectleTestSupport
import Testing

@testable import Injectle

/// The actor of a closure, and the callers that run on it.
@Suite struct ClosureIsolationTests {
    @Test @MainActor func `The main thread runs the main actor for any caller`() {
        #expect(ClosureIsolation.mainActor.isHere)
        #expect(!ClosureIsolation(ProbeActor()).isHere)
    }

    @Test func `Another thread does not run the main actor`() async {
        #expect(await !onAnotherThread { ClosureIsolation.mainActor.isHere })
    }

    @Test func `An actor runs its own closures`() async throws {
        let task = await ProbeActor.startTask { actor in
            [ClosureIsolation(actor).isHere, ClosureIsolation(ProbeActor()).isHere]
        }
        #expect(try await task.value == [true, false])
    }

    @Test func `No code runs on an actor that was released`() async {
        let isolation = ClosureIsolation(ProbeActor())
        #expect(!isolation.isHere)
    }
}
