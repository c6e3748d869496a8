import CInjectle
import Foundation
import InjectleTestSupport
import Testing

@testable import InjectleRuntime

extension ReaderTests {
    @Suite struct RetireListTests {
        private let live = Probe.Live()

        /// A reader inside the section in which it found a probe, which has been replaced since.
        private func readerOfReplacedProbe() -> Reader {
            let published = Published(Probe(1, live))
            let reader = Reader()
            reader.enter { published.address }
            published.replace(by: nil)
            return reader
        }

        @Test(arguments: Ordering.allCases)
        func `Retired objects are released after the list is disposed of`(ordering: Ordering) {
            ordering {
                retire(Never.self) { retired in
                    retired.add(Probe(1, live))
                    retired.add(unreachable: Probe(2, live))
                    retired.add(block: .allocate(byteCount: 16, alignment: 8))
                    retired.add(AnyObject?.none)
                    #expect(live.count == 2)
                }
                #expect(live.settled == 0)
            }
        }

        @Test(arguments: Ordering.allCases)
        func `Effects run in their order and before any release`(ordering: Ordering) {
            ordering {
                var performed: [String] = []
                let perform = { (effects: [String]) in
                    performed += effects
                    #expect(live.count == 2)
                }
                retire(String.self, performing: perform) { retired in
                    retired.add(effect: "first")
                    retired.add(Probe(1, live))
                    var more = Runtime.RetireList<String>()
                    more.add(effect: "second")
                    more.add(Probe(2, live))
                    retired.add(more)
                }
                #expect(performed == ["first", "second"])
                #expect(live.settled == 0)
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A list without effects performs none`(ordering: Ordering) {
            ordering {
                var calls = 0
                retire(String.self, performing: { _ in calls += 1 }) { _ in }
                retire(String.self, performing: { _ in calls += 1 }) { $0.add(Probe(1, live)) }
                #expect(calls == 0)
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A writer does not wait for a reader, and the next one releases the object`(ordering: Ordering) {
            ordering {
                let other = Published(Probe(2, live))
                let reader = readerOfReplacedProbe()
                #expect(live.count == 2)
                #expect(reader.foundValue == 1)
                #expect(live.count == 2)
                reader.leave()
                other.replace(by: nil)
                #expect(live.settled == 0)
                reader.stop()
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A later section of a reader does not delay a release`(ordering: Ordering) {
            ordering {
                let reader = readerOfReplacedProbe()
                reader.leave()
                reader.enter { nil }
                while live.count > 0, !Task.isCancelled { Reclaimer.releaseDelayed() }
                #expect(live.count == 0)
                reader.leave()
                reader.stop()
            }
        }

        @Test(.timeLimit(.minutes(1)), arguments: Ordering.allCases)
        func `A delayed object is released without another write`(ordering: Ordering) async {
            await ordering {
                let reader = readerOfReplacedProbe()
                reader.leave()
                while live.count > 0, !Task.isCancelled { await Task.yield() }
                #expect(live.count == 0)
                reader.stop()
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A reader delays what is retired later as well`(ordering: Ordering) {
            ordering {
                let first = Published(Probe(1, live))
                let second = Published(Probe(2, live))
                let reader = Reader()
                reader.enter { second.address }
                first.replace(by: nil)
                second.replace(by: nil)
                #expect(reader.foundValue == 2)
                #expect(live.count == 2)
                reader.leave()
                #expect(live.settled == 0)
                reader.stop()
            }
        }

        @Test(arguments: Ordering.allCases)
        func `A thread that ends delays nothing`(ordering: Ordering) {
            ordering {
                let reader = readerOfReplacedProbe()
                reader.leave()
                reader.stop()
                #expect(live.settled == 0)
            }
        }

        @Test func `Readers fence when the barrier fails, and delay releases until then`() {
            injectle_use_fences(false)
            defer { injectle_use_fences(false) }
            let published = Published(Probe(1, live))
            let reader = Reader()
            reader.enter { nil }
            reader.leave()
            injectle_fail_barriers(true)
            published.replace(by: nil)
            injectle_fail_barriers(false)
            let needsFence = reader.value { injectle_thread_current().pointee.needs_fence != 0 }
            #expect(needsFence)
            #expect(live.count == 1)
            // A barrier that works again.
            injectle_use_fences(false)
            injectle_use_fences(true)
            #expect(live.settled == 0)
            reader.stop()
        }
    }

    @Suite struct EntryTableReadTests {
        @Test(arguments: Ordering.allCases)
        func `Readers find every entry while the table grows and entries are replaced`(ordering: Ordering) async {
            let live = Probe.Live()
            await ordering {
                let shared = SharedTable()
                for tag in UInt(1)...8 { shared.put(Probe(Int(tag), live), tagged: tag) }
                let rounds = Stress.rounds(2_000)
                await onThreadsAsync(3) { index in
                    for round in 0..<rounds {
                        if index == 0 {
                            // New tags let the table grow, and old ones are replaced.
                            let tag = UInt(round % 8 + 1)
                            shared.put(Probe(Int(tag), live), tagged: tag)
                            shared.put(Probe(round, live), tagged: UInt(round + 9))
                        } else {
                            let tag = UInt((round + index) % 8 + 1)
                            guard let probe = shared.find(tag) else {
                                Issue.record("A reader missed an entry.")
                                return
                            }
                            #expect(probe.value == Int(tag))
                        }
                    }
                }
                shared.destroy()
                #expect(live.settled == 0)
            }
        }

        private final class SharedTable: @unchecked Sendable {
            // Sound to share: one thread writes, and readers load `block` as an atomic word.
            private var table = EntryTable()
            private let block = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)

            init() { block.initialize(to: nil) }

            deinit { injectle_free(block) }

            func put(_ probe: Probe, tagged tag: UInt) {
                retire(Never.self) { retired in
                    var old: UnsafeMutableRawPointer?
                    table.forEach(tagged: tag) { old = $0 }
                    let address = Unmanaged.passRetained(probe).toOpaque()
                    retired.add(block: table.put(address, tagged: tag, replacing: old))
                    injectle_store(block, table.block)
                    retired.add(old.map { Unmanaged<Probe>.fromOpaque($0).takeRetainedValue() })
                }
            }

            func find(_ tag: UInt) -> Probe? {
                withReadSection {
                    injectle_load(block).flatMap { EntryTable.find(tag, in: $0) }
                        .map { Unmanaged<Probe>.fromOpaque($0).takeUnretainedValue() }
                }
            }

            func destroy() {
                table.forEach { Unmanaged<Probe>.fromOpaque($0).release() }
                table.block.map { injectle_free($0) }
            }
        }
    }
}

/// A thread that enters and leaves read sections on command.
///
/// Its calls block: a test that suspended while the reader is inside a section would wait for a thread of the pool, which
/// other tests may block until the reader leaves.
final class Reader: @unchecked Sendable {
    // Sound to share: the variables are used on the reader's thread alone, and a call waits for that.
    private var thread: UnsafeMutablePointer<injectle_thread>?
    private var found: UnsafeMutableRawPointer?
    private var command: () -> Void = {}
    private let (begin, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

    init() {
        Thread { [self] in
            while !Thread.current.isCancelled {
                begin.wait()
                command()
                end.signal()
            }
        }.start()
    }

    /// Runs `body` on the thread.
    func value<Value>(_ body: @escaping () -> Value) -> Value {
        var value: Value?
        command = { value = body() }
        begin.signal()
        end.wait()
        command = {}
        guard let value else { fatalError("The thread has ended.") }
        return value
    }

    /// Enters a section, and finds the address of a probe there.
    func enter(_ find: @escaping () -> UnsafeMutableRawPointer?) {
        value { [self] in
            thread = injectle_enter()
            found = find()
        }
    }

    /// The value of the probe that was found, read inside the section.
    var foundValue: Int? {
        value { [self] in found.map { Unmanaged<Probe>.fromOpaque($0)._withUnsafeGuaranteedRef(\.value) } }
    }

    func leave() {
        value { [self] in
            if let thread { injectle_leave(thread) }
        }
    }

    func stop() {
        value { Thread.current.cancel() }
    }
}
