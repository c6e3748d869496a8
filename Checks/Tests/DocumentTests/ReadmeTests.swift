#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// README.md matches the package and its program.
@Suite struct ReadmeTests {
    private let root: Root
    private let readme: Document

    init() throws {
        root = try Root()
        readme = try root.document("README.md")
    }

    @Test func `README starts with the commands to run and test`() {
        #expect(readme.fences.first?.lines == ["swift run Carpool", "swift test"])
    }

    @Test func `Manifests in the documentation match Package.swift`() throws {
        let manifest = try root.text(of: "Package.swift")
        #expect(readme.blocks.contains { $0.kind == .manifest })
        // The tools version and the platforms.
        for start in ["// swift-tools-version:", "platforms:"] {
            let isStart: (Substring) -> Bool = { $0.contains(start) }
            let line = try #require(manifest.split(separator: "\n").first(where: isStart))
            for excerpt in try root.documents().flatMap(\.blocks) where excerpt.kind == .manifest {
                #expect(excerpt.lines.contains(String(line)), "\(excerpt)")
            }
        }
    }

    /// The figures of the article are measured in one run on each machine.
    @Test func `The figures in README match the article`() throws {
        let row = /\| ([^|]+) \| (\d+\.\d\d) \| (\d+\.\d\d \| \d+\.\d\d) \| [^|]+ \|/
        let figures = try section("Cost").matches(of: row).map { (String($0.1), String($0.2), String($0.3)) }
        let article = try root.text(of: "\(Root.catalog)/WhatAReadCosts.md")
        let rows = [
            "resolve a lazy service among 10,000 registrations": "1c",
            "read an `@Inject` property": "3a",
            "resolve by a string key among 10,000 registrations": "7a",
            "resolve a volatile service": "5",
        ]
        #expect(figures.map(\.0).sorted() == rows.keys.sorted())
        for (work, ratio, ratiosOfOthers) in figures {
            let name = try #require(rows[work])
            let line = try #require(article.split(separator: "\n").first { $0.hasPrefix("| \(name) |") })
            #expect(line.contains(" | \(ratio) | "), "\(work)")
            #expect(line.hasSuffix(" | \(ratiosOfOthers) |"), "\(work)")
        }
        // Compares the days and the machines as well.
        let measured = try #require(article.firstMatch(of: /Measured on [^,]+, [^,]+, Swift [\d.]+/)?.0)
        let readme = try root.text(of: "README.md").replacing("\n", with: " ")
        #expect(readme.contains(measured.replacing("\n", with: " ")))
    }

    /// Returns the text of README.md below a heading.
    private func section(_ title: String) throws -> Substring {
        let text = try root.text(of: "README.md")
        let start = try #require(text.range(of: "\n## \(title)\n"))
        let rest = text[start.upperBound...]
        return rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
    }

    @Test func `Carpool prints the output shown in README`() async throws {
        let prompt = "$ swift run Carpool"
        var shown = 0
        for fence in readme.fences where fence.language == "console" {
            let command = try #require(fence.lines.first)
            guard command.hasPrefix(prompt) else { continue }
            shown += 1
            let arguments = command.dropFirst(prompt.count).split(separator: " ").map(String.init)
            let run = try await Toolchain(root: root).run(product: "Carpool", arguments)
            #expect(run.status == 0, "\(command): \(run.output)")
            let (lines, expected) = (
                Self.lines(run.output), Self.lines(fence.lines.dropFirst().joined(separator: "\n"))
            )
            #expect(Self.contains(lines, expected), "line \(fence.line): \(command) prints\n\(run.output)")
        }
        #expect(shown > 0)
    }

    /// Returns lines with equal durations, which depend on the machine.
    private static func lines(_ text: String) -> [String] {
        text.replacing(/in \d+\.\d s/, with: "in 0.0 s").components(separatedBy: "\n")
    }

    /// Whether lines match the expected ones, where a line of `…` matches any number of lines.
    private static func contains(_ lines: [String], _ expected: [String]) -> Bool {
        let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
        var rest = lines[...]
        if rest.last == "" { rest.removeLast() }
        for (index, part) in parts.enumerated() where !part.isEmpty {
            let starts = index == 0 ? [rest.startIndex] : Array(rest.indices)
            let isLast = index == parts.count - 1
            let start = starts.first { start in
                let end = start + part.count
                return end <= rest.endIndex && Array(rest[start..<end]) == Array(part)
                    && (!isLast || end == rest.endIndex)
            }
            guard let start else { return false }
            rest = rest[(start + part.count)...]
        }
        return parts.last?.isEmpty == true || rest.isEmpty
    }
}
#endif
