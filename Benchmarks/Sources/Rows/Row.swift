/// A row of the table: an operation of the library and its floor.
public struct Row: Sendable {
    /// The number and the operation, in words with dashes. Also part of a file name in `Thresholds`.
    public let name: String

    private let makeMeasure: @Sendable () throws -> Measure

    /// Creates a row that compares two loops.
    ///
    /// - Parameters:
    ///   - name: The number and the operation.
    ///   - prepare: Does the work that is not timed, and returns the two loops.
    init(_ name: String, prepare: @escaping @Sendable () throws -> (floor: Loop, work: Loop)) {
        self.name = name
        makeMeasure = {
            let loops = try prepare()
            return .ratio(floor: loops.floor, work: loops.work)
        }
    }

    /// Creates a row that counts bytes.
    init(_ name: String, bytes: @escaping @Sendable () throws -> Int) {
        self.name = name
        makeMeasure = { .bytes(try bytes()) }
    }

    /// Prepares the measurement. A process calls it once: locators of a row, and metadata of its types, are never freed.
    public func prepare() throws -> Measure { try makeMeasure() }
}

/// The measurement of a row.
public enum Measure {
    /// The time of the work, divided by the time of the floor.
    case ratio(floor: Loop, work: Loop)
    /// A number of bytes.
    case bytes(Int)
}

/// Repeats an operation and returns its duration.
public typealias Loop = (_ count: Int) throws -> Duration

/// Repeats an operation that returns a result, and returns its duration.
///
/// The result is stored in memory that the optimizer cannot see through, so each side retains an object and releases the
/// previous one.
///
/// - Parameters:
///   - count: The number of repetitions.
///   - operation: Calls a function that is never inlined, with the memory for the result.
@inline(__always)
func repeated<Result>(_ count: Int, _ operation: (inout Result?) throws -> Void) rethrows -> Duration {
    // In a cache line of its own, which no other thread writes.
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

/// The memory of the results, so that the optimizer keeps the stores.
nonisolated(unsafe) private var published: UnsafeMutableRawPointer?

@inline(never)
private func publish(_ place: UnsafeMutableRawPointer) {
    published = place
}
