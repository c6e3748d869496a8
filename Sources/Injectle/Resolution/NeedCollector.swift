/// A service that an async caller creates before it tries again: a synchronous closure has requested it, and it requires async
/// creation.
struct Need: Sendable {
    let request: Request
    let found: Found
    let caller: LocatorCore

    func isSame(as other: Need) -> Bool {
        found.record === other.found.record && caller === other.caller
            && Arguments.areEqual(request.arguments, other.request.arguments)
    }
}

/// The last need of the calls that one async resolve makes.
///
/// An error names its need by a number, and does not contain it: a program can keep an error, which must not retain what the
/// closures of a registration capture.
final class NeedCollector: Sendable {
    /// The number of needs after which a resolve gives up.
    static let limit = 100

    @TaskLocal static var current: NeedCollector?

    private struct State {
        var number = 0
        var need: Need?
    }
    private let state = Mutex(State())

    /// Adds a need. Returns its number.
    func add(_ need: Need) -> Int {
        let (number, former) = state.withLock { state in
            defer { state.need = need }
            state.number += 1
            return (state.number, state.need)
        }
        withExtendedLifetime(former) {}
        return number
    }

    /// Removes the need with a number.
    func take(_ number: Int?) -> Need? {
        state.withLock { state in number == state.number ? state.need.take() : nil }
    }
}
