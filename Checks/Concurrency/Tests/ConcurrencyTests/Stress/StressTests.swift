import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Service: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private final class Needy: Sendable {
    let key: Int
    init(_ key: Int) { self.key = key }
}

/// Concurrent use by many threads and tasks, run in debug, in release and under the thread sanitizer.
///
/// `INJECTLE_STRESS` scales the rounds.
@Suite(.serialized) struct StressTests {
    @Test func `Registrations change while threads resolve`() async {
        let locator = Locator()
        let child = locator.child()
        let log = Tracked.Log()
        let holder = Locator.$shared.withValue(locator) { Optject<Tracked>() }
        let wrong = Counter()
        let rounds = Stress.rounds(5_000)
        await onThreadsAsync(8) { index in
            for round in 0..<rounds {
                switch (index, round % 16) {
                case (0, 0..<8): locator.register(.lazy { Tracked(log) })
                case (0, 8..<12): locator.register(.volatile { Tracked(log) })
                case (0, _): locator.register(.eager(Tracked(log)))
                case (1, 0..<4): locator.unregisterService(Tracked.self)
                case (1, 4..<8): locator.register(.lazy { Service(round) }, key: round % 64)
                case (1, 8..<12): locator.unregisterService(withKey: round % 64)
                case (1, 15) where round % 160 == 15: locator.reset()
                case (2, _):
                    let handle = locator.register(.eager(Service(round)).asSelf(key: "handle"))
                    handle.remove()
                case (3, _):
                    _ = holder()
                    _ = Locator.$shared.withValue(child) { Optject<Tracked>()() }
                case (4, _):
                    _ = try? child.resolveOptional((any Sendable).self, key: round % 64)
                    if locator.registrations.count > 200 { wrong.increment() }
                default:
                    // A read returns a service or nil, and never throws.
                    do throws(InjectleError) {
                        _ = try child.resolveOptional(Tracked.self)
                        _ = try child.resolveOptional(Service.self, key: round % 64)
                    } catch {
                        wrong.increment()
                    }
                }
            }
        }
        #expect(wrong.value == 0)
        locator.reset()
        _ = holder()
        #expect(log.alive == 0)
        #expect(log.created > 0)
    }

    @Test func `A property never mixes two concurrent overrides`() async {
        let root = Locator { $0.register(.volatile { Service(try $0.resolve(Int.self)) }) }
        let overrides = (0..<2).map { number in root.child { $0.register(.eager(number)) } }
        let property = Inject<Service>()
        let wrong = Counter()
        let rounds = Stress.rounds(20_000)
        await onThreadsAsync(2) { index in
            Locator.$shared.withValue(overrides[index]) {
                for _ in 0..<rounds where property().number != index { wrong.increment() }
            }
        }
        #expect(wrong.value == 0)
    }

    @Test(.processWide) func `testUp and testDown during reads`() async {
        Locator.default.register(.eager(Service(1)))
        Locator.test.register(.volatile { Service(2) })
        let property = Inject<Service>()
        let wrong = Counter()
        let rounds = Stress.rounds(5_000)
        await onThreadsAsync(6) { index in
            for round in 0..<rounds {
                if index == 0 {
                    if round % 2 == 0 { Injectle.testUp() } else { Injectle.testDown() }
                } else {
                    if ![1, 2].contains(property().number) { wrong.increment() }
                    if ![1, 2].contains(Inject<Service>()().number) { wrong.increment() }
                }
            }
        }
        Injectle.testDown()
        #expect(wrong.value == 0)
        #expect(property().number == 1)
    }

    @Test func `Threads that wait for each other get errors`() async {
        let rounds = Stress.rounds(1_000)
        let ended = Counter()
        for _ in 0..<rounds {
            let locator = Locator()
            // A ring: each service requires all others.
            for key in 0..<4 {
                locator.register(
                    .lazy(.anywhere) { locator in Needy(try locator.resolve(Needy.self, key: (key + 1) % 4).key) },
                    key: key
                )
            }
            await onThreadsAsync(2) { index in
                do throws(InjectleError) {
                    _ = try locator.resolve(Needy.self, key: index * 2)
                } catch {
                    if error == .circularDependency { ended.increment() }
                }
            }
        }
        #expect(ended.value == rounds * 2)
    }

    @Test func `The main actor and threads never deadlock`() async {
        let rounds = Stress.rounds(300)
        let missing = Counter()
        for _ in 0..<rounds {
            let locator = Locator(mainActorTimeout: .seconds(600))
            locator.register(.lazy(.main) { Service(1) }, key: "main")
            locator.register(.lazy(.anywhere) { [try $0.resolve(Service.self, key: "main")] })
            locator.register(.lazy(.main) { [try $0.resolve([Service].self)] })
            async let onMainActor = MainActor.run { (try? locator.resolve([[Service]].self)) != nil }
            await onThreadsAsync(3) { index in
                if index == 0 {
                    if (try? locator.resolve([[Service]].self)) == nil { missing.increment() }
                } else if (try? locator.resolve([Service].self)) == nil {
                    missing.increment()
                }
            }
            if await !onMainActor { missing.increment() }
        }
        #expect(missing.value == 0)
    }

    @Test func `A replaced service is freed once and not early`() async {
        let locator = Locator()
        let log = Tracked.Log()
        locator.register(.eager(Tracked(log)))
        let property = Locator.$shared.withValue(locator) { Inject<Tracked>() }
        let isDone = Guarded(false)
        let rounds = Stress.rounds(20_000)
        let most = Guarded(0)
        await onThreadsAsync(3) { index in
            if index == 0 {
                for _ in 0..<rounds {
                    locator.register(.eager(Tracked(log)))
                    most.withLock { $0 = max($0, log.alive) }
                }
                isDone.withLock { $0 = true }
            } else {
                while !isDone.value {
                    for _ in 0..<100 {
                        withExtendedLifetime(index == 1 ? property() : try? locator.resolve(Tracked.self)) {}
                    }
                }
            }
        }
        // One is registered, one is about to be, and each reader may retain one.
        #expect(most.value <= 6)
        #expect(log.created == rounds + 1)
        locator.reset()
        #expect(log.alive == 0)
    }

    @Test func `A replaced volatile closure is freed once and not early`() async {
        let locator = Locator()
        let child = locator.child()
        let log = Tracked.Log()
        let wrong = Counter()

        @Sendable func register() {
            // Captures must outlive the running closure, and otherwise end with the registration.
            let tracked = Tracked(log)
            locator.register(
                .volatile(.anywhere) { resolver in
                    if try resolver.resolveOptional(Service.self) == nil { wrong.increment() }
                    return withExtendedLifetime(tracked) { Needy(1) }
                }
            )
        }

        locator.register(.volatile(.anywhere) { Service(1) })
        register()
        let isDone = Guarded(false)
        let rounds = Stress.rounds(10_000)
        await onThreadsAsync(3) { index in
            if index == 0 {
                for _ in 0..<rounds { register() }
                isDone.withLock { $0 = true }
            } else {
                let asked = index == 1 ? locator : child
                while !isDone.value {
                    for _ in 0..<100 where (try? asked.resolve(Needy.self))?.key != 1 { wrong.increment() }
                }
            }
        }
        #expect(wrong.value == 0)
        #expect(log.created == rounds + 1)
        #expect(log.alive == 1)
        locator.reset()
        #expect(log.alive == 0)
    }

    @Test func `A keyed service is found while entries change`() async {
        let locator = Locator()
        let wrong = Counter()
        locator.register(.eager(Service(0)), key: "key")
        let isDone = Guarded(false)
        let rounds = Stress.rounds(5_000)
        await onThreadsAsync(3) { index in
            if index == 0 {
                for round in 1...rounds {
                    locator.register(.eager(Service(round)), key: "key")
                    // Other entries make the table grow and leave tombstones.
                    locator.register(.eager(Service(-1)), key: round % 500)
                    locator.unregisterService(withKey: (round - 250) % 500)
                }
                isDone.withLock { $0 = true }
            } else {
                var last = 0
                while !isDone.value {
                    // Also resolves by an equal key in other storage.
                    let key = index == 1 ? "key" : String("yek".reversed())
                    guard let service = try? locator.resolve(Service.self, key: key), service.number >= last else {
                        wrong.increment()
                        continue
                    }
                    last = service.number
                }
            }
        }
        #expect(wrong.value == 0)
        #expect((try? locator.resolve(Service.self, key: "key"))?.number == rounds)
    }
}
