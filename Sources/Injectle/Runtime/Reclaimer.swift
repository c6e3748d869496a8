internal import CInjectle

/// Releases retired objects when no thread can use them any more. It never waits for a thread.
///
/// A batch of objects that a reader may still use is delayed: a later writer releases it, or a task that looks for the
/// end of the readers.
///
/// Invariant, under the lock of the list of threads: a thread that delays a batch has been inside one read section since
/// before that batch was retired, and so delays each later batch as well. So batches become free in their order.
package enum Reclaimer {
    /// The objects that one change has retired, and the memory that only readers use.
    @safe
    struct Batch {
        fileprivate(set) var objects: [AnyObject] = []
        fileprivate(set) var blocks: [UnsafeMutableRawPointer] = unsafe []
        fileprivate var readers: [injectle_reader] = unsafe []

        var isEmpty: Bool { unsafe objects.isEmpty && blocks.isEmpty }

        mutating func add(_ object: AnyObject) { objects.append(object) }
        mutating func add(block: UnsafeMutableRawPointer) { unsafe blocks.append(block) }

        /// Releases all. No thread reads.
        consuming func release() {
            unsafe blocks.forEach { unsafe injectle_free($0) }
            objects = []
        }

        fileprivate var isDelayed: Bool { unsafe readers.contains { unsafe !injectle_has_left($0) } }
    }

    // Sound to share: all are accessed only while the list of threads is locked.
    nonisolated(unsafe) private static var delayed: [Batch] = []
    nonisolated(unsafe) private static var hasTask = false
    nonisolated(unsafe) private static var barrierCosts = BarrierCosts()
    nonisolated(unsafe) private static var readersFence = false
    nonisolated(unsafe) private static var writesWhileFencing = 0
    // The batches that are not released yet. Sound to share: an atomic word.
    @exclusivity(unchecked) nonisolated(unsafe) private static var retiredCount: UInt = 0

    /// Whether a batch is delayed by a reader, or is being released.
    package static var isDelaying: Bool { unsafe injectle_load_number(&retiredCount) != 0 }

    private static func withThreads<Value: ~Copyable>(_ body: (Threads) -> Value) -> Value {
        let first = unsafe injectle_lock_threads()
        defer { injectle_unlock_threads() }
        return unsafe body(Threads(first: first))
    }

    /// The records of all threads, while the list is locked.
    @safe
    private struct Threads {
        private let first: UnsafeMutablePointer<injectle_thread>?

        init(first: UnsafeMutablePointer<injectle_thread>?) { unsafe self.first = first }

        func forEach(_ body: (UnsafeMutablePointer<injectle_thread>) -> Void) {
            var following = unsafe first
            while let thread = unsafe following {
                unsafe body(thread)
                unsafe following = thread.pointee.next
            }
        }
    }

    // MARK: Readers

    /// Releases the objects of a batch that no later reader can reach: now or, if a reader is inside a section, later.
    ///
    /// - Complexity: O(*n*) in the number of threads and objects; O(1) for an empty batch.
    static func release(_ batch: consuming Batch) {
        if batch.isEmpty { return releaseDelayed() }
        var batch = batch
        let start = injectle_time()
        injectle_process_barrier()
        let end = injectle_time()
        var mustFence = false
        var free = withThreads { threads in
            mustFence = unsafe barrierCosts.add(from: start, to: end) && !readersFence
            unsafe writesWhileFencing += 1
            unsafe threads.forEach { thread in
                var section: UInt = 0
                guard unsafe injectle_is_reading(thread, &section) else { return }
                unsafe batch.readers.append(injectle_reader(thread: thread, section: section))
            }
            unsafe delayed.append(batch)
            unsafe injectle_add_number(&retiredCount, 1)
            return takeFree(threads)
        }
        batch = Batch()
        // A reader that runs leaves its section after a few instructions.
        var polls = 0
        while free.areOthersDelayed, polls < 8 {
            free.release()
            free = withThreads(takeFree)
            polls += 1
        }
        if mustFence { setReadersFence(true) }
        if free.areOthersDelayed || mustFence { startTask() }
        free.release()
    }

    // MARK: Fences beside many writes

    // A barrier interrupts each processor that runs a thread of the process. While writes follow each other closely, a fence
    // at each read costs less.

    private static func setReadersFence(_ fence: Bool) {
        injectle_use_fences(fence)
        withThreads { _ in
            unsafe readersFence = fence
            unsafe writesWhileFencing = 0
        }
    }

    /// Ends the fences if few writes have come since the last call. Returns whether readers still fence.
    private static func endFencesIfQuiet() -> Bool {
        let (fence, isQuiet) = withThreads { _ in
            defer { unsafe writesWhileFencing = 0 }
            return unsafe (readersFence, writesWhileFencing < 16)
        }
        if fence, isQuiet { setReadersFence(false) }
        return fence && !isQuiet
    }

    /// Releases delayed batches that no reader delays any more.
    static func releaseDelayed() {
        if isDelaying { withThreads(takeFree).release() }
    }

    private struct Free: ~Copyable {
        private(set) var batches: [Batch]
        let areOthersDelayed: Bool

        /// Releases the objects. No lock is held.
        consuming func release() {
            let count = batches.count
            for batch in batches { batch.release() }
            batches = []
            unsafe injectle_add_number(&retiredCount, -count)
        }
    }

    /// Removes the batches that no reader delays any more. The list of threads is locked.
    private static func takeFree(_ threads: Threads) -> Free {
        let count = unsafe delayed.firstIndex { $0.isDelayed } ?? delayed.count
        let batches = unsafe Array(delayed.prefix(count))
        unsafe delayed.removeFirst(count)
        return unsafe Free(
            batches: batches,
            areOthersDelayed: !delayed.isEmpty
        )
    }

    /// Starts the task that releases delayed batches where no later write does, and ends the fences of readers.
    private static func startTask() {
        let starts = withThreads { _ in
            defer { unsafe hasTask = true }
            return unsafe !hasTask
        }
        guard starts else { return }
        Task.detached {
            var pause = Duration.milliseconds(1)
            repeat {
                try? await Task.sleep(for: pause)
                if pause < .seconds(1) { pause *= 2 }
                releaseDelayed()
                if endFencesIfQuiet() { pause = .milliseconds(16) }
            } while withThreads { _ in
                unsafe hasTask = !delayed.isEmpty || readersFence
                return unsafe hasTask
            }
        }
    }
}

/// Whether the barriers of a process take so much time that readers should fence instead. A pure state machine.
struct BarrierCosts {
    private var begin: Int64 = 0
    private var sum: Int64 = 0
    private var count = 0

    /// Adds a barrier, with its times in nanoseconds. Returns whether at least eight barriers took more than a quarter of
    /// the last millisecond.
    mutating func add(from start: Int64, to end: Int64) -> Bool {
        if end - begin > 1_000_000 { (begin, sum, count) = (start, 0, 0) }
        sum += end - start
        count += 1
        return count >= 8 && sum > 250_000
    }
}
