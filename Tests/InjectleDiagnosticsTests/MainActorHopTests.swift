import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Page: Sendable {}

/// The finding about closures of the main actor that callers elsewhere wait for.
@Suite struct MainActorHopTests {
    private let locator = Locator("app", mainActorTimeout: .seconds(600))

    /// Registers as top-level code does, which is on the main actor.
    @MainActor private func registerOnMainActor(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy { Page() }.lifetime(lifetime))
    }

    @Test func `a closure that hops at each creation is a note with its callers`() async throws {
        await registerOnMainActor(.volatile)
        #expect(locator.validate().isEmpty)
        let line = #line + 2
        for _ in 0..<3 {
            await onAnotherThread { [locator] in _ = try? locator.resolve(Page.self) }
        }
        let finding = try #require(locator.validate().first)
        #expect(locator.validate().count == 1)
        #expect(finding.kind == .mainActorHop)
        #expect(finding.isNote)
        #expect(
            finding.message
                == "The closure of InjectleDiagnosticsTests.Page hops to the main actor at each creation, from a caller."
        )
        #expect(finding.fix.hasSuffix("and not in InjectleDiagnosticsTests/MainActorHopTests.swift:\(line)"))
        try locator.check()
        await onAnotherThread { [locator] in _ = try? locator.resolve(Page.self) }
        #expect(locator.validate().first?.message.hasSuffix("from 2 callers.") == true)
    }

    @Test func `an async caller elsewhere counts, too`() async throws {
        await registerOnMainActor(.perLocator)
        _ = try await Task.detached { [locator] in try await locator.resolveAsync(Page.self) }.value
        #expect(locator.validate().map(\.kind) == [.mainActorHop])
    }

    @Test func `callers on the main actor do not hop`() async throws {
        await registerOnMainActor(.volatile)
        try await MainActor.run { _ = try locator.resolve(Page.self) }
        _ = try await Task { @MainActor in try await locator.resolveAsync(Page.self) }.value
        #expect(locator.validate().isEmpty)
    }

    @Test func `a singleton hops once, which is no finding`() async {
        await registerOnMainActor(.lazy)
        await onAnotherThread { [locator] in _ = try? locator.resolve(Page.self) }
        #expect(locator.validate().isEmpty)
    }

    @Test func `a closure of a nonisolated function does not hop`() async {
        locator.register(.volatile { Page() })
        await onAnotherThread { [locator] in _ = try? locator.resolve(Page.self) }
        #expect(locator.validate().isEmpty)
    }

    @Test func `explain has the finding`() async {
        await registerOnMainActor(.volatile)
        await onAnotherThread { [locator] in _ = try? locator.resolve(Page.self) }
        let explanation = locator.explain(Page.self)
        #expect(explanation.findings.map(\.kind) == [.mainActorHop])
        #expect(explanation.description.contains("hops to the main actor at each creation, from a caller"))
        #expect(explanation.description.contains("fix         register it where no actor is"))
    }

    @Test func `the log has the number of callers and the line of the closure`() async {
        let log = CallLog()
        locator.add(Locator.Log([.didWait]) { log.record($0) })
        await registerOnMainActor(.volatile)
        for _ in 0..<2 { await onAnotherThread { [locator] in _ = try? locator.resolve(Page.self) } }
        let lines = log.drain()
        #expect(lines.count == 2)
        let end =
            "ms, from one caller so far; its closure is on the main actor in InjectleDiagnosticsTests/MainActorHopTests.swift:14"
        #expect(lines.allSatisfy { $0.hasSuffix(end) }, "\(lines)")
    }
}
