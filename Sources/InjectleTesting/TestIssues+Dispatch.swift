#if canImport(Testing)
internal import Dispatch
internal import Testing

/// The issues of a test that other threads and tasks find.
///
/// Swift Testing attributes an issue to the test of the task that records it. A detached task and a thread have none, so a
/// child task of the test records their issues.
struct TestIssues: Sendable {
    /// The test, or nil for issues that belong to none.
    let test: Test.ID?
    private let records = AsyncStream<@Sendable () -> Void>.makeStream()

    /// Records the issues of others until `end()`. Called in a child task of the test.
    func recordAll() async {
        for await record in records.stream { record() }
    }

    /// Ends `recordAll()` after the issues that were added before.
    func end() { records.continuation.finish() }

    /// Records an issue of the test. After its end, an issue that other threads and tasks find belongs to no test.
    ///
    /// - Parameter waits: Whether to return once it is recorded, since the process is about to end. The wait is bounded, since
    ///   the calling thread can be the one that would record it.
    func add(_ text: String, at location: SourceLocation, waits: Bool = false) {
        let isRecorded = DispatchSemaphore(value: 0)
        let record = { @Sendable in
            Issue.record(Comment(rawValue: text), sourceLocation: location)
            _ = isRecorded.signal()
        }
        if Test.current?.id != test, case .enqueued = records.continuation.yield(record) {
            if !waits || isRecorded.wait(timeout: .now() + 1) == .success { return }
        }
        record()
    }
}
#endif
