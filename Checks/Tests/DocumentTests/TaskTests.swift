#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// The comparison with other libraries states the lines of code that its blocks have.
@Suite struct TaskTests {
    private let page: Document
    private let rows: [[String]]

    init() throws {
        let root = try Root()
        page = try root.document(Root.tasks)
        let lines = try root.text(of: Root.tasks).split(separator: "\n")
        rows = lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The numbers of lines with code of each task: of Injectle, Factory and swift-dependencies.
    private var counts: [[Int]] {
        let counts = page.fences.map { fence in
            fence.lines.filter { line in
                !line.isEmpty && !line.hasPrefix("import ") && !line.drop { $0 == " " }.hasPrefix("//")
            }.count
        }
        return stride(from: 0, to: counts.count, by: 3).map { Array(counts[$0..<min($0 + 3, counts.count)]) }
    }

    @Test func `Each of the twelve tasks has a block of each library`() {
        #expect(rows.count == 12)
        #expect(page.fences.map(\.language) == (0..<12).flatMap { _ in ["swift", "text", "text"] })
    }

    @Test func `The table states the number of lines of each block`() {
        #expect(rows.map { $0.dropFirst().map { Int($0) ?? 0 } } == counts)
    }

    @Test func `The code of Injectle is not the longest in any task`() {
        for (row, counts) in zip(rows, counts) { #expect(counts[0] <= max(counts[1], counts[2]), "\(row[0])") }
    }
}
#endif
