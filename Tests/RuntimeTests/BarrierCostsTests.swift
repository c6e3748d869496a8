import Testing

@testable import InjectleRuntime

@Suite struct BarrierCostsTests {
    private var costs = BarrierCosts()

    /// Adds several barriers that take equally long, at equal distances, and returns the answer to the last.
    private mutating func add(_ count: Int64, taking duration: Int64, every distance: Int64, from start: Int64 = 0)
        -> Bool
    {
        (0..<count).reduce(false) { _, number in
            costs.add(from: start + number * distance, to: start + number * distance + duration)
        }
    }

    @Test mutating func `Barriers that take most of the time cost too much`() {
        let isTooMuch = add(30, taking: 10_000, every: 12_000)
        #expect(isTooMuch)
    }

    @Test mutating func `Barriers that interrupt nobody never cost too much`() {
        let isTooMuch = add(10_000, taking: 300, every: 2_000)
        #expect(!isTooMuch)
    }

    @Test mutating func `Barriers far apart never cost too much`() {
        let isTooMuch = add(1_000, taking: 10_000, every: 100_000)
        #expect(!isTooMuch)
    }

    @Test mutating func `One barrier that a scheduler interrupts does not cost too much`() {
        let isTooMuch = add(1, taking: 5_000_000, every: 0)
        #expect(!isTooMuch)
    }

    @Test mutating func `Barriers of an earlier time do not count`() {
        _ = add(30, taking: 10_000, every: 12_000)
        let isTooMuch = add(7, taking: 10_000, every: 12_000, from: 10_000_000)
        #expect(!isTooMuch)
    }
}
