import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error {}

/// How long `run` waits for children and for hooks.
@Suite struct GracePeriodTests {
    private let locator = Locator("run")
    private let callLog = CallLog()

    @Test func `run closes its locator after the last child is closed or released`() async throws {
        locator.register(.logged("database", in: callLog))
        let (closed, kept) = (locator.child("closed"), Guarded<Locator?>(locator.child("kept")))
        let running = Task { [locator] in try await locator.run(gracePeriod: nil) }
        _ = try await locator.resolveAsync(LoggedService.self)
        running.cancel()
        #expect(try closed.resolve(LoggedService.self).name == "database")
        await closed.close()
        #expect(try locator.resolve(LoggedService.self).name == "database")
        #expect(callLog.drain() == ["+database"])
        kept.withLock { $0 = nil }
        try await running.value
        #expect(callLog.drain() == ["-database"])
    }

    @Test func `run closes the children that outlive the grace period`() async throws {
        let child = locator.child("session")
        try await locator.run(gracePeriod: .milliseconds(1)) {}
        #expect(thrown { try child.resolve(Int.self) } == .locatorClosed)
    }

    @Test func `The hooks have the grace period after the children had it`() async throws {
        locator.register(.logged("database", in: callLog))
        let child = locator.child("session")
        try await locator.run(gracePeriod: .milliseconds(500)) {}
        #expect(callLog.drain() == ["+database", "-database"])
        withExtendedLifetime(child) {}
    }

    /// Runs the locator, whose close has begun and waits for a hook when the grace period begins.
    private func runUntilHookHangs(
        _ hasBegun: Signal,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil
    ) async throws {
        try await locator.run(gracePeriod: .milliseconds(1), onDisposalErrors: report) {
            Task { [locator] in await locator.close() }
            await hasBegun.reached()
        }
    }

    @Test func `A hook that exceeds the grace period is named, behind the errors before it`() async throws {
        let (hasBegun, release) = (Signal(), Signal())
        locator.register(
            .lazy { Guarded(1) }.onDispose { _ async in
                hasBegun.set()
                await release.reached()
            }
        )
        _ = try locator.resolve(Guarded<Int>.self)
        locator.register(.lazy { "" }.atStart().onDispose { _ in throw Broken() })
        var errors: [InjectleError] = []
        try await runUntilHookHangs(hasBegun) { errors = $0 }
        #expect(errors.map { $0 == .disposalFailed } == [true, true])
        #expect(errors.first?.underlying is Broken)
        #expect(errors.last?.identity == Locator.Identity(Guarded<Int>.self))
        let text = errors.last?.description ?? ""
        #expect(text.hasPrefix("The disposal of InjectleTestSupport.Guarded<Int> still runs after 0.001 seconds."))
        #expect(text.contains("registered  in ConcurrencyTests/GracePeriodTests.swift:"))
        #expect(text.contains("run(gracePeriod: .milliseconds(2)) { … }"))
        release.set()
        #expect(await locator.close().count == 1)
    }

    @Test func `A hook that exceeds the grace period fails the run`() async {
        let (hasBegun, release) = (Signal(), Signal())
        locator.register(
            .eager(1).onDispose { _ async in
                hasBegun.set()
                await release.reached()
            }
        )
        let error = await thrown { try await runUntilHookHangs(hasBegun) }
        #expect(error == .disposalFailed && error?.identity == Locator.Identity(Int.self))
        release.set()
        #expect(await locator.close().isEmpty)
    }

    @Test func `A creation that exceeds the grace period fails the run`() async {
        let (hasBegun, release) = (Signal(), Signal())
        locator.register(
            .lazy { () async -> String in
                hasBegun.set()
                await release.reached()
                return ""
            }
            .lifetime(.perLocator)
        )
        let creation = Task { [locator] in try await locator.resolveAsync(String.self) }
        await hasBegun.reached()
        let error = await thrown { try await locator.run(gracePeriod: .milliseconds(1)) {} }
        #expect(
            error?.description.hasPrefix("The close of the locator \"run\" still runs after 0.001 seconds.") == true
        )
        release.set()
        await locator.close()
        _ = await creation.result
    }
}
