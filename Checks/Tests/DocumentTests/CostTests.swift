#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// The article "Costs and limits" has the figures that `Benchmarks/report` measured last.
@Suite struct CostTests {
    /// The largest factor between a figure in the article and the measured one.
    private let factor = 1.2
    private let root: Root
    private let report: CostReport
    private let tables: [Table]

    init() throws {
        root = try Root()
        report = try JSONDecoder().decode(CostReport.self, from: Data(root.text(of: "Benchmarks/report.json").utf8))
        tables = Table.all(in: try root.text(of: "\(Root.catalog)/WhatAReadCosts.md"))
    }

    @Test func `The article has the time of each compared operation with each library`() throws {
        let source = try root.text(of: "Benchmarks/Libraries/Sources/Compare/Operation.swift")
        let operations = source.matches(of: /case \w+ = "(.+)"/).map { String($0.1) }
        let table = try #require(tables.first { $0.title == "Nanoseconds" })
        #expect(!operations.isEmpty)
        #expect(Set(operations) == Set(table.rows.keys))
        #expect(Set(operations) == Set(report.nanoseconds.keys))
        for (operation, times) in report.nanoseconds {
            #expect(Set(times.keys) == Set(table.columns))
            for (library, time) in times {
                let figure = table.figure(of: operation, in: library)
                #expect(isNear(figure, time), "\(operation), \(library): \(time ?? 0) was measured")
            }
        }
    }

    @Test func `The article has the instructions of each row of the report`() throws {
        let table = try #require(tables.first { $0.title == "Instructions" })
        #expect(!report.instructions.isEmpty)
        #expect(Set(report.instructions.keys) == Set(table.rows.keys))
        for (name, count) in report.instructions {
            #expect(isNear(table.figure(of: name, in: "Count"), count), "\(name): \(count) were counted")
        }
    }

    @Test func `The article has the instructions that CI checks`() throws {
        let file = Data(try root.text(of: "Benchmarks/instructions.json").utf8)
        let recorded = try JSONDecoder().decode(Recorded.self, from: file).rows
        let table = try #require(tables.first { $0.title == "Instructions" })
        let names = recorded.keys.filter { table.rows[$0] != nil }
        #expect(names.count >= 4)
        for name in names {
            #expect(
                isNear(table.figure(of: name, in: "Count"), recorded[name]?.recorded),
                "\(name) has another count now"
            )
        }
    }

    private func isNear(_ figure: Int?, _ measured: Int?) -> Bool {
        guard let figure, let measured else { return figure == nil && measured == nil }
        return (Double(measured) / factor...Double(measured) * factor).contains(Double(figure))
    }
}

/// What `Benchmarks/report` measured.
private struct CostReport: Decodable {
    /// By operation and library.
    let nanoseconds: [String: [String: Int?]]
    let instructions: [String: Int]
}

/// `Benchmarks/instructions.json`.
private struct Recorded: Decodable {
    struct Row: Decodable {
        let recorded: Int
    }
    let rows: [String: Row]
}

/// A table of figures in an article.
private struct Table {
    /// The first cell of the header.
    let title: String
    /// The other cells of the header.
    let columns: [String]
    /// The cells of each row without the first one, by the first one.
    let rows: [String: [String]]

    static func all(in text: String) -> [Table] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split { !$0.hasPrefix("|") }
            .map { lines in
                let cells = lines.map { line in
                    line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                }
                let rows = cells.dropFirst(2).map { ($0[0], Array($0.dropFirst())) }
                return Table(
                    title: cells[0][0],
                    columns: Array(cells[0].dropFirst()),
                    rows: Dictionary(rows) { first, _ in first }
                )
            }
    }

    /// Returns the figure of a cell, or nil for a dash.
    func figure(of row: String, in column: String) -> Int? {
        guard let cells = rows[row], let index = columns.firstIndex(of: column) else { return nil }
        return Int(cells[index].filter { $0 != "," })
    }
}
#endif
