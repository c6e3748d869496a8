import CInjectle
import Foundation
import Testing

@testable import InjectleRuntime

/// The tests that involve readers. Each runs with `membarrier`, where the kernel has it, and with fences.
///
/// Serialized, since the choice is one for the process.
@Suite(.serialized) struct ReaderTests {}

/// How readers and writers order their accesses.
enum Ordering: CaseIterable {
    case membarrier, fences

    func callAsFunction<Value>(_ body: () throws -> Value) rethrows -> Value {
        injectle_use_fences(self == .fences)
        defer { injectle_use_fences(false) }
        return try body()
    }

    func callAsFunction<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        injectle_use_fences(self == .fences)
        defer { injectle_use_fences(false) }
        return try await body()
    }
}

/// An object that counts how many of its kind exist.
final class Probe: Sendable {
    let value: Int
    private let live: Live

    init(_ value: Int = 0, _ live: Live) {
        self.value = value
        self.live = live
        live.add(1)
    }

    /// False only for memory that was freed, or is about to be.
    var isIntact: Bool { live.isIntact }

    var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    deinit { live.add(-1) }

    /// The number of probes that exist.
    final class Live: @unchecked Sendable {
        // Sound to share: accessed only under the lock.
        private let lock = Lock()
        private var stored = 0

        var count: Int { lock.withLock { stored } }

        /// The count when no reader delays a release any more. Other tests run readers at the same time.
        var settled: Int {
            while Reclaimer.isDelaying {
                Reclaimer.releaseDelayed()
                sched_yield()
            }
            return count
        }

        var isIntact: Bool { count > 0 }

        func add(_ change: Int) { lock.withLock { stored += change } }
    }
}

/// A word in memory that readers load as a pointer to a probe.
final class Published: @unchecked Sendable {
    // Sound to share: accessed as an atomic word.
    private let word = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 1)

    /// - Parameter probe: Retained until it is replaced.
    init(_ probe: Probe) {
        word.initialize(to: Unmanaged.passRetained(probe).toOpaque())
    }

    deinit {
        if let address = word.pointee { Unmanaged<Probe>.fromOpaque(address).release() }
        word.deallocate()
    }

    /// Called in a read section.
    var address: UnsafeMutableRawPointer? { injectle_load(word) }

    /// Reads in a read section of its own, and retains there.
    var probe: Probe? {
        withReadSection { address.map { Unmanaged<Probe>.fromOpaque($0).takeUnretainedValue() } }
    }

    /// Replaces the probe, and retires the old one. One thread at a time.
    func replace(by probe: Probe?, _ whenUnlinked: () -> Void = {}) {
        retire(Never.self) { retired in
            let old = word.pointee
            injectle_store(word, probe.map { Unmanaged.passRetained($0).toOpaque() })
            whenUnlinked()
            retired.add(old.map { Unmanaged<Probe>.fromOpaque($0).takeRetainedValue() })
        }
    }
}

/// Fills a retire list and disposes of it. When this returns, no copy of the list exists.
func retire<Effect>(
    _ effects: Effect.Type,
    performing perform: ([Effect]) -> Void = { _ in },
    _ fill: (inout Runtime.RetireList<Effect>) -> Void
) {
    var retired = Runtime.RetireList<Effect>()
    fill(&retired)
    retired.dispose(performing: perform)
}
