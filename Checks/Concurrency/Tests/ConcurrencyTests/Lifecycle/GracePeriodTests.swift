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

    /// A hook that hangs until it is told to end.
    private struct HangingHook: Sendable {
        let hasBegun = Signal()
        let wasCancelled = Signal()
        let release = Signal()

        func run() async {
            await withTaskCancellationHandler {
                hasBegun.set()
                await release.reached()
            } onCancel: {
                wasCancelled.set()
            }
        }
    }

    /// Runs the locator, whose close has begun and waits for a hook when the grace period begins.
    private func run(
        untilHangs hook: HangingHook,
        onDisposalErrors report: (([InjectleError]) -> Void)? = nil
    ) async throws {
        try await locator.run(gracePeriod: .milliseconds(1), onDisposalErrors: report) {
            Task { [locator] in await locator.close() }
            await hook.hasBegun.reached()
        }
    }

    @Test func `A hook that exceeds the grace period is named, behind the errors before it`() async throws {
        let hook = HangingHook()
        locator.register(.lazy { Guarded(1) }.onDispose { _ async in await hook.run() })
        _ = try locator.resolve(Guarded<Int>.self)
        locator.register(.lazy { "" }.atStart().onDispose { _ in throw Broken() })
        var errors: [InjectleError] = []
        try await run(untilHangs: hook) { errors = $0 }
        #expect(errors.map { $0 == .disposalFailed } == [true, true])
        #expect(errors.first?.underlying is Broken)
        #expect(errors.last?.identity == Locator.Identity(Guarded<Int>.self))
        let text = errors.last?.description ?? ""
        #expect(text.hasPrefix("The disposal of InjectleTestSupport.Guarded<Int> still runs after 0.001 seconds."))
        #expect(text.contains("registered  in ConcurrencyTests/GracePeriodTests.swift:"))
        #expect(text.contains("allow more time: `gracePeriod: .milliseconds(2)`"))
        hook.release.set()
    }

    @Test func `A hook that exceeds the grace period fails the run`() async {
        let hook = HangingHook()
        locator.register(.eager(1).onDispose { _ async in await hook.run() })
        let error = await thrown { try await run(untilHangs: hook) }
        #expect(error == .disposalFailed && error?.identity == Locator.Identity(Int.self))
        hook.release.set()
    }

    @Test func `A close with a grace period leaves a hook behind`() async throws {
        let hook = HangingHook()
        locator.register(.eager(1).onDispose { _ async in await hook.run() })
        let errors = await locator.close(gracePeriod: .milliseconds(1))
        #expect(errors == [.disposalFailed])
        #expect(errors.first?.identity == Locator.Identity(Int.self))
        hook.release.set()
    }

    @Test func `A close names the creation that it leaves behind, and then the hook that blocks the main actor`()
        async throws
    {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { () -> String in
                hasBegun.set()
                mayGoOn.wait()
                return ""
            }
        )
        locator.register(.eager(1).onDispose(.main) { _ in mayGoOn.wait() })
        async let text = onAnotherThread { [locator] in try? locator.resolve(String.self) }
        await hasBegun.reached()
        let errors = await locator.close(gracePeriod: .milliseconds(1))
        #expect(errors.map { $0 == .disposalFailed } == [true, true])
        #expect(errors.first?.identity == Locator.Identity(String.self))
        #expect(errors.last?.identity == Locator.Identity(Int.self))
        mayGoOn.set()
        #expect(await text != nil)
    }

    @Test func `A hook that exceeds the grace period is cancelled, and those after it run`() async throws {
        let hook = HangingHook()
        locator.register(.logged("database", in: callLog))
        _ = try await locator.resolveAsync(LoggedService.self)
        locator.register(.lazy { Guarded(1) }.onDispose { _ async in await hook.run() })
        _ = try locator.resolve(Guarded<Int>.self)
        _ = await thrown { try await run(untilHangs: hook) }
        await hook.wasCancelled.reached()
        #expect(callLog.drain() == ["+database", "-database"])
        #expect(thrown { try locator.resolve(Guarded<Int>.self) } == .locatorClosed)
        hook.release.set()
    }

    @Test func `A hook of a child that is being closed is left behind, too`() async throws {
        let hook = HangingHook()
        locator.register(.logged("database", in: callLog))
        _ = try await locator.resolveAsync(LoggedService.self)
        let request = Task { [locator] in
            await locator.withChild(
                "request",
                { $0.register(.eager(1).onDispose { _ async in await hook.run() }) },
                gracePeriod: nil
            ) { _ in }
        }
        await hook.hasBegun.reached()
        try await locator.run(gracePeriod: .milliseconds(1), onDisposalErrors: { _ in }) {}
        #expect(callLog.drain() == ["+database", "-database"])
        await request.value
        hook.release.set()
    }

    @Test func `A child leaves a hook behind that exceeds its grace period`() async {
        let hook = HangingHook()
        var errors: [InjectleError] = []
        await locator.withChild(
            "request",
            { $0.register(.eager(1).onDispose { _ async in await hook.run() }) },
            gracePeriod: .milliseconds(1),
            onDisposalErrors: { errors = $0 }
        ) { _ in }
        #expect(errors.map(\.identity) == [Locator.Identity(Int.self)])
        hook.release.set()
    }

    @Test func `The grace period of a request leaves the hooks of a closing parent alone`() async {
        let (hasBegun, inRequest, goOn) = (Signal(), Signal(), Signal())
        locator.register(
            .eager(1).onDispose { [callLog] _ async in
                hasBegun.set()
                // Much longer than the grace period of the request.
                try? await Task.sleep(for: .milliseconds(50))
                callLog.record("cancelled: \(Task.isCancelled)")
            }
        )
        let request = Task { [locator] in
            await locator.withChild("request", gracePeriod: .milliseconds(1)) { _ in
                inRequest.set()
                await goOn.reached()
            }
        }
        await inRequest.reached()
        let closing = Task { [locator] in await locator.close() }
        await hasBegun.reached()
        goOn.set()
        #expect(await closing.value.isEmpty)
        await request.value
        #expect(callLog.drain() == ["cancelled: false"])
    }

    @Test func `Synchronous hooks run uncancelled after a creation is left behind`() async throws {
        let (hasBegun, release) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { [callLog] _ in callLog.record("cancelled: \(Task.isCancelled)") }
        )
        _ = try locator.resolve(Int.self)
        locator.register(
            .lazy(.anywhere) { () async -> String in
                hasBegun.set()
                await release.reached()
                return ""
            }
            .lifetime(.perLocator)
        )
        let creation = Task { [locator] in try await locator.resolveAsync(String.self) }
        await hasBegun.reached()
        var errors: [InjectleError] = []
        try await locator.run(gracePeriod: .milliseconds(1), onDisposalErrors: { errors = $0 }) {}
        #expect(callLog.drain() == ["cancelled: false"])
        #expect(errors.map(\.identity) == [Locator.Identity(String.self)])
        release.set()
        _ = await creation.result
    }

    @Test func `A hook that hangs after synchronous code has blocked the close is left behind, too`() async throws {
        let (blocks, goOn) = (Signal(), Signal())
        let hook = HangingHook()
        locator.register(.logged("database", in: callLog))
        _ = try await locator.resolveAsync(LoggedService.self)
        locator.register(.lazy(.anywhere) { Guarded(1) }.onDispose { _ async in await hook.run() })
        _ = try locator.resolve(Guarded<Int>.self)
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { _ in
                blocks.set()
                goOn.wait()
            }
        )
        _ = try locator.resolve(Int.self)
        let errors = Guarded<[InjectleError]>([])
        let running = Task { [locator] in
            try await locator.run(
                gracePeriod: .milliseconds(1),
                onDisposalErrors: { all in errors.withLock { $0 = all } }
            ) {}
        }
        await blocks.reached()
        try await running.value
        #expect(errors.value.map(\.identity) == [Locator.Identity(Int.self)])
        goOn.set()
        await hook.wasCancelled.reached()
        await locator.close()
        #expect(callLog.drain() == ["+database", "-database"])
        hook.release.set()
    }

    @Test func `An instance is released with its turn although an async hook had it`() async {
        let released = CallLog()
        let locator = Locator("order")
        locator.register(.logged("database", in: released))
        _ = try? await locator.resolveAsync(LoggedService.self)
        locator.register(.lazy { Probe(released) }.onDispose { _ async in await Task.yield() })
        _ = try? locator.resolve(Probe.self)
        locator.register(.lazy { 1 }.onDispose { _ in released.record("hook") })
        _ = try? locator.resolve(Int.self)
        await locator.withChild("request") { _ in }
        await locator.close()
        #expect(released.drain() == ["+database", "hook", "-database", "released"])
    }

    private final class Probe: Sendable {
        let log: CallLog
        init(_ log: CallLog) { self.log = log }
        deinit { log.record("released") }
    }

    @Test func `A creation that ignores its cancellation is left behind, and others are disposed of`() async throws {
        let (hasBegun, release) = (Signal(), Signal())
        locator.register(.logged("database", in: callLog))
        _ = try await locator.resolveAsync(LoggedService.self)
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
        let text = "The creation of String in the locator \"run\" still runs, 0.001 seconds after its cancellation."
        #expect(error?.description.hasPrefix(text) == true)
        #expect(callLog.drain() == ["+database", "-database"])
        release.set()
        _ = await creation.result
    }
}
