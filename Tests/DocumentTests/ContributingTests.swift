#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// CONTRIBUTING.md lists each file, and references of the pages resolve.
@Suite struct ContributingTests {
    private let root: Root
    private let contributing: String

    init() throws {
        root = try Root()
        contributing = try root.text(of: "CONTRIBUTING.md")
    }

    // MARK: Where things live

    /// Returns the text between a heading and the next one of its level or above.
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

    @Test(arguments: try Root().folders(in: Root.library).filter { !$0.hasSuffix(".docc") })
    func `CONTRIBUTING lists every source file of a folder`(folder: String) throws {
        let section = try section("#### \(folder)")
        let files = try root.files(in: "\(Root.library)/\(folder)", withExtension: "swift")
            .map { (($0 as NSString).lastPathComponent as NSString).deletingPathExtension }
        #expect(files.count > 1)
        #expect(self.files(namedIn: section) == Set(files))
    }

    @Test func `CONTRIBUTING lists every folder`() throws {
        for folder in try root.folders(in: Root.library) { _ = try section("#### \(folder)") }
        let rest = try section("### The rest")
        for parent in ["Sources", "Tests"] {
            for path in try root.folders(in: parent).map({ "\(parent)/\($0)" }) where path != Root.library {
                #expect(rest.contains("`\(path)`"), "\(path)")
            }
        }
    }

    /// Every other file uses the plan, or a property that its file defines.
    @Test func onlyThePlanTestsLifetimes() throws {
        let test = try Regex(
            #"\b(lifetime(\.kind|\.details)?|lifetimeKind)\s*(==|!=)|\b(lifetime\.kind|lifetimeKind|lifetime\.details\??)\."#
                + #"|\b(switch|case .* =) .*\b(lifetimeKind|lifetime\.(kind|details))|extension Locator\.Lifetime\.Kind"#
        )
        for file in try root.files(in: Root.library, withExtension: "swift") {
            if ["/LifetimePlan.swift", "/Lifetime.swift"].contains(where: file.hasSuffix) { continue }
            #expect(try root.text(of: file).firstMatch(of: test) == nil, "\(file)")
        }
    }

    /// Returns the pages on internals: the guide, one article and the decisions.
    private func pagesOnTheInside() throws -> [String: String] {
        let decisions = try root.files(in: "\(Root.catalog)/Decisions", withExtension: "md")
        let pages = ["CONTRIBUTING.md", "\(Root.catalog)/HowItWorks.md"] + decisions
        return Dictionary(uniqueKeysWithValues: try pages.map { ($0, try root.text(of: $0)) })
    }

    /// Checks paths in backticks: from the root, the library or its documentation.
    @Test func `Every path on the internal pages exists`() throws {
        let folders = [
            "": ["Sources", "Tests", "Benchmarks", "Scripts", ".ci"],
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
            #expect(paths.count > 15 || page.contains("/Decisions/"), "\(page)")
            for path in paths.subtracting(Self.examples) {
                #expect(root.exists(path) || root.exists("\(path).swift"), "\(page): \(path)")
            }
        }
    }

    /// Checks tests and articles that are named without a path.
    @Test func `Every test and article named on the internal pages exists`() throws {
        let pages = try pagesOnTheInside().values
        let tests = pages.flatMap { $0.matches(of: /`([A-Z][A-Za-z]*Tests)`/).map { String($0.1) } }
        let articles = contributing.matches(of: /article\s+`([A-Z][A-Za-z]*)`/).map { String($0.1) }
        let files =
            try root.files(in: "Tests", withExtension: "swift") + root.files(in: Root.catalog, withExtension: "md")
        let names = Set(files.map { (($0 as NSString).lastPathComponent as NSString).deletingPathExtension })
            .union(try root.folders(in: "Tests"))
        #expect(tests.count > 10 && articles.count > 2)
        for name in Set(tests + articles).subtracting(Self.examples) { #expect(names.contains(name), "\(name)") }
    }

    /// Examples of new files in the guide.
    private static let examples: Set = [
        "Sources/Injectle/Wrappers/Attempt.swift", "Sources/Injectle/Diagnostics/Tally.swift", "TallyTests",
    ]

    // MARK: Links

    private static let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md"]

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

    @Test(arguments: pages)
    func `Every relative link of a page resolves`(page: String) throws {
        let text = try root.text(of: page)
        let folder = (page as NSString).deletingLastPathComponent
        // Links of Markdown and of embedded HTML.
        let links = text.matches(of: /\]\(\s*([^)\s]+)/).map(\.1) + text.matches(of: /(?:src|href)="([^"]+)"/).map(\.1)
        for link in links where !link.hasPrefix("http") {
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? page : folder.isEmpty ? parts[0] : "\(folder)/\(parts[0])"
            #expect(root.exists(target), "\(page): \(link)")
            if parts.count == 2 {
                #expect(anchors(of: try root.text(of: target)).contains(parts[1]), "\(page): \(link)")
            }
        }
    }

    /// The landing page leads to every article, and the list of decisions to every decision.
    @Test func `The landing page or the decision list links every article`() throws {
        let landing = try root.text(of: "\(Root.catalog)/Injectle.md")
        let decisions = try root.text(of: "\(Root.catalog)/Decisions/Decisions.md")
        for file in try root.files(in: Root.catalog, withExtension: "md") {
            let name = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
            guard name != "Injectle", !file.contains("/Extensions/") else { continue }
            let link = "<doc:\(name)>"
            let isDecision = name.hasPrefix("Decision") && name != "Decisions"
            #expect((isDecision ? decisions : landing).contains(link), "\(file)")
        }
    }
}
#endif
