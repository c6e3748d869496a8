import InjectleTestSupport
import Model
import Testing

/// Random programs. `Scripts/fuzz` runs more of them.
@Suite struct ModelTests {
    #if DEBUG
    private static let operations = 20_000
    #else
    private static let operations = 200_000
    #endif

    @Test func `Random programs behave as in the model`() async {
        let difference = await compareWithModel(Settings(.operations(Stress.rounds(ModelTests.operations))))
        #expect(difference == nil)
    }

    @Test func `Threads and tasks get what the library promises`() async {
        #expect(await useConcurrently(Settings(.seconds(3))) == nil)
    }
}
