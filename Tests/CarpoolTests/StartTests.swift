import Injectle
import InjectleTestSupport
import Testing

@testable import CarpoolKit

/// Lets no time pass. Who sleeps longest goes on once that is allowed.
private final class HeldSleeper: Sleeper {
    let longestMayGoOn = Signal()
    private let slept = Guarded<[Duration]>([])

    var durations: [Duration] { slept.value.sorted() }

    func sleep(for duration: Duration) async throws {
        slept.withLock { $0.append(duration) }
        if duration >= .seconds(2) { await longestMayGoOn.reached() }
    }
}

private struct SleeplessError: Error {}

/// Cannot sleep.
private struct Sleepless: Sleeper {
    func sleep(for duration: Duration) async throws { throw SleeplessError() }
}

struct StartTests {
    private func launched(_ sleeper: some Sleeper) throws -> Locator {
        let locator = try CarpoolTests.launched()
        locator.register(.eager(sleeper), for: (any Sleeper).self)
        locator.register(.eager(FixedClock.test), for: (any WallClock).self)
        locator.register(.eager(BookingText(text: "Ann,Harbour,Airport,09:00,1")), for: (any BookingSource).self)
        return locator
    }

    @Test func `A start is reported step by step`() async throws {
        let sleeper = HeldSleeper()
        let locator = try launched(sleeper)
        var lines: [String] = []
        let outcome = await run(in: locator) { line in
            lines.append(line)
            // All others are made, in whatever order.
            if line.hasSuffix(" made, 1 in the making, 0 to go") { sleeper.longestMayGoOn.set() }
        }
        #expect(outcome.output.contains("1 booking, 1 head, 1 ride by 1 compact\n"))
        #expect(outcome.errors.isEmpty)
        #expect(sleeper.durations == [.seconds(1), .seconds(2)])

        // How long it took is the computer's.
        lines = lines.map { $0.replacing(/\d+\.\d s/, with: "0.0 s") }
        try #require(lines.count == 7, "\(lines)")
        #expect(lines[0] == "starting: 0 made, 0 in the making, 3 to go")
        #expect(lines[5].hasSuffix(" in 0.0 s: 2 made, 1 in the making, 0 to go"))
        #expect(lines[6] == "made any CarpoolKit.RouteEstimate in 0.0 s: 3 made, 0 in the making, 0 to go")
        let steps = lines.compactMap { $0.split(separator: ":").first }
        for name in ["any CarpoolKit.Fleet", "any CarpoolKit.RouteEstimate", "CarpoolKit.BookingList"] {
            let begun = try #require(steps.firstIndex(of: "making \(name)"))
            let made = try #require(steps.firstIndex(of: "made \(name) in 0.0 s"))
            #expect(begun < made)
        }
    }

    @Test func `The slow start is an option`() throws {
        #expect(try CarpoolTests.launched().resolveOptional((any Sleeper).self) == nil)
        #expect(try CarpoolTests.launched { $0.isSlow = true }.resolve((any Sleeper).self) is TaskSleeper)
    }

    @Test func `A failed start is reported and nothing is planned`() async throws {
        let outcome = await run(in: try launched(Sleepless()))
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("SleeplessError"))
        #expect(outcome.status == 1)
    }

    @Test func `The locator is closed after any result`() async throws {
        let sleeper = HeldSleeper()
        sleeper.longestMayGoOn.set()
        for locator in [try launched(sleeper), try launched(Sleepless())] {
            _ = await run(in: locator)
            #expect { try locator.resolve(Roster.self) } throws: { InjectleError.locatorClosed ~= $0 }
        }
    }
}
