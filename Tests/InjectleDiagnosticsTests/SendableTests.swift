import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private protocol Counting {}
private final class Counter: Counting { var count = 0 }
private protocol Stopping: Sendable {}
private struct Stop: Stopping {}

// Not private: the runtime does not tell whether a type conforms to a private protocol.
protocol Presenting {}
@MainActor private final class Presenter {}
extension Presenter: @MainActor Presenting {}

/// Which shared services are not `Sendable`.
@Suite struct SendableTests {
    private let locator = Locator("app")

    private func notes() -> [String] {
        do throws(Locator.CheckFailure) {
            try locator.check(.strict)
            return []
        } catch {
            return error.findings.filter { $0.kind == .notSendable }.map(\.service)
        }
    }

    @Test func `A strict check names a shared service that is not Sendable`() throws {
        locator.register(.lazy { Counter() })
        locator.register(.lazy { Counter() }.as((any Counting).self))
        locator.register(.lazy(.anywhere) { Counter() }.lifetime(.perLocator), key: "each")
        try locator.check()
        let counter = "InjectleDiagnosticsTests.Counter"
        #expect(notes() == [counter, "any InjectleDiagnosticsTests.Counting", "\(counter) under the key \"each\""])
    }

    @Test func `A Sendable service, a transient one and a value without a closure are no note`() {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Stop() }, for: (any Stopping).self)
        locator.register(.lazy { () async in Pool() })
        locator.register(.lazy { _ in Roster() })
        locator.register(.lazy(.main) { ViewModel() })
        locator.register(.volatile { Counter() })
        locator.register(.initializer(Repository.init))
        #expect(notes() == [])
    }

    @Test func `A strict check off the main actor names an isolated conformance`() async throws {
        let locator = locator
        await MainActor.run {
            locator.register(.lazy { ViewModel() })
            locator.register(.lazy { Presenter() }.as((any Presenting).self).asSelf())
        }
        try locator.check()
        #expect(notes() == ["any InjectleDiagnosticsTests.Presenting"])
    }

    @Test @MainActor func `A strict check on the main actor names an isolated conformance, too`() throws {
        locator.register(.lazy { ViewModel() })
        locator.register(.lazy(.main) { Presenter() }.as((any Presenting).self).asSelf().atStart())
        try locator.check()
        #expect(notes() == ["any InjectleDiagnosticsTests.Presenting"])
    }

    @Test @MainActor func `A service of the main actor that is read elsewhere is a note and in its explanation`() async
    {
        locator.add(Locator.DependencyRecorder())
        locator.register(.lazy(.main) { Counter() })
        _ = try? locator.resolve(Counter.self)
        #expect(locator.validate() == [])
        let locator = locator
        await Task.detached { _ = try? locator.resolve(Counter.self) }.value
        #expect(locator.validate().map(\.kind) == [.notSendable])
        #expect(locator.explain(Counter.self).findings.map(\.kind) == [.notSendable])
    }
}
