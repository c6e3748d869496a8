import CInjectle
import InjectleTestSupport
import Testing

@testable import InjectleRuntime

extension ReaderTests {
    @Suite struct ReadSectionTests {
        @Test(arguments: Ordering.allCases)
        func `A section returns the value of its body`(ordering: Ordering) {
            ordering { #expect(withReadSection { 42 } == 42) }
        }

        @Test(arguments: Ordering.allCases)
        func `A thread is inside a section until the body returns`(ordering: Ordering) {
            ordering {
                let before = injectle_thread_current().pointee.section
                let inside = withReadSection { injectle_thread_current().pointee.section }
                #expect(before & 1 == 0)
                #expect(inside == before + 1)
                #expect(injectle_thread_current().pointee.section == before + 2)
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A writer waits for a section in progress`(ordering: Ordering) async {
            await ordering {
                let isInside = Signal()
                let hasLeft = Counter()
                let seen = Guarded<Int?>(nil)
                await onThreadsAsync(2) { index in
                    if index == 0 {
                        let thread = injectle_enter()
                        isInside.set()
                        // Long enough for a writer that does not wait to be seen.
                        _ = Gate().wait(until: Deadline(after: .milliseconds(20)))
                        hasLeft.increment()
                        injectle_leave(thread)
                    } else {
                        isInside.wait()
                        injectle_synchronize()
                        seen.withLock { $0 = hasLeft.value }
                    }
                }
                #expect(seen.value == 1)
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A writer does not wait for threads outside of sections`(ordering: Ordering) {
            ordering {
                _ = withReadSection { 1 }
                injectle_synchronize()
            }
        }

        @Test(arguments: Ordering.allCases)
        func `Threads that begin later follow the choice of ordering`(ordering: Ordering) async {
            let needsFence = await ordering {
                await onAnotherThread { injectle_thread_current().pointee.needs_fence != 0 }
            }
            // Where the kernel has no process-wide barrier, readers always fence.
            #expect(needsFence || ordering == .membarrier)
        }

        @Test(arguments: Ordering.allCases)
        func `Readers see either the old or the new object`(ordering: Ordering) async {
            let live = Probe.Live()
            await ordering {
                let published = Published(Probe(0, live))
                let rounds = Stress.rounds(5_000)
                await onThreadsAsync(3) { index in
                    if index == 0 {
                        for round in 1...rounds { published.replace(by: Probe(round, live)) }
                    } else {
                        var last = 0
                        for _ in 0..<rounds {
                            guard let probe = published.probe, probe.isIntact else {
                                Issue.record("A reader found no object.")
                                return
                            }
                            #expect(probe.value >= last)
                            last = probe.value
                        }
                    }
                }
                published.replace(by: nil)
                #expect(live.count == 0)
            }
        }
    }
}
