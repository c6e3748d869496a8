import Injectle
import InjectleTestSupport
import Testing

private protocol Rates: Sendable {
    func rate(of currency: String) -> Int
}

private final class FixedRates: Rates {
    private let tracked: Tracked?
    init(_ log: Tracked.Log? = nil) { tracked = log.map(Tracked.init) }
    func rate(of currency: String) -> Int { currency.count }
}

/// `withService`, which calls a closure with a service and does not retain it.
@Suite struct BorrowingTests {
    private let locator = Locator("borrowing")
    private let log = Tracked.Log()

    @Test(arguments: [Locator.Lifetime.lazy, .volatile, .weak, .perLocator, .graph])
    func `The closure receives the service`(lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { FixedRates() }.lifetime(lifetime), for: (any Rates).self)
        for _ in 0..<3 {
            #expect(try locator.withService((any Rates).self) { $0.rate(of: "EUR") } == 3)
            #expect(try locator.child().withService((any Rates).self) { $0.rate(of: "EUR") } == 3)
        }
    }

    @Test func `A volatile service is created for each call`() throws {
        locator.register(.volatile { [log] in Tracked(log) })
        for count in 1...3 {
            try locator.withService(Tracked.self) { _ in #expect(log.created == count) }
            #expect(log.alive == 0)
        }
    }

    @Test func `A value of many words is borrowed`() throws {
        locator.register(.eager((0..<20).map { [$0] }))
        #expect(try locator.withService([[Int]].self) { $0.count } == 20)
    }

    @Test func `A replaced instance lives until the closure ends`() throws {
        locator.register(.eager(FixedRates(log)))
        try locator.withService(FixedRates.self) { rates in
            locator.register(.eager(FixedRates()))
            #expect(log.alive == 1)
            #expect(rates.rate(of: "EUR") == 3)
        }
        #expect(log.alive == 0)
    }

    @Test func `A reset instance lives until the closure ends`() throws {
        locator.register(.lazy { [log] in FixedRates(log) }.resettable())
        _ = try locator.resolve(FixedRates.self)
        try locator.withService(FixedRates.self) { rates in
            try locator.resetInstance(of: FixedRates.self)
            #expect(log.alive == 1)
            #expect(rates.rate(of: "EUR") == 3)
        }
        #expect(log.alive == 0)
    }

    @Test func `The instance of a closed locator lives until the closure ends`() async throws {
        let (locator, log) = (locator, log)
        let child = locator.child("request")
        child.register(.eager(FixedRates(log)))
        let (began, closed) = (Signal(), Signal())
        async let rate = onAnotherThread {
            try? child.withService(FixedRates.self) { rates in
                began.set()
                closed.wait()
                return rates.rate(of: "EUR")
            }
        }
        await began.reached()
        await child.close()
        child.reset()
        closed.set()
        #expect(await rate == 3)
        #expect(log.alive == 0)
    }

    @Test func `Closures nest deeper than a thread can hold instances`() throws {
        locator.register(.eager(FixedRates(log)))
        func depth(_ rest: Int) throws -> Int {
            try locator.withService(FixedRates.self) { rates in
                rest == 0 ? rates.rate(of: "EUR") : try depth(rest - 1)
            }
        }
        #expect(try depth(60) == 3)
        locator.reset()
        #expect(log.alive == 0)
    }

    @Test func `A closure can resolve and create services`() throws {
        locator.register(.eager(FixedRates()))
        locator.register(.volatile { locator in "\(try locator.resolve(FixedRates.self).rate(of: "EUR"))" })
        #expect(try locator.withService(FixedRates.self) { _ in try locator.resolve(String.self) } == "3")
    }

    @Test func `A resolver lends an argument`() throws {
        locator.register(.eager(FixedRates()))
        locator.register(
            .initializer(
                { (resolver: Locator.Resolver) in
                    try resolver.withService(Int.self) { "\($0)" }
                },
                .volatile
            )
        )
        #expect(try locator.resolve(String.self, arguments: 7) == "7")
    }

    @Test func `An error of the closure and a missing service are thrown`() throws {
        struct Refusal: Error {}
        let error = #expect(throws: InjectleError.self) { try locator.withService(FixedRates.self) { _ in } }
        #expect(error?.code == .missing)
        locator.register(.eager(FixedRates(log)))
        #expect(throws: Refusal.self) { try locator.withService(FixedRates.self) { _ in throw Refusal() } }
        locator.reset()
        #expect(log.alive == 0)
    }

    @Test func `Threads borrow while others replace`() async {
        let (locator, log) = (locator, log)
        locator.register(.eager(FixedRates(log)))
        await onThreadsAsync(4) { thread in
            for _ in 0..<500 {
                if thread == 0 {
                    locator.register(.eager(FixedRates(log)))
                } else {
                    let rate = try? locator.withService(FixedRates.self) { $0.rate(of: "EUR") }
                    #expect(rate == 3)
                }
            }
        }
        locator.reset()
        #expect(log.alive == 0)
    }
}
