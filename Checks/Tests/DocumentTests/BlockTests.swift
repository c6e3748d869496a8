#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// The Swift blocks of README.md, the articles and the documentation comments.
@Suite struct BlockTests {
    private let root: Root

    init() throws { root = try Root() }

    /// Indented blocks and other fences would not be checked.
    @Test func `Every fenced Swift block is found`() throws {
        for document in try root.documents() {
            let lines = try root.text(of: document.name).split(separator: "\n", omittingEmptySubsequences: false)
            let starts = lines.indices.filter { lines[$0].contains(Document.opening) }.map { $0 + 2 }
            #expect(starts == document.blocks.map(\.line), "\(document)")
            #expect(document.indented.isEmpty, "\(document)")
        }
    }

    /// An empty set of blocks would pass the other tests.
    @Test func `Every kind of block occurs`() throws {
        for shelf in try root.shelves() {
            #expect(shelf.blocks.contains { $0.kind == .part || $0.kind == .view }, "\(shelf)")
        }
        #expect(Set(try root.documents().flatMap(\.blocks).map(\.kind)) == Set(Block.Kind.allCases))
    }

    @Test(arguments: try Root().shelves().filter { $0.blocks.contains { $0.kind == .part } })
    func `Every block compiles and prints the documented output`(shelf: Root.Shelf) async throws {
        let parts = shelf.blocks.filter { $0.kind == .part }
        for complaint in try await Checker(root: root).complaints(of: parts) { Issue.record("\(complaint)") }
    }

    @Test(arguments: try Root().documents().flatMap(\.blocks).filter { $0.kind == .program })
    func `Every program prints the documented output`(block: Block) async throws {
        for complaint in try await Checker(root: root).complaints(ofProgram: block) { Issue.record("\(complaint)") }
    }

    @Test func `Every failing block fails with the documented error`() async throws {
        let blocks = try root.documents().flatMap(\.blocks).filter { $0.kind == .failing }
        for complaint in try await Checker(root: root).complaints(ofFailing: blocks) { Issue.record("\(complaint)") }
    }

    @Test(arguments: try Root().documents().filter { $0.blocks.contains { $0.kind == .file } })
    func `Every documented package runs and passes its tests`(document: Document) async throws {
        let files = document.blocks.filter { $0.kind == .file }
        for complaint in try await Checker(root: root).complaints(ofPackageIn: files) { Issue.record("\(complaint)") }
    }

    /// The package of the file compiles it.
    @Test(arguments: try Root().documents().flatMap(\.blocks).filter { $0.kind == .quotation })
    func `Every quotation is in its file`(block: Block) throws {
        let source = try #require(block.source)
        #expect(block.isQuoted(from: try root.text(of: source)), "\(block) is not in \(source).")
    }

    @Test func `Every manifest loads`() async throws {
        for block in try root.documents().flatMap(\.blocks) where block.kind == .manifest {
            let verdict = try await Toolchain(root: root).load(manifest: block.lines.joined(separator: "\n"))
            #expect(verdict.isAccepted, "\(block): \(verdict.output)")
        }
    }

    /// Articles hide the words after the language. A block of an unknown language may be Swift by another name.
    @Test func `No fence carries words that readers cannot see`() throws {
        for document in try root.documents() {
            for fence in document.fences {
                #expect(Self.languages.contains(fence.language) && fence.words.isEmpty, "\(document):\(fence.line)")
            }
        }
    }

    private static let languages: Set = ["swift", "output", "console", "json", "sh", "text"]

    /// Documented output must be compared with actual output.
    @Test func `Every output belongs to a block that runs`() throws {
        for document in try root.documents() {
            for (index, fence) in document.fences.enumerated() where fence.language == "output" {
                let isOutput = index > 0 && document.fences[index - 1].language == "swift" && fence.follows
                #expect(isOutput, "\(document):\(fence.line)")
            }
            for block in document.blocks {
                #expect(block.isRun || block.output.isEmpty, "\(block)")
                for number in Block.output(in: block.lines).unread {
                    Issue.record(
                        "\(document):\(block.line + number): It does not say in a form that is read what is printed."
                    )
                }
            }
        }
    }
}
#endif
