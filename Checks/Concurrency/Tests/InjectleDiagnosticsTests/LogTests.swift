import InjectleDiagnostics
import InjectleTestSupport
import Testing

@testable import Injectle

private protocol Vehicle: Sendable {}
private final class Engine: Sendable {}
private final class Bus: Vehicle {
    let engine: Engine
    init(engine: Engine) { self.engine = engine }
}
private struct Broken: Error, CustomStringConvertible {
    let description = "broken\nin two"
}

@Suite struct LogTests {
    private let locator = Locator("garage")
    private let lines = Guarded<[String]>([])

    /// The written lines with equal times and without module names.
    private var written: [String] {
        lines.value.map { line in
            line.replacing("InjectleTests.", with: "").replacing("\(Module.name).", with: "")
                .replacing(#/\d+\.\d{3} ms/#, with: "0.000 ms")
        }
    }

    private enum Module {
        static let name = String(String(reflecting: Module.self).prefix { $0 != "." })
    }

    private func log(_ kinds: Set<Locator.Event.Kind> = Locator.Event.Kind.all) -> Locator.Log {
        Locator.Log(kinds) { [lines] line in lines.withLock { $0.append(line) } }
    }

    @Test func `The log observes what it writes`() {
        #expect(Locator.Log([.didCreate, .didDispose]) { _ in }.observedKinds == [.didCreate, .didDispose])
    }

    @Test func `The log writes a line for each event`() throws {
        locator.add(log())
        locator.register(.volatile { Engine() }.asSelf().asSelf(key: "diesel"))
        locator.register(.lazy { locator in Bus(engine: try locator.resolve()) }, key: "bus")
        _ = try locator.resolve(Bus.self, key: "bus")
        locator.unregisterService(withKey: "bus")
        let bus = "Bus under the key \"bus\""
        #expect(
            written == [
                "registered Engine (volatile) in the locator \"garage\", also as Engine under the key \"diesel\"",
                "registered \(bus) (lazy) in the locator \"garage\"",
                "creating \(bus) (lazy) in the locator \"garage\"",
                "creating Engine (volatile) in the locator \"garage\", for \(bus)",
                "created Engine (volatile) in the locator \"garage\" in 0.000 ms, for \(bus)",
                "resolved Engine (volatile) in the locator \"garage\" in 0.000 ms, for \(bus)",
                "created \(bus) (lazy) in the locator \"garage\" in 0.000 ms",
                "resolved \(bus) (lazy) in the locator \"garage\" in 0.000 ms",
                "unregistered \(bus) (lazy) in the locator \"garage\"",
            ]
        )
    }

    @Test func `A failure is part of its line`() {
        locator.add(log([.didCreate]))
        locator.register(.lazy { () -> Engine in throw Broken() })
        #expect(throws: InjectleError.self) { try locator.resolve(Engine.self) }
        #expect(written == ["failed to create Engine (lazy) in the locator \"garage\" in 0.000 ms: broken in two"])
    }

    @Test(arguments: ["", "String", "Double → String", "Float → Double → String", "Bool → Float → Double → String"])
    func `A line names all callers without keys in their order`(callers: String) throws {
        locator.add(log([.willCreate]))
        locator.register(.volatile { Engine() })
        locator.register(.volatile { locator in "\(try locator.resolve(Engine.self))" })
        locator.register(.volatile { locator in Double(try locator.resolve(String.self).count) })
        locator.register(.volatile { locator in Float(try locator.resolve(Double.self)) })
        locator.register(.volatile { locator in try locator.resolve(Float.self) > 0 })
        switch callers.prefix(1) {
        case "S": _ = try locator.resolve(String.self)
        case "D": _ = try locator.resolve(Double.self)
        case "F": _ = try locator.resolve(Float.self)
        case "B": _ = try locator.resolve(Bool.self)
        default: _ = try locator.resolve(Engine.self)
        }
        let end = callers.isEmpty ? "" : ", for \(callers)"
        #expect(written.last == "creating Engine (volatile) in the locator \"garage\"\(end)")
    }

    @Test func `Line breaks in a key and in a name become spaces`() throws {
        let locator = Locator("upper\nlower")
        locator.add(log([.didResolve]))
        locator.register(.eager(Engine()), key: "in\r\ntwo")
        _ = try locator.resolve(Engine.self, key: "in\r\ntwo")
        let line = try #require(written.first)
        #expect(line == #"resolved Engine under the key "in two" (eager) in the locator "upper lower" in 0.000 ms"#)
    }

    @Test(arguments: ["\n", "\r", "\r\n", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"])
    func `Each kind of line break becomes a space`(lineBreak: String) {
        let locator = Locator("upper\(lineBreak)lower")
        locator.add(log([.didRegister]))
        locator.register(.eager(Engine()))
        #expect(written == [#"registered Engine (eager) in the locator "upper lower""#])
    }

    @Test(
        arguments: [
            (0, "0.000"), (999, "0.000"), (50_000, "0.050"), (1_234_567, "1.234"), (12_345_000_999, "12345.000"),
            (9_999_999, "9.999"), (10_000_000, "10.000"), (-999, "0.000"), (-1_500_000, "-1.500"),
            (.max, "9223372036854.775"),
        ] as [(Int64, String)]
    )
    func `Durations are milliseconds with three decimals`(nanoseconds: Int64, text: String) {
        #expect(Duration.nanoseconds(nanoseconds).inMilliseconds == text)
    }

    @Test func `The log writes the selected kinds only`() throws {
        locator.add(log([.didResolve, .didUnregister]))
        locator.register(.lazy { Engine() })
        _ = try locator.resolve(Engine.self)
        locator.reset()
        #expect(
            written == [
                "resolved Engine (lazy) in the locator \"garage\" in 0.000 ms",
                "unregistered Engine (lazy) in the locator \"garage\"",
            ]
        )
    }
}
