import Foundation

/// A fenced block of Swift in a document, and what it says of itself.
struct Block: Sendable {
    /// The document, as a path from the root.
    let document: String
    /// The number of the first line inside, from 1.
    let line: Int
    let lines: [String]
    /// What stands behind the language. Readers do not see it, so nothing should.
    let words: String
    /// The file that it is, if it is one of a package that the document shows.
    let file: String?
    /// What it is to print: as its comments say, or the block that follows.
    let output: [String]

    /// What is to be done with it.
    enum Kind: CaseIterable {
        /// A manifest, which the package manager is to accept.
        case manifest
        /// A file of a package that the document shows as a whole, which is to run and to pass its tests.
        case file
        /// It is not to compile, for the reasons that stand in it.
        case failing
        /// A program of its own, which is to print what it says.
        case program
        /// A part of something, which is to compile, and to print what it says if it says so.
        case part
    }

    var kind: Kind {
        if lines.first?.hasPrefix("// swift-tools-version") == true { return .manifest }
        if file != nil { return .file }
        if lines.contains(where: { $0.contains(Self.errorMark) }) { return .failing }
        return isFile && !output.isEmpty ? .program : .part
    }

    /// Whether it stands for a file of its own; any other stands for code inside a function.
    var isFile: Bool { lines.first { !$0.isEmpty }?.isImport == true }

    /// What comes before the reason for which a line does not compile.
    static let errorMark = "// error: "

    /// The lines that are not to compile, by their number in the document, and why.
    var reasons: [(line: Int, text: String)] {
        lines.enumerated().compactMap { offset, text in
            text.firstRange(of: Self.errorMark).map { (line + offset, String(text[$0.upperBound...])) }
        }
    }

    // MARK: As a file

    /// The block as a file among others of one module, whose errors name the line of the document.
    ///
    /// It is put into a type, so that two blocks may declare the same names. One that is a file imports what it uses.
    func source(number: Int) -> String {
        let imports = isFile ? lines.filter(\.isImport) : ["import Injectle"]
        let body = lines.map { isFile && $0.isImport ? "" : $0 }
        let effects = isAsynchronous ? "async throws" : "throws"
        let function = "func run(locator: Locator) \(effects) {"
        return
            (imports + [
                "struct Block\(number) {", isFile ? "" : function,
                "#sourceLocation(file: \"\(document)\", line: \(line))",
            ] + body + ["#sourceLocation()", isFile ? "" : "}", "}"]).joined(separator: "\n") + "\n"
    }

    private var isAsynchronous: Bool { !isFile && lines.contains { $0.contains("await ") } }

    // MARK: Output

    /// What the comments of a block say that it prints: `// Prints "…"` for a line, or `// Prints:` with the lines
    /// below. And the numbers of the lines, from 0, that seem to say so in another way, which nobody would look at.
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

    /// Whether what it is to print is compared with what it prints.
    var isRun: Bool {
        switch kind {
        case .program, .part: true
        case .file: isMain
        case .manifest, .failing: false
        }
    }

    /// Whether it is the program of a package.
    var isMain: Bool { file?.hasSuffix("/main.swift") == true }

    /// Whether lines are what is expected, where `…` stands for anything.
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
