#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// The compiler reports everyday mistakes where they are, and names them.
@Suite struct CompilerErrorTests {
    private let root: Root

    init() throws { root = try Root() }

    // One file after the other: its language modes already occupy two cores.
    @Test(.serialized, arguments: try Fixture.all())
    func reportsTheMistake(in fixture: Fixture) async throws {
        let differences = try await withThrowingTaskGroup(of: [String].self) { group in
            for mode in fixture.languageModes {
                group.addTask { try await self.differences(of: fixture, languageMode: mode) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(differences == [])
    }

    private func differences(of fixture: Fixture, languageMode: String) async throws -> [String] {
        let services = try root.text(of: "Checks/Tests/CompilerErrorTests/Services.swift")
        let files = [fixture.name: fixture.text, "Services.swift": services]
        let verdict = try await Toolchain(root: root).check(files, languageMode: languageMode)
        return fixture.differences(from: verdict.errors).map { "mode \(languageMode), \($0)" }
    }

    /// The fixtures fail because of their mistake alone.
    @Test(arguments: ["5", "6"])
    func compilesTheServices(languageMode: String) async throws {
        let files = ["Services.swift": try root.text(of: "Checks/Tests/CompilerErrorTests/Services.swift")]
        let verdict = try await Toolchain(root: root).check(files, languageMode: languageMode)
        #expect(verdict.isAccepted, "\(verdict.complaint)")
    }

    @Test func coversThirtyMistakes() throws {
        let fixtures = try Fixture.all()
        #expect(fixtures.count >= 30)
        #expect(fixtures.filter { $0.reasonReportedElsewhere != nil }.count <= 2)
        for fixture in fixtures {
            let isReportedElsewhere = fixture.reasonReportedElsewhere != nil
            #expect(fixture.expectedErrors.count == 1 || isReportedElsewhere, "\(fixture.name)")
        }
    }

    @Test(
        arguments: [
            ["A.swift:2:5: error: no member 'opne'"], ["A.swift:2:4: error: no member 'open'"], [],
            ["A.swift:2:4: error: no member 'opne'", "A.swift:1:1: error: no Service"],
        ]
    )
    func noticesOtherErrors(errors: [String]) throws {
        let fixture = try Fixture(name: "A.swift", text: "// expect-error 2:4 \"member 'opne'\"\ndb.opne\n")
        #expect(fixture.differences(from: ["A.swift:2:4: error: no member 'opne'"]) == [])
        #expect(fixture.differences(from: errors) != [])
    }
}
#endif
