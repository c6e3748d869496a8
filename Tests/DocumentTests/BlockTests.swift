#if os(macOS) || os(Linux)
import Foundation
import Testing

/// Every Swift block of README.md, of the articles and of the documentation comments compiles, and prints what it says.
@Suite struct BlockTests {
    private let root: Root

    init() throws { root = try Root() }

    @Test func everyDocumentIsFound() throws {
        for shelf in try root.shelves() {
            #expect(shelf.blocks.count > 10, "Few blocks were found in \(shelf).")
        }
    }

    @Test(arguments: try Root().shelves())
    func everyBlockCompilesAndPrintsWhatItSays(shelf: Root.Shelf) async throws {
        let parts = shelf.blocks.filter { $0.kind == .part }
        for complaint in try await Checker(root: root).complaints(of: parts) { Issue.record("\(complaint)") }
    }

    @Test(arguments: try Root().shelves().flatMap(\.blocks).filter { $0.kind == .program })
    func everyProgramPrintsWhatItSays(block: Block) async throws {
        for complaint in try await Checker(root: root).complaints(ofProgram: block) { Issue.record("\(complaint)") }
    }

    @Test func everyBlockThatIsNotToCompileFailsForTheReasonItNames() async throws {
        let blocks = try root.shelves().flatMap(\.blocks).filter { $0.kind == .failing }
        try #require(!blocks.isEmpty)
        for complaint in try await Checker(root: root).complaints(ofFailing: blocks) { Issue.record("\(complaint)") }
    }

    @Test(arguments: try Root().documents().filter { $0.blocks.contains { $0.kind == .file } })
    func everyPackageThatIsShownRunsAndPassesItsTests(document: Document) async throws {
        let files = document.blocks.filter { $0.kind == .file }
        for complaint in try await Checker(root: root).complaints(ofPackageIn: files) { Issue.record("\(complaint)") }
    }

    @Test func everyExcerptOfAPackageIsWellFormed() async throws {
        let blocks = try root.shelves().flatMap(\.blocks).filter { $0.kind == .manifest }
        try #require(!blocks.isEmpty)
        for block in blocks {
            let verdict = try await Toolchain(root: root).parse(block.lines.joined(separator: "\n"))
            #expect(verdict.isAccepted, "\(block): \(verdict.output)")
        }
    }

    /// Articles show none of the words behind the language, so what a block is has to be said inside it.
    @Test func noBlockSaysAnythingThatReadersDoNotSee() throws {
        for block in try root.shelves().flatMap(\.blocks) {
            #expect(block.words.isEmpty, "\(block)")
        }
    }

    /// Inside a list, a block would be taken for text, and not be checked.
    @Test func noBlockIsIndented() throws {
        for document in try ["README.md"] + root.files(in: Root.catalog, withExtension: "md") {
            for (index, line) in try root.text(of: document).split(separator: "\n", omittingEmptySubsequences: false)
                .enumerated()
            {
                let isIndented = line.hasPrefix(" ") && line.drop { $0 == " " }.hasPrefix("```swift")
                #expect(!isIndented, "\(document):\(index + 1)")
            }
        }
    }

    /// What would be printed, and is not looked at, has no place in a document.
    @Test func everyOutputFollowsABlockOfSwift() throws {
        for document in try root.shelves().flatMap(\.documents) {
            for (index, fence) in document.fences.enumerated() where fence.language == "output" {
                let isOutput = index > 0 && document.fences[index - 1].language == "swift" && fence.follows
                #expect(isOutput, "\(document.name):\(fence.line)")
            }
        }
    }
}
#endif
