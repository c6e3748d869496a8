import InjectleTestSupport
import Testing

@testable import Injectle

/// The actor of a closure, and the callers that run on it.
@Suite struct ClosureIsolationTests {
    @Test func `A caller isolated to the main actor runs on it on any thread`() async {
        // As with an executor of the main actor that is not the main thread.
        let isHere = await onAnotherThread {
            [ClosureIsolation.mainActor.isHere(MainActor.shared), ClosureIsolation.mainActor.isHere(nil)]
        }
        #expect(isHere == [true, false])
    }

    @Test func `Another actor is not the main actor`() async {
        let isHere = await onAnotherThread { ClosureIsolation.mainActor.isHere(ProbeActor()) }
        #expect(!isHere)
    }

    @Test @MainActor func `The main thread runs the main actor for any caller`() {
        #expect(ClosureIsolation.mainActor.isHere(nil))
        #expect(ClosureIsolation.mainActor.isHere(MainActor.shared))
    }
}
