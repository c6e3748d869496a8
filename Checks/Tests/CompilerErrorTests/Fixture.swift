import Foundation
import Testing
import ToolchainSupport

/// A source file with one mistake, and the errors that its comments expect the compiler to report.
struct Fixture: Sendable, CustomTestStringConvertible {
    static let folder = "Checks/Tests/CompilerErrorTests/Fixtures"

    /// The name of the file.
    let name: String
    let text: String
    /// `// expect-error 7:22 "value of type 'Database' has no member 'opne'"`
    let expectedErrors: [ExpectedError]
    /// `// language-mode: 6`; both modes without that comment.
    let languageModes: [String]
    /// `// reported-elsewhere: …`, the reason why an error is not where the mistake is, or does not name it.
    let reasonReportedElsewhere: String?

    var testDescription: String { name }

    struct ExpectedError: Sendable {
        let line: Int
        let column: Int
        /// A part of the message.
        let fragment: String
    }

    init(name: String, text: String) throws {
        self.name = name
        self.text = text
        expectedErrors = try text.matches(of: /(?m)^\/\/ expect-error (\d+):(\d+) "(.+)"$/).map { match in
            ExpectedError(
                line: try #require(Int(match.1)),
                column: try #require(Int(match.2)),
                fragment: String(match.3)
            )
        }
        let mode = text.firstMatch(of: /(?m)^\/\/ language-mode: (\d)$/)
        languageModes = mode.map { [String($0.1)] } ?? ["5", "6"]
        reasonReportedElsewhere = text.firstMatch(of: /(?m)^\/\/ reported-elsewhere: (.+)$/).map { String($0.1) }
    }

    /// Returns all fixtures, sorted by name.
    static func all() throws -> [Fixture] {
        let root = try Root()
        return try root.files(in: folder, withExtension: "swift").map { file in
            try Fixture(name: (file as NSString).lastPathComponent, text: root.text(of: file))
        }
    }

    /// Returns what differs between the compiler's errors and the expected ones.
    func differences(from errors: [String]) -> [String] {
        var unexpected = errors
        var differences: [String] = []
        for expected in expectedErrors {
            let place = "\(name):\(expected.line):\(expected.column): error: "
            if let index = unexpected.firstIndex(where: { $0.hasPrefix(place) && $0.contains(expected.fragment) }) {
                unexpected.remove(at: index)
            } else {
                differences.append("missing: \(place)\(expected.fragment)")
            }
        }
        return differences + unexpected.map { "unexpected: \($0)" }
    }
}
