import Injectle
import InjectleTestSupport
import Testing

/// The text of a start that timed out.
@Suite struct StartTimeoutTextTests {
    @Test(arguments: [(Duration.microseconds(100), ".milliseconds(1)"), (.microseconds(1_300), ".milliseconds(3)")])
    func `The fix allows more time than the start had`(limit: Duration, longer: String) async throws {
        let locator = Locator("slow")
        locator.register(
            .lazy(.anywhere) { () async throws -> Int in
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        )
        let error = try #require(await thrown { try await locator.start(timeout: limit) })
        #expect(error == .startTimedOut)
        #expect(error.description.contains("allow more time: `timeout: \(longer)`"))
    }
}
