import CInjectle
import Foundation
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
                #expect(OwnSection() == nil)
                let inside = withReadSection {
                    let inside = OwnSection()
                    #expect(inside?.hasLeft == false)
                    return inside
                }
                #expect(inside?.hasLeft == true)
                #expect(OwnSection() == nil)
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A thread leaves a section when it leaves the outermost`(ordering: Ordering) {
            ordering {
                var outer: OwnSection?
                withReadSection {
                    outer = OwnSection()
                    for _ in 0..<2 {
                        withReadSection { withReadSection { #expect(outer?.hasLeft == false) } }
                        #expect(outer?.hasLeft == false)
                    }
                }
                #expect(outer?.hasLeft == true)
                // A later section is another one.
                withReadSection { #expect(outer?.hasLeft == true) }
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A writer inside a section frees nothing that the section may read`(ordering: Ordering) {
            let live = Probe.Live()
            ordering {
                let published = Published(Probe(1, live))
                withReadSection {
                    published.replace(by: Probe(2, live))
                    withReadSection {}
                    published.replace(by: nil)
                    #expect(live.count == 2)
                }
                #expect(live.settled == 0)
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
                #expect(live.settled == 0)
            }
        }

        @Test func `Readers begin and end to fence while they read`() async {
            let live = Probe.Live()
            let published = Published(Probe(0, live))
            let rounds = Stress.rounds(2_000)
            await onThreadsAsync(4) { index in
                switch index {
                case 0:
                    for round in 1...rounds { published.replace(by: Probe(round, live)) }
                case 1:
                    for round in 0..<rounds / 4 { injectle_use_fences(round.isMultiple(of: 2)) }
                default:
                    for _ in 0..<rounds {
                        guard let probe = published.probe, probe.isIntact else {
                            Issue.record("A reader found no object.")
                            return
                        }
                    }
                }
            }
            injectle_use_fences(false)
            published.replace(by: nil)
            #expect(live.settled == 0)
        }

        @Test func `Readers keep their fences while the barrier fails`() {
            injectle_use_fences(true)
            injectle_fail_barriers(true)
            injectle_use_fences(false)
            injectle_fail_barriers(false)
            #expect(injectle_thread_current().pointee.needs_fence != 0)
            injectle_use_fences(false)
        }

        @Test func `Threads that have ended leave their records to others`() async {
            func records() -> Int {
                var count = 0
                var thread = injectle_lock_threads()
                while let record = thread {
                    count += 1
                    thread = record.pointee.next
                }
                injectle_unlock_threads()
                return count
            }
            // Other tests begin and end threads as well, but far fewer.
            let before = records()
            for _ in 0..<20 { await onThreadsAsync(50) { _ in withReadSection {} } }
            #expect(records() < before + 500)
        }

        @Test func `A reader of a parent process does not delay its fork`() async {
            // Not in this process: a child inherits the locks that threads of other tests hold, in the Swift runtime as well.
            await #expect(processExitsWith: .success) {
                // Whatever the runtime creates at first use exists before the fork.
                Published(Probe(1, Probe.Live())).replace(by: nil)
                let reader = Reader()
                reader.enter { nil }
                let status = forkAndWrite()
                reader.leave()
                reader.stop()
                exit(status)
            }
        }
    }
}

/// Forks, and lets the child retire an object. Returns the child's status: 0 if it released the object.
private func forkAndWrite() -> Int32 {
    // The name is unavailable in Swift, since most of its library may not run in a child.
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(nil, "fork") else { return -1 }
    let fork = unsafeBitCast(symbol, to: Fork.self)
    let live = Probe.Live()
    let published = Published(Probe(1, live))
    let child = fork()
    if child == 0 {
        // A child that does not end is killed.
        alarm(60)
        published.replace(by: nil)
        _exit(live.count == 0 ? 0 : 1)
    }
    var status: Int32 = -1
    waitpid(child, &status, 0)
    return status == 0 ? 0 : 1
}

/// The read section that the calling thread is inside of.
private struct OwnSection {
    private let reader: injectle_reader

    init?() {
        let thread = injectle_thread_current()
        var section: UInt = 0
        guard injectle_is_reading(thread, &section) else { return nil }
        reader = injectle_reader(thread: thread, section: section)
    }

    var hasLeft: Bool { injectle_has_left(reader) }
}
