import Testing

@testable import CarpoolKit

struct ArgumentsTests {
    @Test(arguments: [
        ([], false, nil), (["--test"], true, nil), (["a.csv"], false, "a.csv"), (["--test", "a.csv"], true, "a.csv"),
        (["a.csv", "--test"], true, "a.csv"),
    ])
    func `A file and an option come in any order, or not at all`(words: [String], isTest: Bool, path: String?) throws {
        let arguments = try Arguments(words)
        #expect(arguments.isTest == isTest)
        #expect(arguments.path == path)
        #expect(!arguments.wantsHelp)
    }

    @Test(arguments: [
        (["--fast"], "there is no option --fast"), (["-t"], "there is no option -t"),
        (["a.csv", "b.csv"], "there is more than one file"), (["--test", "--tests"], "there is no option --tests"),
    ])
    func `Arguments that cannot be understood get the usage`(words: [String], text: String) {
        let outcome = Program.run(words)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "Carpool: \(text)\n\(Arguments.usage)")
        #expect(outcome.status == 64)
    }

    @Test(arguments: ["--help", "-h"])
    func `Who asks for help gets it`(option: String) {
        let outcome = Program.run([option])
        #expect(outcome.output == Arguments.usage)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == 0)
    }
}
