import Dispatch
import Testing

@testable import InjectleRuntime

/// Which thread runs the main actor.
@Suite struct MainThreadTests {
    private func isMainThread(on queue: DispatchQueue) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: MainActorBridge.isMainThread) }
        }
    }

    @Test func `The main actor runs on the main thread`() async {
        #expect(await MainActor.run { MainActorBridge.isMainThread })
    }

    @Test func `The main queue, and a queue with this target, run on the main thread`() async {
        #expect(await isMainThread(on: .main))
        #expect(await isMainThread(on: DispatchQueue(label: "above the main queue", target: .main)))
    }

    @Test func `Other queues and tasks do not run on the main thread`() async {
        #expect(await !isMainThread(on: .global()))
        #expect(await !isMainThread(on: DispatchQueue(label: "of its own")))
        #expect(await Task.detached { !MainActorBridge.isMainThread }.value)
    }
}
