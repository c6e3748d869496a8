#if os(macOS) || os(Linux)
import Foundation
import Testing

@testable import CarpoolKit

/// Runs the program itself. It registers in the process-wide locators, which belong to other tests in this process.
final class ProgramTests {
    /// A directory outside the package, so that the sample is not found by chance.
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carpool-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func run(_ arguments: String...) throws -> Program.Outcome {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        // Resources are put next to the programs.
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appendingPathComponent("Carpool")
        process.currentDirectoryURL = folder
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Either is far smaller than what a pipe holds, so that neither has to wait for the other.
        let outcome = Program.Outcome(
            output: String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            errors: String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        )
        process.waitUntilExit()
        return Program.Outcome(output: outcome.output, errors: outcome.errors, status: process.terminationStatus)
    }

    private func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
    }

    @Test func `A test run is the same each time`() throws {
        let first = try run("--test")
        let second = try run("--test")
        #expect(first.output.utf8.elementsEqual(second.output.utf8))
        #expect(first.output.hasPrefix("Carpool, planned at 04:30\n"))
        #expect(first.output.contains("\n\n2026-11-20, today\n\n"))
        #expect(first.output.contains("\n\n2026-11-21, tomorrow\n\n"))
        #expect(first.output.contains("\n16 bookings, 27 heads, 9 rides by 7 compacts and 2 vans\n"))
        #expect(first.output.hasSuffix("\nTotal: € 102.00\n"))
        #expect(first.errors.isEmpty)
        #expect(first.status == 0)
    }

    @Test func `Without an option, the sample costs what the town takes`() throws {
        let outcome = try run()
        #expect(outcome.output.contains("\n16 bookings, 27 heads, 9 rides by 7 compacts and 2 vans\n"))
        #expect(outcome.output.hasSuffix("\nTotal: € 121.87\n"))
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }

    @Test(arguments: [[], ["--test"]])
    func `The good lines of a file are planned, and its bad ones named`(options: [String]) throws {
        let start = "\u{FEFF}passenger,pickup,destination,time,seats\r\n\r\nZoë,Harbour,Airport,09:00,1\r\nB"
        try write(Array(start.utf8) + [0xF6] + Array("b,Harbour,Airport,09:00,1\r\nCid,,\r\n".utf8), to: "some.csv")
        let outcome = try options.isEmpty ? run("some.csv") : run("some.csv", options[0])
        #expect(outcome.output.contains("Zoë"))
        #expect(outcome.output.contains("1 booking, 1 head, 1 ride by 1 compact\n"))
        #expect(
            outcome.errors == """
                some.csv:4: the line is not UTF-8 text
                some.csv:5: expected 5 fields (passenger, pickup, destination, time, seats) and an optional date, found 3

                """
        )
        #expect(outcome.status == 1)
    }

    @Test func `A file that cannot be read is named`() throws {
        for (path, text) in [("missing.csv", "no such file"), (folder.path, "is a directory, not a file")] {
            let outcome = try run(path)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors == "\(path): \(text)\n")
            #expect(outcome.status == 1)
        }
    }

    @Test func `Fares and reports are files in the current folder`() throws {
        try write(
            Data(
                #"""
                {
                    "day": { "start": 0 }, "night": { "start": 0 }, "pricePerKilometre": { "compact": 85, "van": 120 }
                }
                """#.utf8
            ),
            to: "fares.json"
        )
        try write(Data("Ann,Harbour,Airport,09:00,1".utf8), to: "some.csv")
        let outcome = try run("some.csv", "--fares", "fares.json", "--report", "report.txt")
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
        let report = try String(contentsOf: folder.appendingPathComponent("report.txt"), encoding: .utf8)
        #expect(report.hasSuffix("\nTotal: € 21.25\n"))
    }
}
#endif
