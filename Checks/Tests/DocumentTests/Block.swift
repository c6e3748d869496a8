import Foundation
import ToolchainSupport

/// A fenced Swift block of a document.
struct Block: Sendable {
    /// The document, as a path from the root.
    let document: String
    /// The number of the first line inside, from 1.
    let line: Int
    let lines: [String]
    /// The words after the language. Readers do not see them, so there must be none.
    let words: String
    /// The path of the file, if the block is a file of a documented package.
    let file: String?
    /// The path of the quoted file, from the root, if the block is a part of it.
    let source: String?
    /// The documented output: from comments, or from the block that follows.
    let output: [String]

    /// How the block is checked.
    enum Kind: CaseIterable {
        /// A manifest that the package manager must accept.
        case manifest
        /// A file of a documented package that must run and pass its tests.
        case file
        /// A part of a file that something else compiles.
        case quotation
        /// A block that must not compile, with the documented errors.
        case failing
        /// Code with views, which must compile with declarations of SwiftUI.
        case view
        /// A program that must print the documented output.
        case program
        /// A snippet that must compile, and print its output if it documents one.
        case part
    }

    var kind: Kind {
        if lines.first?.hasPrefix("// swift-tools-version") == true { return .manifest }
        if source != nil { return .quotation }
        if file != nil { return .file }
        if lines.contains(where: { $0.contains(Self.errorMark) }) { return .failing }
        if hasViews { return .view }
        return isFile && !output.isEmpty ? .program : .part
    }

    /// Whether the block uses SwiftUI.
    private var hasViews: Bool {
        document.hasPrefix(Root.views) || document == Root.tasks || lines.contains("import SwiftUI")
    }

    /// Whether the block is a whole file. Any other block is code inside a function.
    var isFile: Bool { lines.first { !$0.isEmpty }?.isImport == true }

    /// The mark before the error that a line must cause.
    static let errorMark = "// error: "

    /// The lines that must not compile, by number in the document, with their errors.
    var reasons: [(line: Int, text: String)] {
        lines.enumerated().compactMap { offset, text in
            text.firstRange(of: Self.errorMark).map { (line + offset, String(text[$0.upperBound...])) }
        }
    }

    // MARK: As a quotation

    /// Whether a text has the lines of the block, one after the other, at any indentation.
    func isQuoted(from text: String) -> Bool {
        let (quoted, all) = (Self.outdented(lines), text.split(separator: "\n", omittingEmptySubsequences: false))
        guard quoted.contains(where: { !$0.isEmpty }) else { return false }
        return (0...max(0, all.count - quoted.count)).contains { start in
            Self.outdented(all[start...].prefix(quoted.count).map(String.init)) == quoted
        }
    }

    /// Removes the indentation that all lines share.
    private static func outdented(_ lines: [String]) -> [String] {
        let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(margin)) }
    }

    // MARK: As a file

    /// Returns the block as a file of a module. Errors name the line of the document.
    ///
    /// A type around each block keeps equal names apart. A block that is a file has its own imports.
    func source(number: Int) -> String {
        let modules = kind == .view ? ["InjectleSwiftUI", "Observation", "SwiftUI"] : ["InjectleDiagnostics"]
        let imports = isFile ? lines.filter(\.isImport) : (["Injectle"] + modules).map { "import \($0)" }
        let body = lines.map { isFile && $0.isImport ? "" : $0 }
        let effects = isAsynchronous ? "async throws" : "throws"
        let function = (kind == .view ? "@MainActor " : "") + "func run(locator: Locator) \(effects) {"
        return
            (imports + [
                "struct Block\(number) {", isFile ? "" : function,
                "#sourceLocation(file: \"\(document)\", line: \(line))",
            ] + body + ["#sourceLocation()", isFile ? "" : "}", "}"]).joined(separator: "\n") + "\n"
    }

    private var isAsynchronous: Bool { !isFile && lines.contains { $0.contains("await ") } }

    // MARK: Output

    /// Returns the output that comments document: `// Prints "…"` for a line, or `// Prints:` with the lines below.
    /// Also returns the numbers, from 0, of malformed output comments.
    static func output(in lines: [String]) -> (lines: [String], unread: [Int]) {
        var output: [String] = []
        var unread: [Int] = []
        var heading: (number: Int, margin: String)?
        var isFollowed = true
        for (number, line) in lines.enumerated() {
            if let margin = heading?.margin, line.hasPrefix(margin + "     ") {
                output.append(String(line.dropFirst(margin.count + 5)))
                isFollowed = true
                continue
            }
            if let heading, !isFollowed { unread.append(heading.number) }
            (heading, isFollowed) = (nil, true)
            if let match = line.firstMatch(of: /\/\/ Prints "(.*)"$/) {
                output.append(String(match.1))
            } else if let match = line.wholeMatch(of: /(\s*\/\/) Prints:/) {
                (heading, isFollowed) = ((number, String(match.1)), false)
            } else if line.contains(/\/\/\s*Prints?\b/.ignoresCase()) {
                unread.append(number)
            }
        }
        if let heading, !isFollowed { unread.append(heading.number) }
        return (output, unread)
    }

    /// Whether the block runs and its output is compared.
    var isRun: Bool {
        switch kind {
        case .program, .part: true
        case .file: isMain
        case .manifest, .quotation, .failing, .view: false
        }
    }

    /// Whether the block is the main file of a package.
    var isMain: Bool { file?.hasSuffix("/main.swift") == true }

    /// Whether lines match the expected ones, where `…` matches any text.
    static func matches(_ lines: [String], _ expected: [String]) -> Bool {
        lines.count == expected.count && zip(lines, expected).allSatisfy(matches)
    }

    static func matches(_ line: String, _ expected: String) -> Bool {
        let parts = expected.components(separatedBy: "…")
        guard parts.count > 1 else { return line == expected }
        guard line.hasPrefix(parts[0]) else { return false }
        var rest = line.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}

extension String {
    fileprivate var isImport: Bool { hasPrefix("import ") || hasPrefix("@testable import ") }
}
