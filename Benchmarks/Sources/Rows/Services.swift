internal import Injectle

// The services of the rows, of protocols that are not class-bound, as most programs use them.

protocol Store: Sendable { var number: Int { get } }
protocol Clock: Sendable { var time: Int { get } }
protocol Report: Sendable { var store: any Store { get } }

final class LiveStore: Store { let number = 1 }
final class LiveClock: Clock { let time = 2 }

final class LiveReport: Report {
    let store: any Store
    let clock: any Clock
    init(store: any Store, clock: any Clock) {
        self.store = store
        self.clock = clock
    }
}

/// A call, so that the compiler does not see the type of the service.
@inline(never)
func makeStore() -> any Store { LiveStore() }

@inline(never)
func makeClock() -> any Clock { LiveClock() }

/// Singletons without a locator.
enum Singletons {
    static let store: any Store = makeStore()
    static let clock: any Clock = makeClock()
}

/// The floor of many rows: a `static let`, returned retained.
@inline(never)
func readStore(_ result: inout (any Store)?) { result = Singletons.store }

let storeLoop: Loop = { count in repeated(count) { readStore(&$0) } }

/// A locator with two singletons that exist, and others that do not.
func filledLocator(among others: Int = 10) throws -> Locator {
    let locator = Locator("benchmark") { locator in
        for number in 0..<others { locator.register(.lazy(.anywhere) { number }, key: number) }
        locator.register(.lazy(.anywhere) { makeStore() }, for: (any Store).self)
        locator.register(.lazy(.anywhere) { makeClock() }, for: (any Clock).self)
    }
    _ = try locator.resolve((any Store).self)
    _ = try locator.resolve((any Clock).self)
    return locator
}

@inline(never)
func resolveStore(_ locator: Locator, _ result: inout (any Store)?) throws {
    result = try locator.resolve((any Store).self)
}

/// The loop that resolves the store.
func storeLoop(_ locator: Locator) -> Loop { { count in try repeated(count) { try resolveStore(locator, &$0) } } }
