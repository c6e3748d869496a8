import Foundation
import ToolchainSupport

/// A text with fenced blocks: a page or the comments of a source file.
struct Document: Sendable, CustomStringConvertible {
    /// As a path from the root.
    let name: String
    var description: String { name }
    /// The blocks of all languages, in order.
    let fences: [Fence]
    /// The lines, from 1, where indented code begins.
    let indented: [Int]

    /// Matches the start of a Swift block, also in a comment, a list or a quotation.
    static var opening: Regex<Substring> { /^(?:[\s\/>*+-]|\d+\.)*(?:```|~~~)\s*swift/.ignoresCase() }

    /// A fenced block.
    struct Fence: Sendable {
        let language: String
        /// The words after the language.
        let words: String
        /// The number of the first line inside, from 1.
        let line: Int
        let lines: [String]
        /// Whether only blank lines separate it from the previous block.
        let follows: Bool
        /// The path that the paragraph before the block begins with.
        let file: String?
        /// The path in the comment before the block, if the block quotes a file.
        let source: String?
    }

    /// An unclosed fence.
    struct Unclosed: Error, CustomStringConvertible {
        let name: String
        let line: Int
        var description: String { "\(name):\(line): The block that begins here has no end." }
    }

    /// Parses a document whose fences start their lines.
    ///
    /// - Parameter isSource: Whether it is a source file, of which only the documentation comments count.
    init(name: String, text: String, isSource: Bool = false) throws {
        var fences: [Fence] = []
        var indented: [Int] = []
        var open: (words: [String], line: Int, lines: [String])?
        var (follows, isInParagraph, paragraph) = (false, false, "")
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let line = isSource ? Self.comment(line) : line else {
                if let open { throw Unclosed(name: name, line: open.line - 1) }
                (follows, isInParagraph, paragraph) = (false, false, "")
                continue
            }
            if line.hasPrefix("```") {
                if let (words, start, lines) = open {
                    guard line == "```" else { throw Unclosed(name: name, line: start - 1) }
                    fences.append(
                        Fence(
                            language: words.first ?? "",
                            words: words.dropFirst().joined(separator: " "),
                            line: start,
                            lines: lines,
                            follows: follows,
                            file: (paragraph.prefixMatch(of: /\*\*`([^`]+)`\*\*/)?.1).map { String($0) },
                            source: (paragraph.wholeMatch(of: /<!-- (\S+\/\S+\.swift) -->/)?.1).map { String($0) }
                        )
                    )
                    (open, follows, isInParagraph, paragraph) = (nil, true, false, "")
                } else {
                    open = (line.dropFirst(3).split(separator: " ").map(String.init), index + 2, [])
                }
            } else if open != nil {
                open?.lines.append(String(line))
            } else if line.isEmpty {
                isInParagraph = false
            } else {
                if !isInParagraph {
                    paragraph = String(line)
                    if line.hasPrefix("    ") || line.hasPrefix("\t") { indented.append(index + 1) }
                }
                (follows, isInParagraph) = (false, true)
            }
        }
        if let open { throw Unclosed(name: name, line: open.line - 1) }
        (self.name, self.fences, self.indented) = (name, fences, indented)
    }

    /// Returns the text of a documentation comment, or `nil`.
    private static func comment(_ line: Substring) -> Substring? {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("///") else { return nil }
        return text.hasPrefix("/// ") ? text.dropFirst(4) : text.dropFirst(3)
    }

    /// The Swift blocks, each with the output that follows it.
    var blocks: [Block] {
        fences.indices.filter { fences[$0].language == "swift" }.map { index in
            let fence = fences[index]
            let next = index + 1 < fences.count ? fences[index + 1] : nil
            let follower = next.map { $0.language == "output" && $0.follows ? $0.lines : [] } ?? []
            return Block(
                document: name,
                line: fence.line,
                lines: fence.lines,
                words: fence.words,
                file: fence.file,
                source: fence.source,
                output: Block.output(in: fence.lines).lines + follower
            )
        }
    }
}

extension Root {
    func document(_ name: String) throws -> Document {
        try Document(name: name, text: text(of: name), isSource: name.hasSuffix(".swift"))
    }

    // MARK: Groups of documents

    /// Documents whose blocks compile as one module, which saves compiler launches.
    struct Shelf: Sendable, CustomStringConvertible {
        let description: String
        let documents: [Document]

        var blocks: [Block] { documents.flatMap(\.blocks) }
    }

    static let library = "Sources/Injectle"
    static let views = "Sources/InjectleSwiftUI"
    static let tasks = "Examples/TodoApp/TwelveTasks.md"
    /// The guide for coding assistants.
    static let skill = "skills/injectle/SKILL.md"
    static let catalog = "Sources/Injectle/Injectle.docc"
    static let catalogs = [catalog, "Sources/InjectleDiagnostics/InjectleDiagnostics.docc"]

    /// Returns all documents whose Swift blocks are checked.
    func documents() throws -> [Document] { try shelves().flatMap(\.documents) }

    /// Returns the documents in groups that compile together.
    func shelves() throws -> [Shelf] {
        let pages = try Self.catalogs.flatMap { try files(in: $0, withExtension: "md") }
        func comments(of module: String) throws -> Shelf {
            let documents = try files(in: "Sources/\(module)", withExtension: "swift").map(document)
            return Shelf(description: "the documentation comments of \(module)", documents: documents)
        }
        return [
            Shelf(description: "README.md", documents: [try document("README.md")]),
            Shelf(description: Self.skill, documents: [try document(Self.skill)]),
            Shelf(description: "the articles", documents: try pages.map(document)),
            try comments(of: "Injectle"), try comments(of: "InjectleDiagnostics"), try comments(of: "InjectleTesting"),
            try comments(of: "InjectleSwiftUI"), Shelf(description: Self.tasks, documents: [try document(Self.tasks)]),
        ]
    }
}
