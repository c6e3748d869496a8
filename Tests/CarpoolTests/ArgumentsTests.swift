import Testing

@testable import CarpoolKit

struct ArgumentsTests {
    @Test(arguments: [
        ([], false, nil), (["--test"], true, nil), (["a.csv"], false, "a.csv"), (["--test", "a.csv"], true, "a.csv"),
        (["a.csv", "--test"], true, "a.csv"), (["--fares", "f", "a.csv", "--test"], true, "a.csv"),
    ])
    func `A file and an option come in any order, or not at all`(words: [String], isTest: Bool, path: String?) throws {
        let arguments = try Arguments(words)
        #expect(arguments.isTest == isTest)
        #expect(arguments.path == path)
        #expect(!arguments.wantsHelp)
    }

    @Test func `An option for a file takes the next argument`() throws {
        let arguments = try Arguments(["--report", "r.txt", "a.csv", "--fares", "f.json", "--slow"])
        #expect(arguments.report == "r.txt")
        #expect(arguments.fares == "f.json")
        #expect(arguments.path == "a.csv")
        #expect(arguments.isSlow)
        #expect(try !Arguments(["a.csv"]).isSlow)
    }

    @Test(arguments: [
        (["--fares"], "--fares needs a file"), (["a.csv", "--report", "--test"], "--report needs a file"),
        (["--fast"], "unknown option --fast"), (["-t"], "unknown option -t"),
        (["a.csv", "b.csv"], "more than one file"), (["--test", "--tests"], "unknown option --tests"),
    ])
    func `Arguments that cannot be understood get the usage`(words: [String], text: String) async {
        let outcome = await Program.run(words) { _ in }
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "Carpool: \(text)\n\(Arguments.usage)")
        #expect(outcome.status == 64)
    }

    @Test(arguments: ["--help", "-h"])
    func `The help option prints the usage`(option: String) async {
        let outcome = await Program.run([option]) { _ in }
        #expect(outcome.output == Arguments.usage)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }
}
