import Injectle
import InjectleTestSupport
import Testing

@testable import CarpoolKit

struct ModuleTests {
    private func identities(_ modules: any Locator.Module...) throws -> [Locator.Identity] {
        let locator = Locator("modules")
        try locator.apply(modules)
        return locator.registrations.map(\.identity)
    }

    @Test func `The town is registered before the fleet`() throws {
        let town = try identities(TownModule())
        let all = try identities(CarpoolModule())
        #expect(town.contains(Locator.Identity((any WallClock).self)))
        #expect(Array(all.prefix(town.count)) == town)
        let own = all.dropFirst(town.count)
        for type in [(any BookingSource).self, BookingList.self, Planner.self, Roster.self] as [Any.Type] {
            #expect(own.contains(Locator.Identity(type)), "\(type)")
        }
    }
}
