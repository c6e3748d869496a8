#if os(Linux)
import Foundation
import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private final class Disk: Sendable {}
private final class Repository: Sendable {
    init(disk: Disk) {}
}
private final class Pool: Sendable {}
private final class Query: Sendable {
    init(pool: Pool) {}
}
private final class Roster: Sendable {}
private final class Office: Sendable {
    init(roster: Roster) {}
}
private struct Badge: Sendable {
    let roster: Roster
}
private final class Chicken: Sendable {
    init(egg: Egg) {}
}
private final class Egg: Sendable {
    init(chicken: Chicken) {}
}

/// The page of a graph in headless Chromium, after a search. `.ci/run` installs the browser.
///
/// Without a browser, the tests are disabled with that reason, except where `CI` is set: there they fail.
@Suite(.serialized, .enabled("there is no Chromium here, in which the page is opened") { Browser.isExpected })
struct PageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var locator: Locator {
        let locator = Locator("app")
        locator.register(.lazy { Disk() })
        locator.register(.initializer(Repository.init))
        locator.register(.lazy { Query(pool: Pool()) }.depending(on: Repository.self).lifetime(.weak))
        locator.register(.initializer(Office.init))
        return locator
    }

    /// Returns the document of the page after its script has run, opened with a search in its address.
    ///
    /// - Parameter script: Runs at the end of the page.
    private func page(of locator: Locator, _ address: String = "", running script: String = "") throws -> String {
        let html = locator.graph.html.replacing("</body>", with: "<script>\(script)</script></body>")
        let file = try folder.file("graph.html", html)
        return try Browser.run("--dump-dom", "\(file.absoluteString)\(address)")
    }

    /// The names in the list with an id.
    private func names(in list: String, of page: String) -> [String] {
        guard let start = page.range(of: "id=\"\(list)\"") else { return [] }
        let text = page[start.upperBound...].prefix(upTo: page[start.upperBound...].range(of: "</ul>")!.lowerBound)
        return text.matches(of: /<button[^>]*>([^<]*?) ?</).map { String($0.1) }
    }

    @Test func `All services are listed without a search`() throws {
        let page = try page(of: locator)
        #expect(names(in: "results", of: page) == ["Disk", "Repository", "Query", "Office", "Roster"])
        #expect(page.contains("4 services, 2 dependencies, 1 faults"))
        #expect(
            page.contains(
                "PageTests.Office needs PageTests.Roster, which is not registered."
            )
        )
    }

    @Test func `A search lists the services that match`() throws {
        #expect(names(in: "results", of: try page(of: locator, "#q=repo")) == ["Repository"])
        #expect(names(in: "results", of: try page(of: locator, "#lifetime=weak")) == ["Query"])
    }

    @Test func `A selected service has its path to the roots`() throws {
        let page = try page(of: locator, "#service=0")
        #expect(names(in: "path-to-the-roots", of: page) == ["Query", "Repository", "Disk"])
        #expect(names(in: "needed-by", of: page) == ["Repository"])
        #expect(page.contains("PageTests.swift:"))
    }

    @Test func `A text of a registration ends no element`() throws {
        let locator = Locator("</script><script>document.title='broken'</script>")
        locator.register(.lazy { Disk() }, key: "</script><b id=\"broken\">")
        let page = try page(of: locator)
        #expect(names(in: "results", of: page).count == 1)
        #expect(!page.contains("<b id="))
        #expect(!page.contains("<title>broken"))
    }

    @Test func `A missing service is a node, which its dependents need`() throws {
        let locator = locator
        locator.register(.initializer(Badge.init))
        let page = try page(of: locator, "#lifetime=missing&service=5")
        #expect(names(in: "results", of: page) == ["Roster"])
        #expect(names(in: "needed-by", of: page) == ["Office", "Badge"])
        #expect(page.contains("<dd>missing</dd>"))
    }

    @Test func `Lifetimes of named locators have colors of their own`() throws {
        let locator = Locator("app")
        for name in ["ab", "ba", "abc", "cab", "bca"] {
            locator.register(.lazy { Disk() }.lifetime(.perLocator(named: Locator.Name(rawValue: name))), key: name)
        }
        locator.register(.lazy { Disk() })
        let apart = "document.title = Math.min(...taken.map(hue => Math.min(...taken.filter(one => one !== hue)"
        let script = apart + ".map(one => Math.min(Math.abs(one - hue), 360 - Math.abs(one - hue))))));"
        let page = try page(of: locator, running: script)
        let colors = page.matches(of: /<i style="background: ([^"]*)"/).map { String($0.1) }
        #expect(colors.count == 6 && Set(colors).count == 6)
        let title = try #require(page.firstMatch(of: /<title>(\d+)</)?.1)
        #expect(Int(title).map { $0 >= 30 } == true)
    }

    @Test func `A long name is cut in the middle`() throws {
        let locator = Locator("app")
        locator.register(.lazy { Disk() }, key: String(repeating: "a", count: 40) + "z")
        let page = try page(of: locator, running: "document.title = fitting(services[0], 100);")
        let title = try #require(page.firstMatch(of: /<title>([^<]*)</)?.1)
        #expect(title.hasPrefix("Disk") && title.contains("…") && title.count < 30)
    }

    @Test func `The dependency that closes a cycle is marked`() throws {
        let locator = Locator("app")
        locator.register(.initializer(Chicken.init))
        locator.register(.initializer(Egg.init))
        let script = "document.title = graph.dependencies.filter(edge => edge.isBack).length;"
        #expect(try page(of: locator, running: script).contains("<title>1</title>"))
    }

    @Test func `A page of 2,000 services is usable`() throws {
        let locator = Locator("large")
        for number in 0..<2_000 {
            let earlier = Int(Double(number).squareRoot())
            locator.register(.lazy { Disk() }.depending(on: Disk?.self, key: earlier - 1), key: number)
        }
        let page = try page(of: locator, "#q=1999")
        #expect(names(in: "results", of: page) == ["Disk Int.1999"])
        #expect(try self.page(of: locator).contains("and 1800 more"))
    }
}

private enum Browser {
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isExpected: Bool { path != nil || ProcessInfo.processInfo.environment["CI"] != nil }

    static func run(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path, ".ci/run installs Chromium"))
        process.arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}
#endif
