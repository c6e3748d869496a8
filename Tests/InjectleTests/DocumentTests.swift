#if os(macOS) || os(Linux)
import Foundation
import Injectle
import InjectleTestSupport
import Testing

// What the error texts of the document are about.
private protocol Car: Sendable {}
private struct DeLorean: Car {}
private protocol WallClock: Sendable {}
private final class Timetable: Sendable {
    init(clock: any WallClock) {}
    init(planner: Planner) {}
}
private final class Planner: Sendable {
    init(timetable: Timetable) {}
}
private final class Trip: Sendable {
    let car = Inject<any Car>()
}

/// What README.md and the articles show compiles, and what README.md shows is what the library prints.
@Suite struct DocumentTests {
    /// What the blocks of the document use without declaring it.
    private static let preamble = """
        import Foundation
        import Injectle

        protocol Car: AnyObject, Sendable { var name: String { get } }
        final class DeLorean: Car { let name = "DeLorean" }
        final class RandomCar: Car { let name = "some car" }
        final class Taxi: Car { let name = "taxi" }
        final class Bmw: NSCopying {
            let model: String
            init(model: String) { self.model = model }
            func copy(with zone: NSZone? = nil) -> Any { Bmw(model: model) }
        }
        final class Carpool { @Optject("unknown") var unknownCar: (any Car)? }
        struct Chauffeur: Sendable { let car: any Car }
        struct Discount: Sendable {}
        final class Trip {
            @Inject var car: any Car
            func describe() -> String { "a trip by \\(car.name)" }
        }

        final class Database: Sendable {}
        protocol Lighting: AnyObject {}
        protocol Parking: AnyObject {}
        struct Lamp: Sendable {}
        protocol Tool {}
        final class Garage: Lighting, Parking {
            var lamp = Lamp()
            init() {}
            init(database: Database) {}
        }
        struct Settings: Sendable { let currency: String }
        struct Report: Sendable { let settings: Settings }
        struct User: Sendable { let name: String }
        protocol WallClock: Sendable {}
        struct FixedClock: WallClock {}

        """

    private let root: URL
    private let readme: String
    private let blocks: [DocumentBlock]
    /// The blocks of each article of the documentation, by the name of its file.
    private var articles: [String: [DocumentBlock]] = [:]

    init() throws {
        var folder = URL(fileURLWithPath: #filePath)
        repeat {
            try #require(folder.path != "/", "There is no Package.swift above \(#filePath).")
            folder.deleteLastPathComponent()
        } while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        root = folder
        readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        blocks = try DocumentBlock.all(in: readme)
        let catalog = root.appendingPathComponent("Sources/Injectle/Injectle.docc")
        let files = try FileManager.default.contentsOfDirectory(at: catalog, includingPropertiesForKeys: nil)
        for file in files where file.pathExtension == "md" {
            let text = try String(contentsOf: file, encoding: .utf8)
            articles[file.lastPathComponent] = try DocumentBlock.all(in: text)
        }
    }

    // MARK: The Swift blocks

    /// What the compiler says of blocks, each a file of one module.
    private func verdict(on blocks: [DocumentBlock], named document: String) async throws -> DocumentCompiler.Verdict {
        var files = ["Preamble.swift": Self.preamble]
        for (number, block) in blocks.enumerated() {
            files["Block\(number).swift"] = block.source(number: number, document: document)
        }
        return try await DocumentCompiler(root: root).check(files)
    }

    private func swiftBlocks(_ tag: String?) throws -> [DocumentBlock] {
        let found = blocks.filter { $0.language == "swift" && $0.tags == [tag].compactMap(\.self) }
        try #require(!found.isEmpty, "No block of README.md is tagged \(tag ?? "by nothing").")
        return found
    }

    @Test func everySwiftBlockIsOfAKindThatIsChecked() {
        for block in blocks where block.language == "swift" {
            #expect(block.tags == [] || block.tags == ["package"] || block.tags == ["fails"], "line \(block.line)")
        }
    }

    @Test func everySwiftBlockCompiles() async throws {
        let verdict = try await verdict(on: swiftBlocks(nil), named: "README.md")
        #expect(verdict.isAccepted, "\(verdict.output)")
    }

    @Test func everySwiftBlockOfTheArticlesCompiles() async throws {
        #expect(articles.keys.contains("Injectle.md"), "The articles were not found.")
        for (name, blocks) in articles {
            let swiftBlocks = blocks.filter { $0.language == "swift" }
            // Words behind the language would be shown by none of those who read articles.
            for block in swiftBlocks { #expect(block.tags == [], "\(name), line \(block.line)") }
            let verdict = try await verdict(on: swiftBlocks, named: name)
            #expect(verdict.isAccepted, "\(verdict.output)")
        }
    }

    @Test func everyExcerptOfAPackageIsWellFormed() async throws {
        let compiler = try await DocumentCompiler(root: root)
        for block in try swiftBlocks("package") {
            let verdict = try await compiler.parse(["Package.swift": block.text])
            #expect(verdict.isAccepted, "line \(block.line): \(verdict.output)")
        }
    }

    @Test func everyBlockThatIsNotToCompileFailsForTheReasonItNames() async throws {
        let failing = try swiftBlocks("fails")
        let verdict = try await verdict(on: failing, named: "README.md")
        var named = 0
        for block in failing {
            for (offset, line) in block.lines.enumerated() {
                guard let comment = line.firstRange(of: "// error: ") else { continue }
                named += 1
                let (place, reason) = ("README.md:\(block.line + offset):", line[comment.upperBound...])
                let isGiven = verdict.errors.contains { $0.hasPrefix(place) && $0.contains(reason) }
                #expect(isGiven, "\(place) \(reason)\n\(verdict.output)")
            }
            #expect(block.lines.contains { $0.contains("// error: ") }, "line \(block.line) names no reason")
        }
        #expect(verdict.errors.count == named, "\(verdict.output)")
    }

    @Test func aBlockThatIsWrongIsNoticed() async throws {
        let document = """
            ```swift
            let number: Int = try locator.resolve()
            locator.registerSingelton(DeLorean())
            ```

            ```swift
            import Injectle

            final class Holder {
                @Inject var car: any Vehicle
            }
            ```

            ```swift
            let car: any Car = try locator.resolve()
            ```
            """
        let verdict = try await verdict(on: DocumentBlock.all(in: document), named: "Wrong.md")
        #expect(!verdict.isAccepted)
        #expect(verdict.errors.contains { $0.hasPrefix("Wrong.md:3:") && $0.contains("registerSingelton") })
        #expect(verdict.errors.contains { $0.hasPrefix("Wrong.md:10:") && $0.contains("Vehicle") })
        #expect(!verdict.errors.contains { $0.hasPrefix("Wrong.md:14:") }, "\(verdict.output)")
    }

    @Test func aBlockThatSharesWhatIsNotSendableIsNoticed() async throws {
        let document = """
            ```swift
            let bmw = Bmw(model: "M5")
            Task { print(bmw) }
            print(bmw)
            ```
            """
        let verdict = try await verdict(on: DocumentBlock.all(in: document), named: "Wrong.md")
        #expect(verdict.errors.count == 1)
        #expect(verdict.errors.allSatisfy { $0.hasPrefix("Wrong.md:3:") && $0.contains("data races") })
    }

    @Test func aPackageThatIsWrongIsNoticed() async throws {
        let verdict = try await DocumentCompiler(root: root).parse([
            "Package.swift": "let package = Package(name: \"App\""
        ])
        #expect(!verdict.isAccepted)
    }

    @Test func aBlockWithoutAnEndIsNoticed() {
        #expect(throws: DocumentBlock.Unclosed.self) { try DocumentBlock.all(in: "```swift\nlet number = 7\n") }
        #expect(throws: DocumentBlock.Unclosed.self) { try DocumentBlock.all(in: "```swift\n```text\n```\n") }
    }

    // MARK: The rest

    /// A text in the words of the document, which knows neither this file nor its lines.
    private func normalized(_ text: String) -> String {
        text.replacing("InjectleTests/DocumentTests.swift", with: "App/Launch.swift")
            .replacing("InjectleTests.", with: "App.")
            .replacing(/\.swift:\d+/, with: ".swift:0")
    }

    private func text(_ body: () throws -> Void) -> String {
        (#expect(throws: InjectleError.self) { try body() }).map { normalized($0.description) } ?? ""
    }

    @Test(.processWide) func theErrorsAreThoseThatTheLibraryPrints() throws {
        let missing = text {
            let locator = Locator("app")
            locator.register(.lazy { locator in Timetable(clock: try locator.resolve()) })
            locator.register(.lazy { locator in Planner(timetable: try locator.resolve()) })
            _ = try locator.resolve(Planner.self)
        }
        let cycle = text {
            let locator = Locator("app")
            locator.register(.lazy { locator in Timetable(planner: try locator.resolve()) })
            locator.register(.lazy { locator in Planner(timetable: try locator.resolve()) })
            _ = try locator.resolve(Planner.self)
        }
        let missingInOverride = text {
            Locator.default.register(.lazy { DeLorean() }, for: (any Car).self)
            let mocks = Locator("mocks")
            _ = try Locator.$shared.withValue(mocks) { () throws in try Locator.shared.resolve((any Car).self) }
        }
        let shown = blocks.filter { $0.language == "text" }.map { normalized($0.text) }
        #expect(shown == [missing, cycle, missingInOverride])
    }

    @Test func theCommandsComeFirst() {
        #expect(blocks.first?.lines == ["swift run Carpool", "swift test"])
    }

    @Test func theInstructionsAreThoseOfThePackage() throws {
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let excerpt = try #require(swiftBlocks("package").first)
        // The tools and the platforms: what one asks of users, the other tells them.
        for start in ["// swift-tools-version:", "platforms:"] {
            let isStart: (Substring) -> Bool = { $0.contains(start) }
            let line = try #require(manifest.split(separator: "\n").first(where: isStart))
            #expect(excerpt.lines.contains(String(line)))
        }
    }
}
#endif
