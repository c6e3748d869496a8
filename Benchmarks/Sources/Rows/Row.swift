/// A row of the table: an operation of the library, and the same without it.
public struct Row: Sendable {
    /// The number and the operation.
    public let name: String
    /// The limit of the ratio.
    public let must: Double
    private let prepareLoops: @Sendable () throws -> (floor: Loop, work: Loop)

    init(_ name: String, must: Double, _ prepare: @escaping @Sendable () throws -> (floor: Loop, work: Loop)) {
        self.name = name
        self.must = must
        prepareLoops = prepare
    }

    /// Returns the two loops, after the work that is not timed.
    public func prepare() throws -> (floor: Loop, work: Loop) { try prepareLoops() }

    /// The whole table, in its order.
    public static let all = existing + created + requests + threads

    /// The row of a number.
    public static func numbered(_ number: String) -> Row? { all.first { $0.name.hasPrefix("\(number) ") } }
}

/// Repeats an operation and returns its duration.
public typealias Loop = @Sendable (_ count: Int) throws -> Duration

/// Repeats an operation that returns a result, and returns its duration.
///
/// The result is stored in memory that the optimizer cannot see through, so each side retains a service and releases
/// the previous one.
///
/// - Parameter operation: Calls a function that is never inlined, with the memory for the result.
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
