internal import Injectle
public import Testing

extension Trait where Self == ProcessWide {
    /// Gives a test exclusive use of the default and the test locator, and empties both before and after it.
    ///
    /// Tests run concurrently; tests with this trait run one after the other.
    public static var processWide: ProcessWide { ProcessWide() }
}

public struct ProcessWide: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // A suite passes the trait on to its tests.
        guard testCase != nil else { return try await function() }
        await turns.take()
        defer {
            Injectle.testDown()
            Injectle.resetAll()
            Task { await turns.giveBack() }
        }
        Injectle.testDown()
        Injectle.resetAll()
        try await function()
    }
}

private let turns = Turns()

private actor Turns {
    private var isTaken = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    func take() async {
        if isTaken {
            await withCheckedContinuation { queue.append($0) }
        } else {
            isTaken = true
        }
    }

    func giveBack() {
        if queue.isEmpty {
            isTaken = false
        } else {
            queue.removeFirst().resume()
        }
    }
}
