import InjectleTestSupport
import Testing

@testable import InjectleRuntime

@Suite struct LockTests {
    private final class Total: @unchecked Sendable {
        // Sound to share: accessed only under the lock.
        let lock = Lock()
        var value = 0
    }

    @Test func `A lock excludes other threads`() async {
        let total = Total()
        await onThreadsAsync(4) { _ in
            for _ in 0..<10_000 { total.lock.withLock { total.value += 1 } }
        }
        #expect(total.value == 40_000)
    }

    @Test func `A lock is released when its body throws`() {
        struct Failure: Error {}
        let lock = Lock()
        #expect(throws: Failure.self) { try lock.withLock { throw Failure() } }
        #expect(lock.withLock { true })
    }

    @Test(arguments: [false, true])
    func `A lock has memory for something else, which it does not use itself`(isAlone: Bool) {
        let lock = Lock(isAlone: isAlone, with: 9 * MemoryLayout<UInt64>.size)
        let words = lock.memory(isAlone: isAlone).bindMemory(to: UInt64.self, capacity: 9)
        words.initialize(repeating: 0x5EED, count: 9)
        lock.withLock { words[8] += 1 }
        let values = (0..<9).map { words[$0] }
        #expect(values == [UInt64](repeating: 0x5EED, count: 8) + [0x5EEE])
        // A cache line of its own, or the alignment of every type.
        #expect(UInt(bitPattern: words) % (isAlone ? 128 : 16) == 0)
    }

    @Test func `A gate that is open lets every wait pass`() {
        let gate = Gate()
        gate.open()
        let passes = [gate.wait(), gate.wait(until: Deadline(after: .zero))]
        #expect(passes == [true, true])
    }

    @Test func `A thread waits until another opens the gate`() async {
        let gate = Gate()
        let order = Guarded<[String]>([])
        await onThreadsAsync(2) { index in
            if index == 0 {
                _ = gate.wait()
                order.withLock { $0.append("passed") }
            } else {
                order.withLock { $0.append("opened") }
                gate.open()
            }
        }
        #expect(order.value == ["opened", "passed"])
    }

    @Test func `A nudge ends one wait without opening`() {
        let gate = Gate()
        gate.nudge()
        let passes = [gate.wait(), gate.wait(until: Deadline(after: .zero))]
        #expect(passes == [false, false])
    }

    @Test func `A wait ends at its deadline`() {
        #expect(!Gate().wait(until: Deadline(after: .milliseconds(5))))
        #expect(!Gate().wait(until: Deadline(after: .seconds(-1))))
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max) * 10])
    func `A deadline after any duration does not overflow`(_ duration: Duration) async {
        let gate = Gate()
        async let isOpen = onAnotherThread { gate.wait(until: Deadline(after: duration)) }
        gate.open()
        // A deadline in the past can end the wait first.
        #expect(await isOpen || duration < .zero)
        #expect((Deadline(after: duration).remaining != nil) == (duration > .zero))
    }
}
