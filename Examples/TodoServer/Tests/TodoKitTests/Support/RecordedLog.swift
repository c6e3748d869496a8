import Logging
import Synchronization

/// Records what a logger writes.
final class RecordedLog: Sendable {
    private let messages = Mutex<[String]>([])

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
            log.messages.withLock { $0.append("\(event.message)\(text)") }
        }
    }
}
