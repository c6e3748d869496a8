import Injectle
import InjectleTestSupport
import Testing

private final class Logger: Sendable {}
private struct Broken: Error {}

/// Refers to its locator.
private final class Page: Sendable {
    let locator: Locator.Resolver
    init(_ locator: Locator.Resolver) { self.locator = locator }
}

private struct FixedScope: Locator.CustomLifetime {
    let find: @Sendable () -> Locator.Scope?
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { find() }
}

/// A clock whose reads call a closure.
private struct ClosureClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
    }

    let read: @Sendable () -> Void
    var now: Instant {
        read()
        return Instant(time: .zero)
    }
    var minimumResolution: Duration { .nanoseconds(1) }
    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

/// Endings beside endings, creations and requests.
@Suite struct TwoEndingsTests {
    private let locator = Locator("server")
    private let callLog = CallLog()

    /// A service whose disposer resolves a logger, and records the error or "read".
    private func page() -> Locator.Registration<Page> {
        .lazy(.anywhere) { locator in Page(locator) }.onDispose { [callLog] page in
            do throws(InjectleError) {
                _ = try page.locator.resolve(Logger.self)
                callLog.record("read")
            } catch {
                callLog.record("\(error.identity.map(String.init(describing:)) ?? "") \(error)")
            }
        }
    }

    /// A child with a page, whose last service has an async disposer that waits.
    private func request(_ begun: Signal, _ goOn: Signal) throws -> Locator {
        let child = locator.child("request")
        child.register(.lazy(.anywhere) { Logger() })
        child.register(page())
        child.register(
            .lazy(.anywhere) { 1 }.onDispose { _ async in
                begun.set()
                await goOn.reached()
            }
        )
        _ = try (child.resolve(Logger.self), child.resolve(Page.self), child.resolve(Int.self))
        return child
    }

    // MARK: Close

    @Test func `A request that drops its child leaves the disposers of a close what they read`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        var child: Locator? = try request(begun, goOn)
        withExtendedLifetime(child) {}
        let closing = Task { await locator.close() }
        await begun.reached()
        child = nil
        goOn.set()
        #expect(await inTime { await closing.value } == [])
        #expect(callLog.entries == ["read"])
    }

    @Test func `A close waits for the release of a child, whose disposers read what they used`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        var child: Locator? = try request(begun, goOn)
        withExtendedLifetime(child) {}
        child = nil
        await begun.reached()
        let closing = Task { await locator.close() }
        while thrown(by: { try locator.resolve(Int.self) }) != .locatorClosed { await Task.yield() }
        goOn.set()
        #expect(await inTime { await closing.value } == [])
        #expect(callLog.entries == ["read"])
    }

    @Test func `A close waits for a reset on another thread, whose disposers read what they used`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        locator.register(.lazy(.anywhere) { Logger() })
        locator.register(page())
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { _ in
                begun.set()
                goOn.wait()
            }
        )
        _ = try (locator.resolve(Logger.self), locator.resolve(Page.self), locator.resolve(Int.self))
        async let reset: Void = onAnotherThread { locator.reset() }
        await begun.reached()
        let closing = Task { await locator.close() }
        while thrown(by: { try locator.resolve(String.self) }) != .locatorClosed { await Task.yield() }
        goOn.set()
        #expect(await inTime { await closing.value } == [])
        #expect(callLog.entries == ["read"])
        await reset
    }

    @Test func `A close waits for the disposers of a registration that is replaced meanwhile`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { [callLog] _ in
                begun.set()
                goOn.wait()
                callLog.record("disposed")
            }
        )
        _ = try locator.resolve(Int.self)
        async let replaced: Void = onAnotherThread { locator.register(.eager(2)) }
        await begun.reached()
        let closing = Task { [callLog] in
            await locator.close()
            callLog.record("closed")
        }
        while thrown(by: { try locator.resolve(String.self) }) != .locatorClosed { await Task.yield() }
        goOn.set()
        await closing.value
        await replaced
        #expect(callLog.entries == ["disposed", "closed"])
    }

    @Test func `A reset during a close leaves the disposers of the close what they read`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        locator.register(.lazy(.anywhere) { Logger() })
        locator.register(page())
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { _ async in
                begun.set()
                await goOn.reached()
            }
        )
        _ = try (locator.resolve(Logger.self), locator.resolve(Page.self), locator.resolve(Int.self))
        let closing = Task { await locator.close() }
        await begun.reached()
        locator.reset()
        goOn.set()
        #expect(await inTime { await closing.value } == [])
        #expect(callLog.entries == ["read"])
    }

    @Test func `A disposer of a child resolves a lazy service of its open parent`() async throws {
        locator.register(.lazy(.anywhere) { Logger() })
        let child = locator.child("request")
        child.register(page())
        _ = try child.resolve(Page.self)
        #expect(await child.close() == [])
        #expect(callLog.entries == ["read"])
    }

    @Test func `A released child's disposer resolves a lazy service of its open parent`() throws {
        locator.register(.lazy(.anywhere) { Logger() })
        try locator.withChild("request") { child in
            child.register(page())
            _ = try child.resolve(Page.self)
        }
        #expect(callLog.entries == ["read"])
    }

    @Test func `A child reports no errors of its parent's close`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        locator.register(
            .eager(1).onDispose { _ async throws in
                begun.set()
                await goOn.reached()
                throw Broken()
            }
        )
        let closing = Task { await locator.close() }
        await begun.reached()
        let reported = await inTime {
            var reported: [InjectleError] = []
            await locator.withChild("request") {
                reported += $0
            } _: { _ in
                goOn.set()
            }
            return reported
        }
        #expect(reported == [])
        #expect(await closing.value == [InjectleError.disposalFailed])
    }

    // MARK: Async disposers

    private enum Ending: CaseIterable { case reset, release }

    @Test(arguments: Ending.allCases)
    private func `An async disposer leaves synchronous ones what they read`(_ ending: Ending) async throws {
        var locator: Locator? = Locator("reset")
        let ended = Signal()
        locator?.register(
            .lazy(.anywhere) { Logger() }.onDispose { [callLog] _ in
                callLog.record("logger")
                ended.set()
            }
        )
        locator?.register(page())
        locator?.register(.lazy(.anywhere) { 1 }.onDispose { [callLog] _ async in callLog.record("async") })
        _ = try (locator?.resolve(Logger.self), locator?.resolve(Page.self), locator?.resolve(Int.self))
        if ending == .reset { locator?.reset() } else { locator = nil }
        #expect(await inTime { await ended.reached() } != nil)
        #expect(callLog.entries == ["async", "read", "logger"])
    }

    @Test func `An async disposer leaves a deinit what it reads`() async throws {
        final class Reader: Sendable {
            let logger = Inject<Logger>()
            let found: @Sendable (Logger) -> Void
            init(_ found: @escaping @Sendable (Logger) -> Void) { self.found = found }
            deinit { found(logger()) }
        }
        let (locator, read) = (locator, Signal())
        locator.register(.lazy(.anywhere) { Logger() })
        locator.register(.lazy(.anywhere) { Reader { _ in read.set() } })
        locator.register(.lazy(.anywhere) { 1 }.onDispose { _ async in await Task.yield() })
        _ = try (locator.resolve(Logger.self), locator.resolve(Reader.self), locator.resolve(Int.self))
        locator.reset()
        #expect(await inTime { await read.reached() } != nil)
    }

    // MARK: Creations

    @Test func `An unregistration while a lifetime finds its scope leaves no instance behind`() throws {
        let (locator, scope) = (locator, Locator.Scope())
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("page", callLog) }
                .lifetime(
                    FixedScope {
                        locator.unregister(LoggedService.self)
                        return scope
                    }
                )
                .onDispose { $0.close() }
        )
        #expect(thrown { try locator.resolve(LoggedService.self) } == .missing)
        #expect(callLog.entries.count { $0 == "+page" } == callLog.entries.count { $0 == "-page" })
    }

    @Test func `An unregistration while a time to live reads its clock leaves no instance behind`() throws {
        let (locator, callLog) = (locator, callLog)
        let clock = ClosureClock { locator.unregister(LoggedService.self) }
        locator.register(
            .lazy(.anywhere) { LoggedService("page", callLog) }.lifetime(.timeToLive(.seconds(60), clock: clock))
                .onDispose { $0.close() }
        )
        #expect(thrown { try locator.resolve(LoggedService.self) } == .missing)
        #expect(callLog.entries.count { $0 == "+page" } == callLog.entries.count { $0 == "-page" })
    }

    @Test func `Instances of many scopes are disposed of beside an unregistration`() async {
        for _ in 0..<Stress.rounds(2_000) {
            let (disposed, created, both) = (Counter(), Counter(), Barrier(2))
            let (locator, scopes) = (Locator("race"), Guarded<[Locator.Scope]>([]))
            let lifetime = FixedScope {
                let scope = Locator.Scope()
                scopes.withLock { $0.append(scope) }
                return scope
            }
            locator.register(
                .lazy(.anywhere) { created.increment() }.lifetime(lifetime).onDispose { _ in disposed.increment() }
            )
            await onThreadsAsync(2) { index in
                both.wait()
                if index == 1 { return locator.unregister(Int.self) }
                while (try? locator.resolve(Int.self)) != nil {}
            }
            #expect(created.value == disposed.value)
        }
    }

    @Test func `A service that its closure replaces is requested again`() throws {
        let (locator, callLog) = (locator, callLog)
        locator.register(
            .lazy(.anywhere) {
                locator.register(.lazy(.anywhere) { LoggedService("second", callLog) })
                return LoggedService("first", callLog)
            }
            .onDispose { $0.close() }
        )
        #expect(try locator.resolve(LoggedService.self).name == "second")
        #expect(callLog.entries == ["+first", "-first", "+second"])
    }
}
