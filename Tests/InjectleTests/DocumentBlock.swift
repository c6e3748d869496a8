/// A fenced block of a Markdown document.
struct DocumentBlock {
    /// The first word behind the fence.
    let language: String
    /// The words after it: `package`, `fails`.
    let tags: [String]
    /// The number of the first line inside, from 1.
    let line: Int
    let lines: [String]

    var text: String { lines.joined(separator: "\n") }

    /// The blocks of a document whose fences stand at the beginning of a line.
    static func all(in document: String) throws -> [DocumentBlock] {
        var blocks: [DocumentBlock] = []
        var open: (words: [String], line: Int, lines: [String])?
        for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("```") else {
                open?.lines.append(String(line))
                continue
            }
            guard let (words, start, lines) = open else {
                open = (line.dropFirst(3).split(separator: " ").map(String.init), index + 2, [])
                continue
            }
            guard line == "```" else { throw Unclosed(line: start - 1) }
            let language = words.first ?? ""
            blocks.append(DocumentBlock(language: language, tags: Array(words.dropFirst()), line: start, lines: lines))
            open = nil
        }
        if let open { throw Unclosed(line: open.line - 1) }
        return blocks
    }

    /// A fence without its end.
    struct Unclosed: Error, CustomStringConvertible {
        let line: Int
        var description: String { "The block that begins in line \(line) has no end." }
    }

    /// The block as a file among others of one module, whose errors name the line of the document.
    ///
    /// A block that begins with `import` stands for a file of its own, any other for code inside a function. Either is
    /// put into a type, so that two blocks may declare the same names.
    func source(number: Int, document: String) -> String {
        let isFile = lines.first { !$0.isEmpty }?.isImport == true
        let imports = lines.filter { isFile && $0.isImport }
        let body = lines.map { isFile && $0.isImport ? "" : $0 }
        let effects = lines.contains { $0.contains("await ") } && !isFile ? "async throws" : "throws"
        let function = "func run(locator: Locator) \(effects) {"
        return
            (["import Injectle"] + imports + [
                "struct Block\(number) {", isFile ? "" : function,
                "#sourceLocation(file: \"\(document)\", line: \(line))",
            ] + body + ["#sourceLocation()", isFile ? "" : "}", "}"]).joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate var isImport: Bool { hasPrefix("import ") || hasPrefix("@testable import ") }
}
