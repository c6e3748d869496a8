import Foundation
import Injectle
import InjectleTestSupport
import Testing

@testable import CarpoolKit

struct ReportFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var file: URL { folder.url.appendingPathComponent("report.txt") }

    private var text: String {
        get throws { try String(contentsOf: file, encoding: .utf8) }
    }

    /// The options of a program with `--report` and with the same output in each run.
    private func launched() throws -> Locator {
        let locator = try CarpoolTests.launched { $0.report = file.path }
        registerTestServices(in: locator)
        return locator
    }

    @Test func `The report is in the file once the locator is closed`() async throws {
        let locator = try launched()
        try await locator.start()
        let report = try locator.resolve((any ReportWriter).self, key: "report")
        report.write("Zoë")
        report.write("Bob")
        #expect(report.text.isEmpty)
        #expect(try text.isEmpty)
        #expect(await locator.close().isEmpty)
        #expect(try text == "Zoë\nBob\n")
    }

    @Test func `A full buffer is written in order`() throws {
        let lines = (0..<1000).map { "line \($0)" }
        let report = try FileReport(file.path)
        for line in lines { report.write(line) }
        let meanwhile = try text
        try report.close()
        let all = lines.joined(separator: "\n") + "\n"
        #expect(!meanwhile.isEmpty)
        #expect(meanwhile.utf8.count < all.utf8.count)
        #expect(try text == all)
    }

    @Test func `The file contains the report`() async throws {
        let shown = try CarpoolTests.launched()
        registerTestServices(in: shown)
        let first = await run(in: shown)
        let second = await run(in: try launched())
        #expect(first.output.hasSuffix("\nTotal: € 102.00\n"))
        #expect(try text == first.output)
        #expect(second.output.isEmpty)
        #expect(second.errors.isEmpty)
        #expect(second.status == 0)
    }

    @Test func `An existing file is emptied and a link is kept`() throws {
        let target = try folder.file("target.txt", "a text that is longer than the new one")
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)
        let report = try FileReport(file.path)
        report.write("Ann")
        try report.close()
        #expect(try String(contentsOf: target, encoding: .utf8) == "Ann\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == target.path)
    }

    @Test(.carpool) func `An error during close is reported`() async throws {
        let readable = try FileHandle(forReadingFrom: folder.file("report.txt", ""))
        Locator.shared.register(
            .lazy { FileReport(readable, name: "report.txt") }
                .as((any ReportWriter).self, key: "report")
                .onDispose { try $0.close() }
        )
        let outcome = await run("Ann,Harbour,Airport,09:00,1")
        let expected = """
            Failed to dispose of any CarpoolKit.ReportWriter under the key "report": \
            report.txt: the report is incomplete

            """
        #expect(outcome.errors.hasPrefix(expected), "\(outcome.errors)")
        #expect(outcome.status == 1)
    }

    @Test func `A report that cannot be opened fails before planning`() async throws {
        let path = folder.url.path
        let locator = try CarpoolTests.launched { $0.report = path }
        let outcome = await run(in: locator)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "\(path): the report cannot be opened\n")
        #expect(outcome.status == 1)
    }
}
