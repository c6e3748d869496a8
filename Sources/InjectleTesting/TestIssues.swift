#if canImport(Testing)
internal import Injectle
internal import Testing

/// The issues of a test.
///
/// Swift Testing attributes an issue to the test of the task that records it. A detached task and a thread belong to no
/// test, so their issues are recorded at the end of the test.
struct TestIssues: Sendable {
    /// The test, or nil for issues of none.
    let test: Test?
    /// The records of issues that wait for the end of the test. Nil after it.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    init(of test: Test?) { self.test = test }

    /// Records an issue, now or at the end of the test. After the end, the issue of a detached task belongs to no test.
    func add(_ text: String, at location: SourceLocation) {
        let record = { @Sendable in _ = Issue.record(Comment(rawValue: text), sourceLocation: location) }
        let isWaiting = Test.current != test && waiting.withLock { $0?.append(record) != nil }
        if !isWaiting { record() }
    }

    /// Records the issues that wait.
    func end() {
        for record in waiting.withLock({ $0.take() }) ?? [] { record() }
    }
}
#endif
