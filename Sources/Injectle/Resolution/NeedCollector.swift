/// A service that an async caller creates before it tries again: a synchronous closure has requested it, and it
/// requires async creation.
struct Need: Sendable {
    let request: Request
    let found: Found
    let caller: LocatorCore

    func isSame(as other: Need) -> Bool {
        found.record === other.found.record && caller === other.caller
            && Arguments.areEqual(request.arguments, other.request.arguments)
    }
}

/// The needs of the calls that one async resolve makes, until it tries again.
///
/// An error names its need by a number, and does not contain it: a program can keep an error, which must not retain
/// what the closures of a registration capture.
final class NeedCollector: Sendable {
    /// The number of needs after which a resolve gives up.
    static let limit = 100

    @TaskLocal static var current: NeedCollector?

    /// The last number. Collectors have no number in common, since one can get an error of a collector within it.
    private static let lastNumber = Mutex(0)

    /// Nil once the resolve has ended.
    private let needs = Mutex<[Int: Need]?>([:])

    /// Adds a need. Returns its number.
    func add(_ need: Need) -> Int {
        let number = NeedCollector.lastNumber.withLock { last in
            last += 1
            return last
        }
        needs.withLock { $0?[number] = need }
        return number
    }

    /// Removes all needs. Returns the one with a number: of the error that has ended the closure, which can have
    /// handled others.
    func take(_ number: Int?) -> Need? {
        let removed = needs.withLock { needs in
            defer { needs = [:] }
            return needs
        }
        return number.flatMap { removed?[$0] }
    }

    /// A task that a closure has started can keep the collector.
    func end() {
        let removed = needs.withLock { $0.take() }
        withExtendedLifetime(removed) {}
    }
}
