internal import Dispatch

/// A gate at which one thread waits until another opens it, once.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isOpen = Mutex(false)

    /// Opens the gate, which ends the wait.
    func open() {
        isOpen.withLock { $0 = true }
        semaphore.signal()
    }

    /// Ends one wait without opening, so that the thread can check for jobs before it waits again.
    func nudge() { semaphore.signal() }

    /// Waits until the gate is open. Returns false if a nudge or the deadline ends the wait before.
    func wait(until deadline: ContinuousClock.Instant? = nil) -> Bool {
        if isOpen.snapshot { return true }
        if let deadline {
            _ = semaphore.wait(timeout: .now() + max(0, ContinuousClock.now.duration(to: deadline).seconds))
        } else {
            semaphore.wait()
        }
        return isOpen.snapshot
    }

    /// Calls `body` on another thread, where no actor runs, and waits for it.
    static func onThreadWithoutActor<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let gate = Gate()
        let result = Mutex<Value?>(nil)
        DispatchQueue.global().async {
            let value = body()
            result.withLock { $0 = value }
            gate.open()
        }
        _ = gate.wait()
        return required(result.snapshot)
    }
}
