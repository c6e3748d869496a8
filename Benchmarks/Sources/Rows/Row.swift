/// One line of the table: something that the library does, and what it is measured against.
public struct Row: Sendable {
    /// The number of the row and what it does, in words with dashes. It is also part of a file name in `Thresholds`.
    public let name: String

    private let makeMeasure: @Sendable () throws -> Measure

    /// A row that compares two loops.
    ///
    /// - Parameters:
    ///   - name: The number of the row and what it does.
    ///   - prepare: Makes everything that is not to be timed, and returns the two loops.
    init(_ name: String, prepare: @escaping @Sendable () throws -> (floor: Loop, work: Loop)) {
        self.name = name
        makeMeasure = {
            let loops = try prepare()
            return .ratio(floor: loops.floor, work: loops.work)
        }
    }

    /// A row that counts bytes.
    init(_ name: String, bytes: @escaping @Sendable () throws -> Int) {
        self.name = name
        makeMeasure = { .bytes(try bytes()) }
    }

    /// Prepares what is to be measured. To be called once in a process, since locators that a row makes, and types that
    /// it touches first, are there for good.
    public func prepare() throws -> Measure { try makeMeasure() }
}

/// What a row has to measure.
public enum Measure {
    /// The time of the work, divided by that of the floor.
    case ratio(floor: Loop, work: Loop)
    /// A number of bytes, which is the result already.
    case bytes(Int)
}

/// Does an operation so many times, and tells how long that took.
public typealias Loop = (_ count: Int) throws -> Duration

/// Repeats an operation that hands out a result, and tells how long that took.
///
/// The result goes to memory that the optimizer knows nothing about. So each side really returns an object that is
/// retained, and really releases the one before.
///
/// - Parameters:
///   - count: How many times.
///   - operation: Calls a function that is never inlined, with the place for the result.
@inline(__always)
func repeated<Result>(_ count: Int, _ operation: (inout Result?) throws -> Void) rethrows -> Duration {
    // Far from that of another thread, since processors exchange memory by the cache line.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(128, MemoryLayout<Result?>.size), alignment: 128)
    let place = memory.initializeMemory(as: Result?.self, to: nil)
    publish(place)
    let start = ContinuousClock.now
    for _ in 0..<count { try operation(&place.pointee) }
    let duration = start.duration(to: .now)
    place.deinitialize(count: 1)
    memory.deallocate()
    return duration
}

/// Where the results go, as far as the optimizer can tell.
nonisolated(unsafe) private var published: UnsafeMutableRawPointer?

@inline(never)
private func publish(_ place: UnsafeMutableRawPointer) {
    published = place
}
