import Logging
import Synchronization
import Testing

/// Records what a logger writes.
final class RecordedLog: Sendable {
    private let messages = Mutex<[String]>([])
    private let failsTests: Bool

    /// - Parameter failsTests: Whether an error in the log is an issue of the test. So a test sees the text of an error
    ///   that a client sees as status 500.
    init(failsTests: Bool = false) {
        self.failsTests = failsTests
    }

    var lines: [String] { messages.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: RecordedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
            let text = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            if log.failsTests, event.level >= .error { Issue.record("\(event.message)\(text)") }
            log.messages.withLock { $0.append("\(event.message)\(text)") }
        }
    }
}
