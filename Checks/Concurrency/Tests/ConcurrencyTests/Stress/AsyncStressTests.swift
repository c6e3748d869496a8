import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Service: Sendable {
    private let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// Many tasks and threads that resolve async services. Scaled and run as `StressTests`.
@Suite(.serialized) struct AsyncStressTests {
    /// One round and its results.
    private struct Round: Sendable {
        let locator = Locator()
        let log = Tracked.Log()
        let instances = Guarded<Set<ObjectIdentifier>>([])
        let wrong = Counter()

        init() {
            locator.register(
                .lazy { [log] in
                    await Task.yield()
                    return Service(log)
                }
            )
        }

        func note(_ service: Service) {
            instances.withLock { instances in _ = instances.insert(ObjectIdentifier(service)) }
        }

        /// Resolves until the instance exists.
        func askOnThread() {
            while true {
                do throws(InjectleError) {
                    return note(try locator.resolve(Service.self))
                } catch {
                    guard error == .requiresAsync else { return _ = wrong.increment() }
                }
                sched_yield()
            }
        }

        func askInTask() async {
            do {
                note(try await locator.resolveAsync(Service.self))
            } catch {
                wrong.increment()
            }
        }

        /// Whether one instance was created, every caller got it, and it is still alive.
        var isRight: Bool { log.created == 1 && instances.value.count == 1 && wrong.value == 0 && log.alive == 1 }
    }

    @Test func `Child tasks share graph instances beside child tasks whose resolves fail`() async throws {
        let locator = Locator()
        locator.register(.lazy { 0 }.lifetime(.graph))
        locator.register(
            .volatile { locator in
                await withTaskGroup { group in
                    for task in 0..<8 {
                        group.addTask {
                            do throws(InjectleError) {
                                if task.isMultiple(of: 2) { return try locator.resolve(Int.self) }
                                return try locator.resolve(Int.self, key: "missing")
                            } catch {
                                return error.path.count
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }.sorted()
                }
            }
        )
        for _ in 0..<Stress.rounds(1_000) {
            #expect(try await locator.resolveAsync([Int].self) == [0, 0, 0, 0, 1, 1, 1, 1])
        }
    }

    @Test func `64 tasks and 4 threads share one async instance`() async {
        let rounds = Stress.rounds(1_000)
        let threads = 4
        let tasks = 64
        let current = Guarded(Round())
        let (begin, end) = (Barrier(threads + 1), Barrier(threads + 1))
        let runner = Task {
            await onThreadsAsync(threads) { _ in
                for _ in 0..<rounds {
                    begin.wait()
                    current.value.askOnThread()
                    end.wait()
                }
            }
        }
        var failures = 0
        for _ in 0..<rounds {
            let round = Round()
            current.withLock { $0 = round }
            await begin.arrive()
            await withTaskGroup { group in
                for _ in 0..<tasks { group.addTask { await round.askInTask() } }
            }
            await end.arrive()
            if !round.isRight { failures += 1 }
        }
        await runner.value
        #expect(failures == 0)
    }

    @Test func `Tasks that wait for each other get errors`() async {
        let rounds = Stress.rounds(500)
        let ended = Counter()
        for _ in 0..<rounds {
            let locator = Locator()
            // A ring: each service requires all others.
            for key in 0..<4 {
                locator.register(
                    .lazy(.anywhere) { locator in
                        await Task.yield()
                        return try await locator.resolveAsync(Int.self, key: (key + 1) % 4)
                    },
                    key: key
                )
            }
            await withTaskGroup { group in
                for index in 0..<4 {
                    group.addTask {
                        do throws(InjectleError) {
                            _ = try await locator.resolveAsync(Int.self, key: index)
                        } catch {
                            if error == .circularDependency {
                                ended.increment()
                            }
                        }
                    }
                }
            }
        }
        #expect(ended.value == rounds * 4)
    }

    @Test(.timeLimit(.minutes(5))) func `A close ends async creations whose hooks request each other`() async {
        final class Part: Sendable {}
        for _ in 0..<Stress.rounds(2000) {
            let locator = Locator()
            for key in 0..<2 {
                locator.register(
                    .lazy(.anywhere) {
                        await Task.yield()
                        return Part()
                    }
                    .afterInit { locator, _ in _ = try locator.resolve(Part.self, key: 1 - key) },
                    key: key
                )
            }
            await withTaskGroup { group in
                for key in 0..<2 { group.addTask { _ = try? await locator.resolveAsync(Part.self, key: key) } }
                group.addTask {
                    await Task.yield()
                    await locator.close()
                }
            }
        }
    }
}
