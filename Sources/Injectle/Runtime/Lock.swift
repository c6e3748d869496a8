internal import CInjectle

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A mutex for a few instructions at a time.
///
/// Invariant: while it is held, no user code runs and no user object is released. A body that removes an object
/// from guarded state returns it from `withLock`, and its caller releases it afterwards.
@safe
struct Lock: ~Copyable, @unchecked Sendable {
    // Sound to share: the only state is the platform's lock, which several threads may use.
    #if canImport(Darwin)
    private typealias Platform = os_unfair_lock

    init(isAlone: Bool = false, with size: Int = 0) {
        platform = Lock.allocate(isAlone: isAlone, with: size)
        platform.initialize(to: os_unfair_lock())
    }

    func lock() { os_unfair_lock_lock(platform) }
    func unlock() { os_unfair_lock_unlock(platform) }

    deinit { injectle_free(platform) }
    #else
    private typealias Platform = pthread_mutex_t

    /// - Parameters:
    ///   - isAlone: Whether nothing else is in its cache lines, where it would slow down readers on other processors.
    ///   - size: The number of bytes for something else in its memory, which saves an allocation.
    init(isAlone: Bool = false, with size: Int = 0) {
        unsafe platform = unsafe Lock.allocate(isAlone: isAlone, with: size)
        unsafe pthread_mutex_init(platform, nil)
    }

    func lock() { unsafe pthread_mutex_lock(platform) }
    func unlock() { unsafe pthread_mutex_unlock(platform) }

    deinit {
        unsafe pthread_mutex_destroy(platform)
        unsafe injectle_free(platform)
    }
    #endif

    private let platform: UnsafeMutablePointer<Platform>

    private static func allocate(isAlone: Bool, with size: Int) -> UnsafeMutablePointer<Platform> {
        let (offset, unit) = (offset(isAlone: isAlone), isAlone ? lineSize : MemoryLayout<Int>.alignment)
        let memory = unsafe injectle_allocate(offset + (size + unit - 1) / unit * unit, unit)
        return unsafe memory.bindMemory(to: Platform.self, capacity: 1)
    }

    /// The cache lines of some processors have 128 bytes.
    private static let lineSize = 128

    private static func offset(isAlone: Bool) -> Int {
        unsafe isAlone ? lineSize : (MemoryLayout<Platform>.size + 15) & ~15
    }

    /// What its memory has for something else, aligned for any type, as long as the lock exists.
    ///
    /// - Parameter isAlone: The same as for its initializer.
    func memory(isAlone: Bool) -> UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(platform) + Lock.offset(isAlone: isAlone)
    }

    func withLock<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A gate at which one thread waits until another opens it, once.
@safe
final class Gate: @unchecked Sendable {
    // Sound to share: both flags are accessed only under the mutex.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var isOpen = false
    private var isNudged = false

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        // A deadline must not move when the clock is set.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Opens the gate, which ends the wait.
    func open() {
        change { isOpen = true }
    }

    /// Ends one wait without opening, so that the thread can check for jobs before it waits again.
    func nudge() {
        change { isNudged = true }
    }

    private func change(_ body: () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        body()
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until the gate is open. Returns false if a nudge or the deadline ends the wait before.
    func wait(until deadline: Deadline? = nil) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isOpen {
            if isNudged {
                isNudged = false
                return false
            }
            if let deadline {
                guard var remaining = deadline.remaining else { return false }
                #if canImport(Darwin)
                pthread_cond_timedwait_relative_np(condition, mutex, &remaining)
                #else
                var moment = timespec()
                unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
                remaining.tv_sec += moment.tv_sec
                remaining.tv_nsec += moment.tv_nsec
                if remaining.tv_nsec >= 1_000_000_000 {
                    remaining.tv_nsec -= 1_000_000_000
                    remaining.tv_sec += 1
                }
                unsafe pthread_cond_timedwait(condition, mutex, &remaining)
                #endif
            } else {
                unsafe pthread_cond_wait(condition, mutex)
            }
        }
        return true
    }
}

/// A moment at which a wait ends.
struct Deadline: Comparable {
    private let moment: ContinuousClock.Instant

    init(after duration: Duration, from start: ContinuousClock.Instant = .now) {
        moment = start + Deadline.clamped(duration)
    }

    /// A duration from zero to ten years, which no sum with the current time overflows, in any representation.
    static func clamped(_ duration: Duration) -> Duration {
        min(max(duration, .zero), .seconds(10 * 365 * 86_400))
    }

    /// The remaining time, or nil after the deadline.
    var remaining: timespec? {
        let left = ContinuousClock.now.duration(to: moment)
        guard left > .zero else { return nil }
        let (seconds, attoseconds) = left.components
        return timespec(tv_sec: .init(clamping: seconds), tv_nsec: .init(attoseconds / 1_000_000_000))
    }

    static func < (left: Deadline, right: Deadline) -> Bool { left.moment < right.moment }
}
