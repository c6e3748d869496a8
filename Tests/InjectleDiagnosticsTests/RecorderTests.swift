import Foundation
import InjectleDiagnostics
import InjectleTestSupport
import Testing

@testable import Injectle

private final class Database: Sendable {}
private final class Garage: Sendable {}
private final class PageModel: Sendable {}

/// The recorder, its report and its trace.
@Suite struct RecorderTests {
    private let locator = Locator("garage")
    private let recorder = Locator.Recorder()

    private let start = ContinuousClock.now

    /// Returns an event as a locator sends it.
    private func event(
        _ kind: Locator.Event.Kind,
        _ path: Locator.Identity...,
        from begin: Int,
        to end: Int,
        on thread: UInt64 = 1,
        awaits: Bool = false,
        failure: (any Error)? = nil
    ) -> Locator.Event {
        let identity = path.last ?? Locator.Identity(Never.self)
        return Locator.Event(
            kind: kind,
            identity: identity,
            identities: [identity],
            lifetime: .lazy,
            isAsynchronous: awaits,
            locatorName: nil,
            locator: "a locator without a name",
            began: start + .milliseconds(begin),
            duration: .milliseconds(end - begin),
            thread: thread,
            isOnMainThread: thread == 1,
            failure: failure,
            callers: Array(path.dropLast()),
            source: nil,
            hop: nil
        )
    }

    private let a = Locator.Identity(Int.self, key: "a")
    private let b = Locator.Identity(Int.self, key: "b")
    private let c = Locator.Identity(Int.self, key: "c")

    private var own: [Duration] { recorder.entries.map(\.ownDuration) }

    // MARK: Own time

    @Test func `Own time excludes nested calls`() {
        recorder.handle(event(.didCreate, a, b, from: 12, to: 20))
        recorder.handle(event(.didResolve, a, b, from: 11, to: 21))
        recorder.handle(event(.didWait, a, c, from: 25, to: 30))
        recorder.handle(event(.didResolve, a, c, from: 24, to: 31))
        recorder.handle(event(.didCreate, a, from: 10, to: 40))
        recorder.handle(event(.didResolve, a, from: 9, to: 42))
        #expect(own == [8, 2, 5, 2, 13, 3].map { .milliseconds($0) })
        #expect(recorder.entries.map(\.duration) == [8, 10, 5, 7, 30, 33].map { .milliseconds($0) })
    }

    @Test func `Own time includes work of other threads`() {
        recorder.handle(event(.didCreate, b, from: 12, to: 20, on: 2))
        recorder.handle(event(.didCreate, c, from: 1, to: 9))
        recorder.handle(event(.didCreate, a, from: 10, to: 40))
        #expect(own == [8, 8, 30].map { .milliseconds($0) })
    }

    @Test func `Own time excludes the union of concurrent nested calls`() {
        recorder.handle(event(.didCreate, a, b, from: 12, to: 20, on: 2, awaits: true))
        recorder.handle(event(.didCreate, a, c, from: 15, to: 30, on: 3, awaits: true))
        recorder.handle(event(.didCreate, a, b, from: 32, to: 33, on: 3))
        // These are not nested in `a`.
        recorder.handle(event(.didCreate, b, from: 11, to: 39, on: 4, awaits: true))
        recorder.handle(event(.didCreate, a, b, from: 5, to: 12, on: 4, awaits: true))
        recorder.handle(event(.didCreate, a, from: 10, to: 40, on: 5, awaits: true))
        #expect(own == [8, 15, 1, 28, 7, 11].map { .milliseconds($0) })
    }

    @Test func `An async creation does not reduce own time on its thread`() {
        recorder.handle(event(.didCreate, b, from: 12, to: 20, awaits: true))
        recorder.handle(event(.didCreate, a, from: 10, to: 40))
        #expect(own == [8, 30].map { .milliseconds($0) })
    }

    // MARK: Recording

    @Test func `The recorder records creations and resolves`() throws {
        locator.register(.lazy { Database() })
        locator.register(
            .lazy { locator in
                _ = try locator.resolve(Database.self)
                return Garage()
            }
        )
        locator.add(recorder)
        _ = try (locator.resolve(Garage.self), locator.resolve(Garage.self))
        let kinds: [Locator.Event.Kind] = [.didCreate, .didResolve, .didCreate, .didResolve, .didResolve]
        #expect(recorder.entries.map(\.event.kind) == kinds)
        let entries = recorder.entries
        #expect(entries[2].ownDuration == entries[2].duration - entries[1].duration)
        #expect(entries[3].ownDuration == entries[3].duration - entries[2].duration)
        #expect(entries[4].ownDuration == entries[4].duration)
        recorder.reset()
        #expect(recorder.entries.isEmpty)
    }

    @Test func `Events beyond the limit are counted`() {
        let recorder = Locator.Recorder(limit: 2)
        for moment in 0..<5 { recorder.handle(event(.didResolve, a, from: moment, to: moment)) }
        #expect(recorder.entries.count == 2)
        #expect(recorder.leftOut == 3)
        #expect(recorder.report.hasSuffix("0 created in 0.000 ms, 2 resolved, 3 not recorded"))
        recorder.reset()
        #expect(recorder.leftOut == 0)
    }

    @Test func `The report is sorted by own time`() {
        struct Broken: Error {}
        recorder.handle(event(.didCreate, a, b, from: 12, to: 20))
        recorder.handle(event(.didResolve, a, b, from: 12, to: 20))
        recorder.handle(event(.didCreate, a, from: 10, to: 24))
        recorder.handle(event(.didWait, c, from: 24, to: 25, on: 2))
        recorder.handle(event(.didCreate, c, from: 24, to: 1_100, failure: Broken()))
        let report = """
                own ms   total ms
              1076.000   1076.000  Int under the key "c" (lazy), failed
                 8.000      8.000  Int under the key "b" (lazy), for Int under the key "a"
                 6.000     14.000  Int under the key "a" (lazy)
            3 created in 1090.000 ms, 1 resolved, 1 waited 1.000 ms for the main actor
            """
        #expect(recorder.report == report)
        #expect("\(recorder)" == report)
    }

    // MARK: The trace

    /// One event of the trace with the fields of the format.
    private struct Slice: Decodable {
        var name: String
        var ph: String
        var pid: Int
        var tid: UInt64
        var cat: String?
        var ts: Double?
        var dur: Double?
        var id: String?
        var args: [String: Value]

        /// A string or a list of strings.
        enum Value: Decodable, Equatable {
            case text(String)
            case list([String])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else {
                    self = .list(try container.decode([String].self))
                }
            }
        }
    }

    private struct Trace: Decodable {
        var traceEvents: [Slice]
        var displayTimeUnit: String
    }

    private func trace() throws -> [Slice] {
        let trace = try JSONDecoder().decode(Trace.self, from: Data(recorder.chromeTrace.utf8))
        #expect(trace.displayTimeUnit == "ms")
        return trace.traceEvents
    }

    @Test func `The trace has the documented format`() throws {
        struct Broken: Error {}
        recorder.handle(event(.didCreate, a, b, from: 12, to: 20))
        recorder.handle(event(.didResolve, a, b, from: 12, to: 20))
        recorder.handle(event(.didCreate, a, from: 10, to: 40, failure: Broken()))
        recorder.handle(event(.didWait, c, from: 15, to: 16, on: 2))
        recorder.handle(event(.didCreate, c, from: 11, to: 17, on: 2, awaits: true))

        let document = try JSONSerialization.jsonObject(with: Data(recorder.chromeTrace.utf8))
        let object = try #require(document as? [String: Any])
        #expect(Set(object.keys) == ["traceEvents", "displayTimeUnit"])
        let fields = try #require(object["traceEvents"] as? [[String: Any]]).map { Set($0.keys) }
        let common: Set = ["name", "ph", "pid", "tid", "args"]
        let complete = common.union(["cat", "ts", "dur"])
        let awaiting = common.union(["cat", "ts", "id"])
        #expect(fields == [common, common, complete, awaiting, complete, complete, complete, awaiting])

        let slices = try trace()
        #expect(slices.map(\.ph) == ["M", "M", "X", "b", "X", "X", "X", "e"])
        #expect(slices.prefix(2).map(\.name) == ["thread_name", "thread_name"])
        #expect(slices.prefix(2).map(\.tid) == [1, 2])
        #expect(slices.prefix(2).map(\.args) == [["name": .text("main thread")], ["name": .text("thread 2")]])
        #expect(Set(slices.map(\.pid)).count == 1)
        let rest = slices.dropFirst(2)
        #expect(rest.map(\.ts) == [0, 1_000, 2_000, 2_000, 5_000, 7_000])
        #expect(rest.map(\.dur) == [30_000, nil, 8_000, 8_000, 1_000, nil])
        #expect(rest.map(\.cat) == ["creation", "creation", "resolve", "creation", "wait", "creation"])
        #expect(rest.map(\.name) == [a, c, b, b, c, c].map(\.description))
        #expect(rest.map(\.tid) == [1, 2, 1, 1, 2, 2])
        #expect(slices[3].id == slices[7].id)
        #expect(
            slices[2].args == [
                "lifetime": .text("lazy"), "locator": .text("a locator without a name"), "path": .list([a.description]),
                "own ms": .text("22.000"), "failure": .text("Broken()"),
            ]
        )
        #expect(slices[4].args["path"] == .list([a.description, b.description]))
        #expect(slices[4].args["failure"] == nil)
    }

    @Test func `Special characters survive the trace`() throws {
        var text = "a \"quote\", a \\backslash\\, a /slash/, \u{7F}\u{85}\u{2028}, Größe, 車, 🚗"
        for scalar in 0..<0x20 { text.unicodeScalars.append(Unicode.Scalar(UInt8(scalar))) }
        let key = Locator.Identity(Int.self, key: text)
        recorder.handle(event(.didCreate, key, from: 0, to: 1))
        let slice = try #require(try trace().last)
        #expect(slice.name == key.description)
        #expect(slice.args["path"] == .list([key.description]))
    }

    @Test func `An empty trace is valid`() throws {
        #expect(try trace().isEmpty)
    }

    @Test func `Slices of a thread are nested`() async throws {
        let locator = locator
        let recorder = recorder
        locator.register(.volatile(.anywhere) { (_, depth: Int) in "\(depth)" })
        locator.register(.lazy(.main) { PageModel() })
        locator.register(
            .volatile(.anywhere) { (locator, depth: Int) -> Int in
                _ = try locator.resolve(String.self, arguments: depth)
                _ = try locator.resolve(PageModel.self)
                return depth == 0 ? 0 : try locator.resolve(Int.self, arguments: depth - 1)
            }
        )
        locator.add(recorder)
        await onThreadsAsync(3) { _ in
            for _ in 0..<20 { _ = try? locator.resolve(Int.self, arguments: 3) }
        }
        let slices = try trace().filter { $0.ph == "X" }
        #expect(slices.count == recorder.entries.count)
        #expect(slices.count > 3 * 20 * 4 * 5)
        #expect(Set(slices.map(\.tid)).count >= 3)
        let moments = slices.compactMap(\.ts)
        #expect(moments == moments.sorted())
        #expect(moments.first == 0)
        var nested = 0
        for (_, slices) in Dictionary(grouping: slices, by: \.tid) {
            var around: [Double] = []
            for slice in slices {
                let begin = try #require(slice.ts)
                let end = begin + (try #require(slice.dur))
                // Compares nanoseconds: decimal fractions do not add up.
                let ended = (end * 1_000).rounded()
                while let last = around.last, last <= (begin * 1_000).rounded(), last < ended { around.removeLast() }
                if let last = around.last {
                    nested += 1
                    #expect(ended <= last)
                }
                around.append(ended)
            }
        }
        #expect(nested > 0)
    }

    @Test func `The trace is written to a file`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("trace.json", "what was there")
        recorder.handle(event(.didCreate, a, from: 0, to: 1))
        try recorder.writeChromeTrace(to: file)
        #expect(try String(contentsOf: file, encoding: .utf8) == recorder.chromeTrace)
        #expect(throws: (any Error).self) {
            try recorder.writeChromeTrace(to: folder.url.appendingPathComponent("no/such/folder"))
        }
    }
}
