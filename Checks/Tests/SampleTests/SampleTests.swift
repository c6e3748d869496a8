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
        let results = runs.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
        #expect(try Root().text(of: "\(Self.folder)/\(file)") == results)
    }

    /// The texts of issues, of ends of tests and of the end of the process, without durations.
    private func results(in output: String) -> [String] {
        var results: [String] = []
        var isResult = false
        for line in output.split(separator: "\n").map(String.init) {
            if isResult, line.hasPrefix(" ") || line.hasPrefix("↳ ") {
                results[results.count - 1] += "\n\(line)"
                continue
            }
            isResult = line.contains(#/^[✘✔━⚠] |: error: |: Fatal error: /#)
            if isResult { results.append(line.replacing(/after \d+\.\d+ seconds/, with: "after … seconds")) }
        }
        // XCTest writes to another stream than a trap, so their order is not defined.
        let traps = results.filter { $0.contains(": Fatal error: ") }
        return results.filter { !traps.contains($0) } + traps
    }
}
#endif
