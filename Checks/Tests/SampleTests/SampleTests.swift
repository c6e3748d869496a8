#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// Runs a package of tests that fail, and compares which of them do, at which line, and with which text.
@Suite(.serialized) struct SampleTests {
    private static let folder = "Checks/Samples"

    @Test func `Tests with faults fail with these texts, and the process runs them all`() async throws {
        let run = try await run("--disable-xctest", "--skip", "ForgottenMock")
        #expect(run.status == 1)
        try compare([results(in: run.output)], with: "Expected.txt")
        #expect(!run.output.contains("Fatal error"))
    }

    @Test func `A forgotten mock is an issue of its test, and then ends the process with the same text`() async throws {
        let tests = [
            "inANonisolatedTest", "inATestOfTheMainActor", "inAChildTask", "inADetachedTask", "onAThread",
            "inADetachedTaskThatCreatesTheModel", "inTheClosureOfATrait", "inAHookAtTheEndOfTheTest",
            "ofAnUnimplementedService",
        ]
        var all: [[String]] = []
        for test in tests {
            let run = try await run("--disable-xctest", "--filter", "ForgottenMockTests/\(test)\\(")
            #expect(run.status != 0)
            all.append(results(in: run.output))
        }
        try compare(all, with: "ExpectedOfForgottenMocks.txt")
    }

    // The names of methods are others on macOS.
    #if os(Linux)
    @Test func `A forgotten mock is a failure of its method in XCTest`() async throws {
        let checked = try await run("--disable-swift-testing", "--skip", "ForgottenMock")
        #expect(!checked.output.contains("Fatal error"))
        let forgotten = try await run("--disable-swift-testing", "--filter", "ForgottenMock")
        try compare([checked, forgotten].map { results(in: $0.output) }, with: "ExpectedOfXCTest.txt")
    }
    #endif

    private func run(_ options: String...) async throws -> Toolchain.Run {
        try await Toolchain(root: Root()).test(packageIn: Self.folder, options)
    }

    private func compare(_ runs: [[String]], with file: String) throws {
        let expected = try Root().text(of: "\(Self.folder)/\(file)")
        let results = runs.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
        #expect(results == expected)
    }

    /// The lines about issues, ends of tests and the end of the process, without durations.
    private func results(in output: String) -> [String] {
        var results: [String] = []
        var isInIssue = false
        for line in output.split(separator: "\n").map(String.init) {
            let isResult = ["✘ ", "✔ ", "━ ", "⚠ "].contains { line.hasPrefix($0) } || line.contains(": Fatal error: ")
            let isFailure = line.contains(": error: ")
            if !line.hasPrefix(" "), !line.hasPrefix("↳ ") { isInIssue = isResult || isFailure }
            if isInIssue { results.append(line.replacing(/after \d+\.\d+ seconds/, with: "after … seconds")) }
        }
        return results
    }
}
#endif
