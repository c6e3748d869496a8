#if os(macOS) || os(Linux)
import Foundation
import Testing

/// CONTRIBUTING.md knows each file, and what documents refer to is there.
@Suite struct HouseTests {
    private let root: Root
    private let contributing: String

    init() throws {
        root = try Root()
        contributing = try root.text(of: "CONTRIBUTING.md")
    }

    // MARK: Where things live

    /// The part of the guide between a heading and the next one of its level or above.
    private func section(_ heading: String) throws -> Substring {
        let start = try #require(contributing.range(of: "\n\(heading)\n"), "There is no section \(heading).")
        let next = try Regex("\n#{1,\(heading.prefix { $0 == "#" }.count)} ")
        let rest = contributing[start.upperBound...]
        return rest[..<(rest.firstRange(of: next)?.lowerBound ?? rest.endIndex)]
    }

    /// The names of files in the first column of a section's tables; `+Aspect` continues the name before it.
    private func files(namedIn section: Substring) -> Set<String> {
        var names: Set<String> = []
        for row in section.split(separator: "\n") where row.hasPrefix("| `") {
            var type = ""
            for match in row.dropFirst(2).prefix(while: { $0 != "|" }).matches(of: /`([^`]+)`/) {
                let name = String(match.1)
                if !name.hasPrefix("+") { type = String(name.prefix { $0 != "+" }) }
                names.insert(name.hasPrefix("+") ? type + name : name)
            }
        }
        return names
    }

    @Test(arguments: ["Locator", "Registration", "Resolution", "Wrappers", "Concurrency", "Diagnostics"])
    func everySourceFileHasItsPlaceInTheTable(folder: String) throws {
        let section = try section("#### \(folder)")
        let files = try root.files(in: "Sources/Injectle/\(folder)", withExtension: "swift")
            .map { (($0 as NSString).lastPathComponent as NSString).deletingPathExtension }
        #expect(files.count > 1)
        #expect(self.files(namedIn: section) == Set(files))
    }

    @Test func everyFolderHasItsPlace() throws {
        let found = try FileManager.default.contentsOfDirectory(
            at: root.url.appendingPathComponent("Sources/Injectle"),
            includingPropertiesForKeys: [.isDirectoryKey]
        )
        for folder in found where try folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
            #expect(contributing.contains("#### \(folder.lastPathComponent)\n"))
        }
        let rest = try section("### The rest")
        for folder in try FileManager.default.contentsOfDirectory(atPath: root.url.appendingPathComponent("Tests").path)
        where !folder.hasPrefix(".") {
            #expect(rest.contains("`Tests/\(folder)`"), "Tests/\(folder)")
        }
    }

    /// Whatever stands as a path, or as a file of a folder of the library, between backticks.
    @Test func everyPathInTheGuideExists() throws {
        let library = "Sources/Injectle"
        let folders = "Locator|Registration|Resolution|Wrappers|Concurrency|Diagnostics|Injectle.docc"
        let inLibrary = try Regex("`((?:\(folders))/[A-Za-z+./]*)`", as: (Substring, Substring).self)
        let inPackage = /`((?:Sources|Tests|Benchmarks|Scripts|\.ci)\/[A-Za-z+.\/-]*)/
        let paths =
            contributing.matches(of: inPackage).map { String($0.1) }
            + contributing.matches(of: inLibrary).map { "\(library)/\($0.1)" }
        #expect(paths.count > 20)
        for path in Set(paths) {
            #expect(root.exists(path) || root.exists("\(path).swift") || Self.examples.contains(path), "\(path)")
        }
    }

    /// Files that the guide has its reader make.
    private static let examples: Set<String> = [
        "Sources/Injectle/Wrappers/Attempt.swift", "Sources/Injectle/Diagnostics/Tally.swift",
    ]

    // MARK: Links

    private static let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md"]

    /// The anchors that headings of a page have.
    private func anchors(of text: String) -> Set<String> {
        var anchors: Set<String> = []
        var isCode = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { continue }
            let title = line.drop { $0 == "#" }.dropFirst().lowercased()
            anchors.insert(
                String(title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.map { $0 == " " ? "-" : $0 })
            )
        }
        return anchors
    }

    @Test(arguments: pages)
    func everyLinkOfAPageLeadsSomewhere(page: String) throws {
        let text = try root.text(of: page)
        let folder = (page as NSString).deletingLastPathComponent
        for match in text.matches(of: /\]\(([^)\s]+)\)/) where !match.1.hasPrefix("http") {
            let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? page : folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
            #expect(root.exists(target), "\(page): \(match.1)")
            if parts.count == 2 {
                #expect(anchors(of: try root.text(of: target)).contains(parts[1]), "\(page): \(match.1)")
            }
        }
    }

    /// Who reads the articles on a page of the repository, and who reads them in the built documentation, finds all.
    @Test func everyArticleIsOnTheLandingPage() throws {
        let landing = try root.text(of: "\(Root.catalog)/Injectle.md")
        let decisions = try? root.text(of: "\(Root.catalog)/Decisions/Decisions.md")
        for file in try root.files(in: Root.catalog, withExtension: "md") {
            let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
            guard name != "Injectle", !file.contains("/Extensions/") else { continue }
            let link = "<doc:\(name)>"
            #expect(landing.contains(link) || decisions?.contains(link) == true, "\(file)")
        }
    }
}
#endif
