import Injectle
import InjectleTestSupport
import Testing

private final class Service: Sendable {}

/// Behaviors that are added and removed while other threads send events.
@Suite(.serialized) struct BehaviorStressTests {
    /// Counts the events it receives, in memory that the thread sanitizer checks.
    private final class CountingBehavior: Locator.Behavior {
        let tracked: Tracked
        let total: Counter

        init(_ log: Tracked.Log, _ total: Counter) {
            tracked = Tracked(log)
            self.total = total
        }

        func handle(_ event: Locator.Event) { total.increment() }
    }

    @Test func `Behaviors come and go during events`() async {
        let log = Tracked.Log()
        let total = Counter()
        do {
            let root = Locator("root")
            let locator = root.child("child")
            locator.register(.volatile(.anywhere) { Service() })
            locator.register(.lazy(.anywhere) { Service() }, key: "shared")
            let permanent = root.add(CountingBehavior(log, total))
            await onThreadsAsync(4) { index in
                for round in 0..<Stress.rounds(500) {
                    if index < 2 {
                        _ = try? locator.resolve(Service.self)
                        _ = try? locator.resolve(Service.self, key: "shared")
                        continue
                    }
                    let observed = round.isMultiple(of: 2) ? root : locator
                    let handles = (0..<3).map { _ in observed.add(CountingBehavior(log, total)) }
                    locator.register(.lazy(.anywhere) { Service() }, key: index)
                    for handle in handles { handle.remove() }
                }
            }
            // Only the permanent one is left.
            let before = total.value
            locator.register(.lazy(.anywhere) { Service() })
            #expect(total.value == before + 2)
            permanent.remove()
            locator.register(.lazy(.anywhere) { Service() })
            #expect(total.value == before + 2)
        }
        #expect(log.alive == 0)
    }
}
