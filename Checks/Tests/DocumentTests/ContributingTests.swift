#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// The contributors' pages list each folder, and their references resolve.
@Suite struct ContributingTests {
    private let root: Root
    private let contributing: String

    init() throws {
        root = try Root()
        contributing = try root.text(of: "CONTRIBUTING.md")
    }

    /// Returns the text between a heading of a page and the next one of its level or above.
    private func section(_ heading: String, of page: String) throws -> Substring {
        let start = try #require(page.range(of: "\n\(heading)\n"), "There is no section \(heading).")
        let next = try Regex("\n#{1,\(heading.prefix { $0 == "#" }.count)} ")
        let rest = page[start.upperBound...]
        return rest[..<(rest.firstRange(of: next)?.lowerBound ?? rest.endIndex)]
    }

    @Test func `CONTRIBUTING lists every folder of the library`() throws {
        let layers = try section("## Layers", of: contributing)
        for folder in try root.folders(in: Root.library) { #expect(layers.contains("\n| `\(folder)` |"), "\(folder)") }
    }

    /// Every other file uses a property that its file defines.
    @Test func onlyLifetimesTestsTheKindOfALifetime() throws {
        let test = try Regex(
            #"\b(lifetime(\.kind|\.details)?|lifetimeKind)\s*(==|!=)(?!=)|\b(lifetime\.kind|lifetimeKind|lifetime\.details\??)\."#
                + #"|\b(switch|case .* =) .*\b(lifetimeKind|lifetime\.(kind|details))|extension Locator\.Lifetime\.Kind"#
                + #"|\b(part|\$0)\s*(==|!=)\s*\.(eager|volatile|factory|weak|graph|per[A-Z])"#
                + #"|extension Locator\.Lifetime \{[^}]*\b(kind\b|self\s*(==|!=))"#
        )
        let folders = [Root.library, "Sources/InjectleDiagnostics", "Sources/InjectleTesting"]
        for file in try folders.flatMap({ try root.files(in: $0, withExtension: "swift") }) {
            let own = ["/LifetimeRules.swift", "/Lifetime.swift"]
            if own.contains(where: file.hasSuffix) { continue }
            #expect(try root.text(of: file).firstMatch(of: test) == nil, "\(file)")
        }
    }

    /// Returns the pages for contributors.
    private func pagesOnTheInside() throws -> [String: String] {
        let pages = ["CONTRIBUTING.md"] + (try root.files(in: "Documentation", withExtension: "md"))
        return Dictionary(uniqueKeysWithValues: try pages.map { ($0, try root.text(of: $0)) })
    }

    /// Checks paths in backticks: from the root, the library or its documentation.
    @Test func `Every path on the internal pages exists`() throws {
        let folders = [
            "": ["Sources", "Tests", "Checks", "Benchmarks", "Documentation", "Scripts", ".ci"],
            Root.library: try root.folders(in: Root.library),
            Root.catalog: try root.folders(in: Root.catalog),
        ]
        for (page, text) in try pagesOnTheInside() {
            var paths: Set<String> = []
            // Double backticks mark a symbol.
            for match in text.matches(of: /(?:^|[^`])`(([A-Za-z.]+)\/[A-Za-z+.\/-]*)/) {
                guard let parent = folders.first(where: { $0.value.contains(String(match.2)) })?.key else { continue }
                paths.insert(parent.isEmpty ? String(match.1) : "\(parent)/\(match.1)")
            }
            let isDetailed = ["CONTRIBUTING.md", "Documentation/HowItWorks.md"].contains(page)
            #expect(paths.count > (isDetailed ? 15 : 0), "\(page)")
            for path in paths {
                #expect(root.exists(path) || root.exists("\(path).swift"), "\(page): \(path)")
            }
        }
    }

    /// Checks tests and articles that are named without a path.
    @Test func `Every test and article named on the internal pages exists`() throws {
        let pages = try pagesOnTheInside().values
        let tests = pages.flatMap { $0.matches(of: /`([A-Z][A-Za-z]*Tests)`/).map { String($0.1) } }
        let articles = pages.flatMap { $0.matches(of: /article\s+`([A-Z][A-Za-z]*)`/).map { String($0.1) } }
        let files =
            try ["Tests", "Checks/Tests", "Checks/Concurrency/Tests"].flatMap {
                try root.files(in: $0, withExtension: "swift")
            }
            + root.files(in: Root.catalog, withExtension: "md")
        let names = Set(files.map { (($0 as NSString).lastPathComponent as NSString).deletingPathExtension })
            .union(try root.folders(in: "Tests")).union(try root.folders(in: "Checks/Tests"))
        #expect(tests.count > 10 && articles.count > 2)
        for name in Set(tests + articles) { #expect(names.contains(name), "\(name)") }
    }

    @Test func `The pages of errors and of events list each kind`() throws {
        let errors = try root.text(of: "Sources/Injectle/Diagnostics/InjectleError.swift")
            .matches(of: /public static let (\w+) = InjectleError/).map(\.1)
        let page = try root.text(of: "\(Root.catalog)/WhenAServiceIsMissing.md")
        #expect(errors.count > 10)
        for kind in errors { #expect(page.contains("`\(kind)`") || page.contains("InjectleError/\(kind)`"), "\(kind)") }

        let events = try root.text(of: "Sources/Injectle/Diagnostics/Event.swift")
            .matches(of: /public static let (\w+) = Kind/).map(\.1)
        let landing = try root.text(of: "Sources/InjectleDiagnostics/InjectleDiagnostics.docc/InjectleDiagnostics.md")
        #expect(events.count > 5)
        for kind in events { #expect(landing.contains("`\(kind)`"), "\(kind)") }
    }

    // MARK: Links

    /// Returns the pages that are read on a repository's web page.
    private static func pages() throws -> [String] {
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md"]
            + (try Root().files(in: "Documentation", withExtension: "md"))
    }

    /// Returns the anchors of a page's headings.
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

    @Test(arguments: try pages())
    func `Every relative link of a page resolves`(page: String) throws {
        let text = try root.text(of: page)
        let folder = (page as NSString).deletingLastPathComponent
        // Links of Markdown and of embedded HTML.
        let embedded = text.matches(of: /(?:src|srcset|href)="([^"]+)"/).map(\.1)
        let links = text.matches(of: /\]\(\s*([^)\s]+)/).map(\.1) + embedded
        for link in links where !link.hasPrefix("http") {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? page : folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
            #expect(root.exists(target), "\(page): \(link)")
            if parts.count == 2 {
                #expect(anchors(of: try root.text(of: target)).contains(parts[1]), "\(page): \(link)")
            }
        }
    }

    @Test func `The landing page links every article`() throws {
        let landing = try root.text(of: "\(Root.catalog)/Injectle.md")
        for file in try root.files(in: Root.catalog, withExtension: "md") {
            let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
            guard name != "Injectle", !file.contains("/Extensions/") else { continue }
            #expect(landing.contains("<doc:\(name)>"), "\(file)")
        }
    }
}
#endif
