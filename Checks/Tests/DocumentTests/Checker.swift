#if os(macOS) || os(Linux)
import Foundation
import Testing
import ToolchainSupport

extension Block: CustomTestStringConvertible, CustomStringConvertible {
    var description: String { "\(document):\(line)" }
    var testDescription: String { description }
}

/// Checks blocks. Each function returns its complaints.
struct Checker {
    private let toolchain: Toolchain
    private let preamble: String

    init(root: Root) async throws {
        toolchain = try await Toolchain(root: root)
        preamble = try root.text(of: "Checks/Tests/DocumentTests/Preamble.swift")
    }

    // MARK: Snippets

    /// Compiles blocks as one module and runs those with documented output, one after the other.
    func complaints(of blocks: [Block]) async throws -> [String] {
        var files = files(of: blocks)
        let talking = blocks.indices.filter { !blocks[$0].output.isEmpty }
        guard !talking.isEmpty else {
            let verdict = try await toolchain.check(files)
            return verdict.isAccepted ? [] : [verdict.complaint]
        }
        files["Main.swift"] = main(running: talking)
        let (verdict, run) = try await toolchain.run(files)
        guard let run else { return [verdict.complaint] }
        var complaints = run.status == 0 ? [] : ["They end with \(run.status):\n\(run.output)"]
        // The text before the first separator is empty.
        let outputs = run.output.components(separatedBy: Self.separator).dropFirst()
        for (index, output) in zip(talking, outputs) {
            complaints += complaint(of: blocks[index], printing: output).map { [$0] } ?? []
        }
        return complaints
    }

    private func files(of blocks: [Block]) -> [String: String] {
        var files = ["Preamble.swift": preamble]
        for (number, block) in blocks.enumerated() { files["Block\(number).swift"] = block.source(number: number) }
        return files
    }

    /// A line that no block prints.
    private static let separator = "\u{1E}\n"

    /// Returns a program that runs blocks, each with a new locator and an empty default locator.
    private func main(running numbers: [Int]) -> String {
        let calls = numbers.map { number in
            """
            print("\\u{1E}")
            do { try await Block\(number)().run(locator: Locator("app")) } catch { print("throws", error) }
            Injectle.testDown()
            Injectle.resetAll()
            """
        }
        return """
            import Injectle
            @main struct Main {
            static func main() async throws {
            \(calls.joined(separator: "\n"))
            }
            }
            """
    }

    private func complaint(of block: Block, printing output: String) -> String? {
        var lines = output.components(separatedBy: "\n")
        if lines.last == "" { lines.removeLast() }
        guard !Block.matches(lines, block.output) else { return nil }
        return "\(block): It prints\n\(output)and not\n\(block.output.joined(separator: "\n"))"
    }

    // MARK: Programs

    /// Compiles a block as a program and runs it.
    func complaints(ofProgram block: Block) async throws -> [String] {
        let (verdict, run) = try await toolchain.run(["main.swift": text(of: block, as: "main.swift")])
        guard let run else { return ["\(block): \(verdict.complaint)"] }
        if run.status != 0 { return ["\(block): It ends with \(run.status):\n\(run.output)"] }
        return complaint(of: block, printing: run.output).map { [$0] } ?? []
    }

    /// Returns a block as a whole file. Errors name its lines.
    private func text(of block: Block, as file: String) -> String {
        "#sourceLocation(file: \"\(file)\", line: 1)\n" + block.lines.joined(separator: "\n") + "\n"
    }

    // MARK: Packages

    /// Builds a documented package, and runs its program and its tests.
    func complaints(ofPackageIn blocks: [Block]) async throws -> [String] {
        var (sources, tests): ([String: String], [String: String]) = ([:], [:])
        var complaints: [String] = []
        for block in blocks {
            guard let file = block.file, let name = file.split(separator: "/").last.map(String.init) else { continue }
            let text = text(of: block, as: name)
            let other =
                file.hasPrefix("Tests/")
                ? tests.updateValue(text, forKey: name) : sources.updateValue(text, forKey: name)
            if other != nil { complaints.append("\(block): There is another \(name).") }
        }
        guard let main = blocks.first(where: \.isMain), !tests.isEmpty else {
            return complaints + ["The package has no main.swift, or no tests."]
        }
        let (verdict, run) = try await toolchain.run(sources)
        if let run {
            if run.status != 0 { complaints.append("\(main): It ends with \(run.status):\n\(run.output)") }
            complaints += complaint(of: main, printing: run.output).map { [$0] } ?? []
        } else {
            complaints.append("\(main): \(verdict.complaint)")
        }
        let (testVerdict, testRun) = try await toolchain.test(sources, with: tests)
        if let testRun {
            let hasPassed = testRun.status == 0 && testRun.output.contains(/Test run with [1-9].* passed/)
            if !hasPassed { complaints.append("\(main): Its tests fail:\n\(testRun.output)") }
        } else {
            complaints.append("\(main): \(testVerdict.complaint)")
        }
        return complaints
    }

    // MARK: Failing blocks

    /// Compiles blocks as one module and expects the documented errors and no others.
    func complaints(ofFailing blocks: [Block]) async throws -> [String] {
        let verdict = try await toolchain.check(files(of: blocks))
        var complaints: [String] = []
        var unexpected = verdict.errors
        for block in blocks {
            for (line, text) in block.reasons {
                let place = "\(block.document):\(line):"
                if let index = unexpected.firstIndex(where: { $0.hasPrefix(place) && $0.contains(text) }) {
                    unexpected.remove(at: index)
                } else {
                    complaints.append("\(place) There is no such error.\n\(verdict.output)")
                }
            }
        }
        return complaints + unexpected
    }
}
#endif
