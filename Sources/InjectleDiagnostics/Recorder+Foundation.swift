// JSON and files need Foundation.
public import Foundation
public import Injectle

extension Locator.Recorder {
    /// The entries in the Chrome Trace Event Format.
    ///
    /// The trace is JSON, and can be opened in `chrome://tracing`, [Perfetto](https://ui.perfetto.dev) or
    /// [Speedscope](https://www.speedscope.app). Each thread has a row, in which nested events lie below their callers.
    /// Async events have rows of their own, since other events share their threads.
    ///
    /// - Complexity: The same as of ``entries``, plus O(*n* log *n*).
    public var chromeTrace: String {
        let entries = entries
        let start = entries.map(\.event.began).min() ?? .now
        let threads = Dictionary(entries.map { ($0.event.thread, $0.event.isOnMainThread) }) { $0 || $1 }
        let names = threads.sorted { $0.key < $1.key }.map { thread, isMain -> [String: Any] in
            let name = isMain ? "main thread" : "thread \(thread)"
            return ["name": "thread_name", "ph": "M", "pid": 1, "tid": thread, "args": ["name": name]]
        }
        // What begins earlier comes first, and of what begins at once that which lasts longer, or else has called the
        // other one, and so ended after it.
        let order = entries.indices.sorted { left, right in
            let (first, second) = (entries[left], entries[right])
            if first.event.began != second.event.began { return first.event.began < second.event.began }
            return first.duration == second.duration ? left > right : first.duration > second.duration
        }
        var slices: [(moment: Int64, slice: [String: Any])] = []
        for index in order {
            let entry = entries[index]
            let begin = start.duration(to: entry.event.began).nanoseconds
            let end = begin + entry.duration.nanoseconds
            if entry.event.isAsynchronous {
                slices.append((begin, entry.slice(at: begin, ["ph": "b", "id": "\(index)"])))
                slices.append((end, entry.slice(at: end, ["ph": "e", "id": "\(index)"])))
            } else {
                slices.append((begin, entry.slice(at: begin, ["ph": "X", "dur": Double(end - begin) / 1_000])))
            }
        }
        // Stable, so that the order above stays.
        let sorted = slices.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }
        let document: [String: Any] = ["traceEvents": names + sorted.map(\.element.slice), "displayTimeUnit": "ms"]
        // All values are strings, lists of strings or finite numbers, so this does not fail.
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? JSONSerialization.data(withJSONObject: document, options: options)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Writes the ``chromeTrace`` to a file, and replaces an existing one.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    /// import InjectleDiagnostics
    ///
    /// func writeTrace(of recorder: Locator.Recorder) throws {
    ///     try recorder.writeChromeTrace(to: URL(fileURLWithPath: "start.json"))
    /// }
    /// ```
    ///
    /// - Parameter file: The file's URL.
    /// - Throws: The error of writing the file.
    /// - Complexity: The same as of ``chromeTrace``.
    public func writeChromeTrace(to file: URL) throws {
        try Data(chromeTrace.utf8).write(to: file, options: .atomic)
    }
}

extension Locator.Recorder.Entry {
    /// The entry as an event of the trace, with the fields that only some events have.
    fileprivate func slice(at moment: Int64, _ fields: [String: Any]) -> [String: Any] {
        let category = event.kind == .didCreate ? "creation" : event.kind == .didWait ? "wait" : "resolve"
        var arguments: [String: Any] = [
            "lifetime": event.lifetime.description, "locator": event.locator, "path": event.path.map(\.description),
            "own ms": ownDuration.inMilliseconds,
        ]
        if let failure = event.failure { arguments["failure"] = "\(failure)" }
        let common: [String: Any] = [
            "name": event.identity.description, "cat": category, "ts": Double(moment) / 1_000, "pid": 1,
            "tid": event.thread, "args": arguments,
        ]
        return common.merging(fields) { $1 }
    }
}
