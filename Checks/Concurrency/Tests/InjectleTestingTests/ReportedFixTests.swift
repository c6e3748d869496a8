import Injectle
import InjectleTestSupport
import InjectleTesting
import Testing

private let program = Locator("program") { locator in
    locator.register(.lazy(.anywhere) { FixedGreeter(text: "live") }, for: (any Greeter).self, key: "eu")
}

/// The fix in an issue of a test is code.
struct ReportedFixTests {
    /// The texts of the issues that `body` records.
    private func issues(_ body: () throws -> Void) throws -> String {
        let texts = Guarded<[String]>([])
        try withKnownIssue {
            try body()
        } matching: { issue in
            texts.withLock { $0 += issue.comments.map(\.rawValue) }
            return true
        }
        return texts.value.joined(separator: "\n")
    }

    @Test(.locator(parent: program).live())
    func `The fix of a live read names the key beside the type`() throws {
        let text = try issues { _ = try Locator.shared.resolve((any Greeter).self, key: "eu") }
        #expect(text.contains("Greeter).self, key: \"eu\") { … }"))
        #expect(!text.contains("under the key \"eu\".self"))
        #expect(!text.contains("under the key \"eu\").self"))
    }
}
