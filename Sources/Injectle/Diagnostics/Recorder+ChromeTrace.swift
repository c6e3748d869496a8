extension Locator.Recorder {
    /// The entries in the Chrome Trace Event Format.
    ///
    /// The trace is JSON, and can be opened in `chrome://tracing`, [Perfetto](https://ui.perfetto.dev) or
    /// [Speedscope](https://www.speedscope.app). Each thread has a row, in which nested events lie below their callers.
    /// Async events have rows of their own, since other events share their threads.
    ///
    /// - Complexity: That of ``entries``, and O(*n* log *n*).
    public var chromeTrace: String {
        let entries = entries
        let start = entries.map(\.event.began).min() ?? .now
        let threads = Dictionary(
            entries.map { ($0.event.thread, $0.event.isOnMainThread) },
            uniquingKeysWith: { $0 || $1 }
        )
        let names = threads.sorted { $0.key < $1.key }.map { thread, isMain in
            JSON.object([
                ("name", .string("thread_name")),
                ("ph", .string("M")),
                ("pid", .whole(1)),
                ("tid", .whole(Int64(clamping: thread))),
                ("args", .object([("name", .string(isMain ? "main thread" : "thread \(thread)"))])),
            ])
        }
        // What begins earlier comes first, and of what begins at once that which lasts longer, or else has called the
        // other one, and so ended after it.
        let order = entries.indices.sorted { left, right in
            let (first, second) = (entries[left], entries[right])
            if first.event.began != second.event.began { return first.event.began < second.event.began }
            return first.duration == second.duration ? left > right : first.duration > second.duration
        }
        var slices: [(moment: Int64, slice: JSON)] = []
        for index in order {
            let entry = entries[index]
            let begin = start.duration(to: entry.event.began).nanoseconds
            let end = begin + entry.duration.nanoseconds
            if entry.event.isAsynchronous {
                slices.append((begin, entry.slice("b", at: begin, id: index)))
                slices.append((end, entry.slice("e", at: end, id: index)))
            } else {
                slices.append((begin, entry.slice("X", at: begin, until: end)))
            }
        }
        // Stable, so that the order above stays.
        let sorted = slices.enumerated().sorted { ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset) }
        let document = JSON.object([
            ("traceEvents", .array(names + sorted.map(\.element.slice))),
            ("displayTimeUnit", .string("ms")),
        ])
        return document.text
    }
}

extension Locator.Recorder.Entry {
    /// The entry as an event of the trace.
    fileprivate func slice(_ phase: String, at begin: Int64, until end: Int64? = nil, id: Int? = nil) -> JSON {
        var fields: [(String, JSON)] = [
            ("name", .string(event.identity.description)),
            ("cat", .string(category)),
            ("ph", .string(phase)),
            ("ts", .microseconds(begin)),
        ]
        if let end { fields.append(("dur", .microseconds(end - begin))) }
        fields.append(("pid", .whole(1)))
        fields.append(("tid", .whole(Int64(clamping: event.thread))))
        if let id { fields.append(("id", .string("\(id)"))) }
        var arguments: [(String, JSON)] = [
            ("lifetime", .string(event.lifetime.description)),
            ("locator", .string(event.locator)),
            ("path", .array(event.path.map { .string($0.description) })),
            ("own ms", .string(ownDuration.inMilliseconds)),
        ]
        if let failure = event.failure { arguments.append(("failure", .string("\(failure)"))) }
        fields.append(("args", .object(arguments)))
        return .object(fields)
    }

    private var category: String {
        switch event.kind {
        case .didCreate: "creation"
        case .didWait: "wait"
        default: "resolve"
        }
    }
}

/// A value of JSON (RFC 8259).
private indirect enum JSON {
    case string(String)
    case whole(Int64)
    /// A number of nanoseconds, in microseconds.
    case microseconds(Int64)
    case array([JSON])
    case object([(String, JSON)])

    var text: String {
        switch self {
        case .string(let string): JSON.quoted(string)
        case .whole(let number): "\(number)"
        case .microseconds(let count): Duration.thousandths(of: count)
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",\n") + "]"
        case .object(let fields):
            "{" + fields.map { "\(JSON.quoted($0)):\($1.text)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
