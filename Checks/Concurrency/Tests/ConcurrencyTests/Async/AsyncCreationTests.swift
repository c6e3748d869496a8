import Injectle
import InjectleTestSupport
import Testing

private struct Failure: Error {}

private struct Number: Sendable {
    var value: Int
    var note: String?
}

private final class Holder: Sendable {
    let number = Inject<Int>()
    let tracked: Tracked?
    init(_ tracked: Tracked? = nil) { self.tracked = tracked }
}

private enum Word { @TaskLocal static var current = "none" }

/// Creation by async factories: once, with hooks, in the right locator, without leaks.
@Suite(.timeLimit(.minutes(10))) struct AsyncCreationTests {
    private let locator = Locator("making")
    private let log = Tracked.Log()
    private let begun = Signal()
    private let goOn = Signal()

    /// Registers a service whose factory waits for `goOn`.
    private func registerTracked() {
        locator.register(
            .lazy { [log, begun, goOn] in
                begun.set()
                await goOn.reached()
                return Tracked(log)
            }
        )
    }

    // MARK: Exactly once

    @Test func `A failed factory leaves nothing and runs again`() async throws {
        let attempts = Counter()
        locator.register(
            .lazy {
                if attempts.increment() < 3 { throw Failure() } else { await Task.yield() }; return 7
            }
        )
        for _ in 0..<2 {
            let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Int.self) }
            #expect(error == .factoryFailed)
            #expect(error?.underlying is Failure)
            #expect(throws: InjectleError.self) { try locator.resolve(Int.self) }
        }
        #expect(try await locator.resolveAsync(Int.self) == 7)
        #expect(try await locator.resolveAsync(Int.self) == 7)
        #expect(attempts.value == 3)
    }

    @Test func `All waiters get the error of a failed factory`() async {
        let (locator, begun, goOn) = (locator, begun, goOn)
        let attempts = Counter()
        locator.register(
            .lazy { () async throws -> Int in
                attempts.increment()
                begun.set()
                await goOn.reached()
                throw Failure()
            }
        )
        var tasks: [Task<Int, any Error>] = []
        for _ in 0..<3 { tasks.append(await ProbeActor.startTask { _ in try await locator.resolveAsync() }) }
        await begun.reached()
        goOn.set()
        for task in tasks {
            let error = await #expect(throws: InjectleError.self) { try await task.value }
            #expect(error?.underlying is Failure)
        }
        #expect(attempts.value == 1)
    }

    // MARK: Hooks

    @Test func `Hooks run before any caller sees the instance`() async throws {
        let isSeen = Guarded(false)
        locator.register(.eager("injected"))
        locator.register(
            .lazy {
                await Task.yield()
                return Number(value: 1)
            }
            .injecting(\Number.note)
            .afterInit { [locator] _, number in
                let isCreated = locator.registrations.contains {
                    $0.identity == Locator.Identity(Number.self) && $0.isCreated
                }
                isSeen.withLock { $0 = isCreated }
                number.value += 10
            }
            .afterInit { _, number in number.value *= 2 }
        )
        let number = try await locator.resolveAsync(Number.self)
        #expect(number.value == 22)
        #expect(number.note == "injected")
        #expect(try locator.resolve(Number.self).value == 22)
        #expect(!isSeen.value)
        #expect(locator.registrations.filter { !$0.isCreated }.isEmpty)
    }

    // MARK: Wrappers

    @Test func `A wrapper in a created instance uses the creating locator`() async throws {
        locator.register(.eager(1))
        locator.register(
            .lazy {
                await Task.yield()
                return Holder()
            }
        )
        locator.register(
            .volatile {
                await Task.detached {}.value; return Holder()
            },
            key: "volatile"
        )
        let other = Locator { $0.register(.eager(2)) }
        let holders = try await Locator.$shared.withValue(other) {
            [try await locator.resolveAsync(Holder.self), try await locator.resolveAsync(key: "volatile")]
        }
        for holder in holders { #expect(holder.number() == 1) }
        // A volatile service uses the child's dependencies.
        let child = locator.child { $0.register(.eager(3)) }
        #expect(try await child.resolveAsync(Holder.self, key: "volatile").number() == 3)
        #expect(try await child.resolveAsync(Holder.self).number() == 1)
    }

    @Test func `A task that outlives its factory uses its own locator`() async throws {
        let goOn = goOn
        let escaped = Guarded<[Task<Int, Never>]>([])
        locator.register(.eager(1))
        locator.register(
            .lazy {
                escaped.withLock { tasks in
                    tasks.append(
                        Task {
                            await goOn.reached(); return Holder().number()
                        }
                    )
                }
                return Holder(await Task { nil }.value)
            }
        )
        let other = Locator { $0.register(.eager(2)) }
        let holder = try await Locator.$shared.withValue(other) { try await locator.resolveAsync(Holder.self) }
        goOn.set()
        #expect(holder.number() == 1)
        #expect(await escaped.value[0].value == 2)
    }

    @Test func `The factory sees the task locals of its first caller`() async throws {
        let override = Locator("override")
        let (locator, begun, goOn) = (locator, begun, goOn)
        locator.register(
            .lazy {
                begun.set()
                await goOn.reached()
                return "\(Word.current) \(Locator.shared === override)"
            }
        )
        let first = await Word.$current.withValue("first") {
            await Locator.$shared.withValue(override) {
                await ProbeActor.startTask { _ in try await locator.resolveAsync(String.self) }
            }
        }
        await begun.reached()
        let second = await Word.$current.withValue("second") {
            await ProbeActor.startTask { _ in try await locator.resolveAsync(String.self) }
        }
        goOn.set()
        #expect(try await first.value == "first true")
        #expect(try await second.value == "first true")
    }

    // MARK: Changes during creation

    enum Change: CaseIterable { case replaced, unregistered, reset }

    @Test(arguments: Change.allCases)
    func `A caller after a change does not get the earlier creation`(by change: Change) async throws {
        registerTracked()
        let (locator, log) = (locator, log)
        let first = await ProbeActor.startTask { _ in try await locator.resolveAsync(Tracked.self) }
        await begun.reached()
        switch change {
        case .replaced:
            locator.register(
                .lazy {
                    await Task.yield(); return Tracked(log)
                }
            )
        case .unregistered: locator.unregisterService(Tracked.self)
        case .reset: locator.reset()
        }
        var later: Tracked?
        if change == .replaced {
            later = try await locator.resolveAsync()
        } else {
            #expect(try await locator.resolveAsync(Tracked?.self) == nil)
        }
        goOn.set()
        #expect(try await first.value !== later)
        #expect(try locator.resolve(Tracked?.self) === later)
        locator.reset()
        later = nil
        #expect(log.created == (change == .replaced ? 2 : 1))
        withExtendedLifetime(first) {}
    }

    @Test func `The locator may be released while a factory runs`() async throws {
        let (log, begun, goOn) = (log, begun, goOn)
        var locator: Locator? = Locator("going") { locator in
            locator.register(
                .lazy {
                    begun.set()
                    await goOn.reached()
                    return Holder(Tracked(log))
                }
            )
        }
        // A provider does not retain the locator.
        let provider = try #require(try locator?.resolve(Locator.Provider<Holder>.self))
        let asked = await ProbeActor.startTask { _ in try await provider.resolveAsync().tracked != nil }
        await begun.reached()
        locator = nil
        goOn.set()
        // The earlier caller gets the instance; nothing caches it.
        #expect(try await asked.value)
        #expect(await log.becomesEmpty())
        let error = await #expect(throws: InjectleError.self) { try await provider.resolveAsync() }
        #expect(error == .locatorClosed)
        #expect(log.created == 1)
    }

    // MARK: Memory
}
