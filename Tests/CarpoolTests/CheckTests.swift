import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

@testable import CarpoolKit

/// One test checks all registrations, without creating a service.
struct CheckTests {
    /// The services that the dispatcher and its planner resolve.
    private let roots = [
        Locator.Identity(BookingList.self), Locator.Identity((any WallClock).self),
        Locator.Identity((any ReportWriter).self),
        Locator.Identity((any ReportWriter).self, key: "report"), Locator.Identity(Planner.self),
        Locator.Identity(DayReport.self),
        Locator.Identity((any RouteEstimate).self), Locator.Identity(Fares.self),
    ]

    @Test(arguments: [false, true]) func `All registrations are correct`(isSlow: Bool) throws {
        let locator = try launched { $0.isSlow = isSlow }
        try locator.child("a day").check()
        // One task at a time writes the report, and each day has a roster of its own.
        let failure = #expect(throws: Locator.CheckFailure.self) { try locator.child("a day").check(.strict) }
        #expect(failure?.findings.map(\.kind) == [.notSendable, .notSendable], "\(failure?.findings ?? [])")
        let findings = locator.validate(roots: roots)
        // The fares, the discount and the cars are resolved by keys that properties and rides have.
        #expect(findings.allSatisfy { $0.kind == .unreachable && $0.message.contains("under the key") }, "\(findings)")
    }

    @Test func `The graph shows what the program resolves`() async throws {
        let locator = try launched()
        locator.add(Locator.DependencyRecorder())
        try await locator.start()
        try Locator.$shared.withValue(locator) {
            let list = try BookingFile.sample.read(on: FixedClock.test.today)
            _ = try locator.resolve(Planner.self).plan(list.bookings)
        }
        let graph = locator.graph
        let planner = try #require(graph.services.first { $0.type.hasSuffix(".Planner") })
        let needed = graph.dependencies.filter { $0.from == planner.id && $0.isRecorded }
        #expect(Set(needed.map { graph.services[$0.to].type }).count >= 4)
        #expect(graph.findings.allSatisfy { $0.isNote }, "\(graph.findings)")
    }
}
