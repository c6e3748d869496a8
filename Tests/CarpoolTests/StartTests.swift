import Injectle
import InjectleTestSupport
import Testing

@testable import CarpoolKit

/// Sleeps for no time. The longest sleep ends when the signal is set.
private final class HeldSleeper: Sleeper {
    let longestMayEnd = Signal()
    private let slept = Guarded<[Duration]>([])

    var durations: [Duration] { slept.value.sorted() }

    func sleep(for duration: Duration) async throws {
        slept.withLock { $0.append(duration) }
        if duration >= .seconds(2) { await longestMayEnd.reached() }
    }
}

private struct SleeplessError: Error {}

/// Throws instead of sleeping.
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
        let lines = Guarded<[String]>([])
        let outcome = await run(in: locator) { line in
            let created = lines.withLock { lines in
                lines.append(line)
                return lines.count { $0.hasPrefix("created") }
            }
            // The others have been created, in any order.
            if created == 2 { sleeper.longestMayEnd.set() }
        }
        #expect(outcome.output.contains("1 booking, 1 head, 1 ride by 1 compact\n"))
        #expect(outcome.errors.isEmpty)
        #expect(sleeper.durations == [.seconds(1), .seconds(2)])

        #expect(lines.value.count == 6, "\(lines.value)")
        for name in ["any CarpoolKit.Fleet", "any CarpoolKit.RouteEstimate", "CarpoolKit.BookingList"] {
            let begun = try #require(lines.value.firstIndex { $0.hasPrefix("creating \(name) (lazy)") })
            let created = try #require(lines.value.firstIndex { $0.hasPrefix("created \(name) (lazy)") })
            #expect(begun < created)
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
        sleeper.longestMayEnd.set()
        for locator in [try launched(sleeper), try launched(Sleepless())] {
            _ = await run(in: locator)
            #expect { try locator.resolve(Roster.self) } throws: { InjectleError.locatorClosed ~= $0 }
        }
    }
}
