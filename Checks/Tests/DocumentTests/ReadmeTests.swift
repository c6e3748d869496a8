#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// README.md matches the package, and the documents are as short as they have to be.
@Suite struct ReadmeTests {
    private let root: Root
    private let readme: Document

    init() throws {
        root = try Root()
        readme = try root.document("README.md")
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

    @Test func `README fits on a screen`() throws {
        let text = try root.text(of: "README.md")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 161)
        #expect(text.split(whereSeparator: \.isWhitespace).count <= 1100)
    }

    @Test func `The guide has at most 17 articles of 200 lines and 15,000 words`() throws {
        let names = try root.files(in: Root.catalog, withExtension: "md")
            .filter { !$0.contains("/Extensions/") && !$0.hasSuffix("/Injectle.md") }
        let articles = try names.map(root.text(of:))
        #expect(articles.count <= 17)
        #expect(articles.map { $0.split(whereSeparator: \.isWhitespace).count }.reduce(0, +) <= 15_000)
        for (name, text) in zip(names, articles) {
            #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 201, "\(name)")
        }
    }

    @Test func `The guide for coding assistants has at most 250 lines`() throws {
        let text = try root.text(of: Root.skill)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 251)
    }
}
#endif
