#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// Runs a package of tests that fail, and compares which of them do, at which line, and with which text.
struct SampleTests {
    @Test func `Tests that miss a service fail, and the process runs the others`() async throws {
        let root = try Root()
        let folder = "Checks/Samples"
        let run = try await Toolchain(root: root).test(packageIn: folder)
        let expected = try root.text(of: "\(folder)/Expected.txt")
        let end = Comment(rawValue: "The output ends with:\n\(run.output.suffix(2000))")
        #expect(results(in: run.output) == expected.split(separator: "\n").map(String.init), end)
        #expect(run.status == 1)
        #expect(!run.output.contains("Fatal error"))
    }

    /// The lines about issues and ends of tests, without durations and without the cases of parameterized tests.
    private func results(in output: String) -> [String] {
        var results: [String] = []
        var isInIssue = false
        for line in output.split(separator: "\n").map(String.init) {
            let isResult = ["✘ ", "✔ ", "━ ", "⚠ "].contains { line.hasPrefix($0) }
            if isResult || line.hasPrefix("◇ ") { isInIssue = isResult && !line.contains(" with 1 argument ") }
            guard isInIssue else { continue }
            results.append(line.replacing(/after \d+\.\d+ seconds/, with: "after … seconds"))
        }
        return results
    }
}
#endif
