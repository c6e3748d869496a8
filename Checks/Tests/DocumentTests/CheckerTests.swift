#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

/// Faulty documents: the checker reports each kind of mistake.
@Suite struct CheckerTests {
    private let checker: Checker

    init() async throws { checker = try await Checker(root: Root()) }

    private func blocks(_ text: String) throws -> [Block] { try Document(name: "Wrong.md", text: text).blocks }

    @Test func `The checker reports a block that does not compile`() async throws {
        let blocks = try blocks(
            """
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
        )
        let complaints = try await checker.complaints(of: blocks).joined(separator: "\n")
        #expect(complaints.contains("Wrong.md:3:") && complaints.contains("registerSingelton"))
        #expect(complaints.contains("Wrong.md:10:") && complaints.contains("Vehicle"))
        #expect(!complaints.contains("Wrong.md:14:"), "\(complaints)")
    }

    @Test func `The checker reports a block with a data race`() async throws {
        let blocks = try blocks(
            """
            ```swift
            let bmw = Bmw(model: "M5")
            Task { print(bmw) }
            print(bmw)
            ```
            """
        )
        let complaints = try await checker.complaints(of: blocks).joined(separator: "\n")
        #expect(complaints.contains("Wrong.md:3:") && complaints.contains("data races"))
    }

    @Test func `The checker reports a block with other output`() async throws {
        let blocks = try blocks(
            """
            ```swift
            locator.register(.eager(7))
            print(try locator.resolve(Int.self))  // Prints "7"
            ```

            ```swift
            locator.register(.eager(7))
            print(try locator.resolve(Int.self))  // Prints "8"
            ```

            ```swift
            print("one")
            print("two")
            // Prints "one"
            ```

            ```swift
            print("one")
            ```

            ```output
            two
            ```
            """
        )
        let complaints = try await checker.complaints(of: blocks)
        #expect(complaints.count == 3)
        let places = ["Wrong.md:7:", "Wrong.md:12:", "Wrong.md:18:"]
        for (complaint, place) in zip(complaints, places) { #expect(complaint.hasPrefix(place)) }
    }

    @Test(
        arguments: [
            "// Prints \"7\" ", "// Prints 7", "// prints \"7\"", "// Print \"7\"", "// Prints:",
            "print(7)  // Prints:",
            "// Prints:\n//   7", "// Prints:\nprint(7)",
        ]
    )
    func `A malformed output comment is reported as unread`(text: String) {
        let output = Block.output(in: text.components(separatedBy: "\n"))
        #expect(output.lines.isEmpty && output.unread == [0])
    }

    @Test func `Output comments yield their lines`() {
        let text = "print(7)  // Prints \"7\"\n// Prints:\n//     8\n//     9\n\n  // Prints:\n  //     10\nprint(11)"
        let output = Block.output(in: text.components(separatedBy: "\n"))
        #expect(output.lines == ["7", "8", "9", "10"] && output.unread.isEmpty)
    }

    @Test func `The checker reports a block that throws`() async throws {
        let blocks = try blocks("```swift\nprint(try locator.resolve(Int.self))  // Prints \"7\"\n```")
        #expect(try await checker.complaints(of: blocks).joined().contains("throws No service is registered as Int"))
    }

    @Test func `The checker reports a program with other output`() async throws {
        let blocks = try blocks("```swift\nimport Injectle\n\nprint(7)  // Prints \"8\"\n```")
        #expect(blocks.map(\.kind) == [.program])
        #expect(try await checker.complaints(ofProgram: blocks[0]).count == 1)
    }

    @Test func `The checker reports a program that does not compile`() async throws {
        let blocks = try blocks("```swift\nimport Injectle\n\nprint(seven)  // Prints \"7\"\n```")
        #expect(try await checker.complaints(ofProgram: blocks[0]).joined().contains("seven"))
    }

    @Test func `The checker reports a failing block that compiles`() async throws {
        let blocks = try blocks("```swift\nlet number: Int = try locator.resolve()  // error: no such thing\n```")
        #expect(blocks.map(\.kind) == [.failing])
        #expect(try await checker.complaints(ofFailing: blocks).count == 1)
    }

    @Test func `The checker reports a failing block with another error`() async throws {
        let blocks = try blocks("```swift\nlet number: String = 7  // error: no such thing\n```")
        #expect(try await checker.complaints(ofFailing: blocks).count == 2)
    }

    private func package(printing text: String, expecting number: Int) throws -> [Block] {
        try blocks(
            """
            **`Sources/App/Number.swift`**:

            ```swift
            let number = 7
            ```

            **`Sources/App/main.swift`**:

            ```swift
            print(number)  // Prints "\(text)"
            ```

            **`Tests/AppTests/NumberTests.swift`**:

            ```swift
            import Testing

            @testable import App

            @Test func aNumber() { #expect(number == \(number)) }
            ```
            """
        )
    }

    @Test func `The checker accepts a correct package`() async throws {
        #expect(try await checker.complaints(ofPackageIn: package(printing: "7", expecting: 7)).isEmpty)
    }

    @Test func `The checker reports a package with other output or failing tests`() async throws {
        let blocks = try package(printing: "8", expecting: 8)
        #expect(blocks.map(\.kind) == [.file, .file, .file])
        let complaints = try await checker.complaints(ofPackageIn: blocks)
        #expect(complaints.count == 2)
        #expect(complaints.first?.contains("It prints") == true && complaints.last?.contains("Its tests fail") == true)
    }

    @Test func `The checker reports missing tests and duplicate file names`() async throws {
        let blocks = try package(printing: "7", expecting: 7)
        #expect(try await checker.complaints(ofPackageIn: blocks.dropLast()).count == 1)
        #expect(try await checker.complaints(ofPackageIn: [blocks[0]] + blocks).first?.contains("another") == true)
    }

    @Test(arguments: ["Package(name: \"App\"", "Package(title: \"App\")", "Package(name: \"App\")"])
    func `The toolchain rejects an invalid manifest`(package: String) async throws {
        let text = "// swift-tools-version: 6.2\nimport PackageDescription\nlet package = \(package)\n"
        let verdict = try await Toolchain(root: Root()).load(manifest: text)
        #expect(verdict.isAccepted == (package == "Package(name: \"App\")"), "\(verdict.output)")
    }

    @Test(arguments: ["```swift\nlet number = 7\n", "```swift\n```text\n```\n"])
    func `An unclosed block throws`(text: String) {
        #expect(throws: Document.Unclosed.self) { try Document(name: "Wrong.md", text: text) }
    }

    @Test func `A comment that ends inside a block throws`() {
        let text = "/// Says it:\n///\n/// ```swift\n/// let number = 7\nlet number = 7\n/// ```"
        #expect(throws: Document.Unclosed.self) { try Document(name: "Wrong.swift", text: text, isSource: true) }
    }

    @Test(
        arguments: [
            ("Says it:\n\n    let number = 7", [3]), ("- says it\n    and more", []),
            ("```text\n\n    indented\n```", []), ("```text\n```\n    let number = 7", [3]),
            ("Says it:\n\n\tlet number = 7\n\tlet other = 8", [3]),
        ]
    )
    func `Indented code is reported with its lines`(text: String, lines: [Int]) throws {
        #expect(try Document(name: "Wrong.md", text: text).indented == lines)
        let comment = text.split(separator: "\n", omittingEmptySubsequences: false).map { "/// \($0)" }
        let source = try Document(name: "Wrong.swift", text: comment.joined(separator: "\n"), isSource: true)
        #expect(source.indented == lines)
    }

    @Test(arguments: ["```swift", "  ~~~ Swift", "- ```swift", "> ```swift", "2. ```swift", "    /// - ```swift"])
    func `The opening pattern matches every way to open a block`(line: String) {
        #expect(line.contains(Document.opening))
    }

    @Test func `Blocks in documentation comments are found`() throws {
        let text =
            "    /// Says it:\n    ///\n    /// ```swift\n    /// let number = 7\n    ///\n    /// ```\nlet number = 7"
        let document = try Document(name: "Right.swift", text: text, isSource: true)
        #expect(document.blocks.map(\.lines) == [["let number = 7", ""]])
        #expect(document.blocks.map(\.line) == [4])
    }

    @Test(
        arguments: [
            ("one", "one", true), ("one", "two", false), ("one two three", "one … three", true),
            ("one two three", "…two…", true), ("one two three", "… four", false), ("one", "one…one", false),
            ("a b a c", "a…a c", true), ("aXbc", "a…b…bc", false),
        ]
    )
    func `An ellipsis matches any text`(line: String, expected: String, matches: Bool) {
        #expect(Block.matches(line, expected) == matches)
    }

    @Test func `A quotation that differs from its file is found`() throws {
        let blocks = try blocks(
            """
            <!-- Sources/App/Server.swift -->

            ```swift
            func run() {
                print(7)
            }
            ```

            Text between the comment and the block ends the quotation.

            ```swift
            let number = 7
            ```
            """
        )
        #expect(blocks.map(\.source) == ["Sources/App/Server.swift", nil])
        #expect(blocks.map(\.kind) == [.quotation, .part])
        let quotation = blocks[0]
        #expect(quotation.isQuoted(from: "struct Server {\n    func run() {\n        print(7)\n    }\n}\n"))
        #expect(quotation.isQuoted(from: "func run() {\n    print(7)\n}"))
        #expect(!quotation.isQuoted(from: "struct Server {\n    func run() {\n        print(8)\n    }\n}\n"))
        #expect(!quotation.isQuoted(from: "    func run() {\n    print(7)\n    }\n"))
        #expect(!quotation.isQuoted(from: "func run() {\n    print(7)"))
        #expect(!quotation.isQuoted(from: ""))
    }
}
#endif
