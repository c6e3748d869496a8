import Injectle
import InjectleTestSupport
import Testing

private struct Failure: Error {}

/// A shared service is created once, and no lock is held while user code runs.
@Suite struct ExactlyOnceTests {
    private let locator = Locator("once")

    @Test func `A concurrent caller waits for the running creation`() async throws {
        let log = Tracked.Log()
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) {
                begun.set()
                goOn.wait()
                return Tracked(log)
            }
        )
        let locator = locator
        async let first = onAnotherThread { try? locator.resolve(Tracked.self) }
        await begun.reached()
        async let others = withTaskGroup { group in
            for _ in 0..<4 { group.addTask { await onAnotherThread { try? locator.resolve(Tracked.self) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        goOn.set()
        let instance = await first
        #expect(await others.allSatisfy { $0 === instance })
        #expect(instance != nil)
        #expect(log.created == 1)
    }

    @Test func `A failed factory leaves nothing and the next resolve retries`() throws {
        let attempts = Counter()
        locator.register(.lazy { if attempts.increment() < 3 { throw Failure() } else { 7 } })
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Int.self) }
            #expect(error == .factoryFailed)
            #expect(error?.underlying is Failure)
        }
        #expect(try locator.resolve(Int.self) == 7)
        #expect(try locator.resolve(Int.self) == 7)
        #expect(attempts.value == 3)
    }

    /// Fails the first creation of an `Int` while a task and the main thread wait for it, and returns all results.
    ///
    /// The main thread serves the factory's request for a `String` only while it waits itself, and so the factory
    /// throws only when both wait.
    @MainActor private func failWithTwoWaiters(
        throwing error: any Error & Sendable,
        attempts: Counter
    ) async -> (creator: InjectleError?, task: Result<Int, any Error>, thread: Result<Int, any Error>) {
        let locator = Locator("once", mainActorTimeout: .seconds(600))
        let (begun, goOn) = (Signal(), Signal())
        locator.register(.lazy(.main) { "main" })
        locator.register(
            .lazy(.anywhere) { locator throws -> Int in
                guard attempts.increment() == 1 else { return 7 }
                begun.set()
                goOn.wait()
                _ = try locator.resolve(String.self)
                throw error
            }
        )
        async let creator = onAnotherThread { thrown { try locator.resolve(Int.self) } }
        await begun.reached()
        let task = await ProbeActor.startTask { _ in try await locator.resolveAsync(Int.self) }
        goOn.set()
        let thread = Result<Int, any Error> { try locator.resolve(Int.self) }
        return (await creator, await task.result, thread)
    }

    @Test func `Every waiter gets the error of a failed factory`() async {
        let attempts = Counter()
        let (creator, task, thread) = await failWithTwoWaiters(throwing: Failure(), attempts: attempts)
        for error in [creator, thrown(by: task.get), thrown(by: thread.get)] {
            #expect(error == .factoryFailed)
            #expect(error?.underlying is Failure)
        }
        #expect(attempts.value == 1)
    }

    @Test func `A waiter creates the service after a cancelled creation`() async throws {
        let attempts = Counter()
        let (creator, task, thread) = await failWithTwoWaiters(throwing: CancellationError(), attempts: attempts)
        #expect(creator == .cancelled)
        #expect(try task.get() == 7)
        #expect(try thread.get() == 7)
        #expect(attempts.value == 2)
    }

    @Test func `An instance replaced during creation is returned and not cached`() async throws {
        let log = Tracked.Log()
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) {
                begun.set()
                goOn.wait()
                return Tracked(log)
            }
        )
        let locator = locator
        async let old = onAnotherThread { (try? locator.resolve(Tracked.self)).map(ObjectIdentifier.init) }
        await begun.reached()
        let replacement = Tracked(Tracked.Log())
        locator.register(.eager(replacement))
        #expect(try locator.resolve(Tracked.self) === replacement)
        goOn.set()
        #expect(await old != nil)
        #expect(try locator.resolve(Tracked.self) === replacement)
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A service that replaces itself during creation is returned once`() throws {
        locator.register(
            .lazy { [locator] in
                locator.register(.eager("new"))
                return "old"
            }
        )
        #expect(try locator.resolve(String.self) == "old")
        #expect(try locator.resolve(String.self) == "new")
    }
}
