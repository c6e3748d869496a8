import Injectle
import InjectleTestSupport
import Testing

private struct Failed: Error {}

private struct CountingModule: Locator.Module {
    let counts: [Counter]
    func willRegister(in locator: Locator) { counts[0].increment() }

    func register(in locator: Locator) {
        counts[1].increment()
        locator.register(.eager("registered"))
    }

    func didRegister(in locator: Locator) { counts[2].increment() }
}

private final class Fare: Sendable {
    let name: String
    let tracked: Tracked?
    init(_ name: String, _ log: Tracked.Log? = nil) {
        self.name = name
        tracked = log.map(Tracked.init)
    }
}

private final class Planner: Sendable {
    let fare: Fare
    init(fare: Fare) { self.fare = fare }
}

private final class Screen {
    @Inject var fare: Fare
}

/// Modules while other threads use the locator.
@Suite struct ModuleConcurrencyTests {
    private let locator = Locator("module threads", mainActorTimeout: .seconds(600))
    private let log = Tracked.Log()

    /// Applies, on a new thread, a module that runs `body`, then `other` on another thread, and fails.
    private func fail(
        _ body: @escaping @Sendable (Locator) throws -> Void,
        while other: @escaping @Sendable (Locator) -> Void
    ) async {
        await onAnotherThread { [locator] in
            let module = ClosureModule { locator in
                try body(locator)
                onThreads(1) { _ in other(locator) }
                throw Failed()
            }
            #expect(throws: Failed.self) { try locator.apply(module) }
        }
    }

    // MARK: Serialization

    @Test func `Concurrent threads apply the same module once`() async {
        for _ in 0..<200 {
            let locator = Locator()
            let counts = [Counter(), Counter(), Counter()]
            await onThreadsAsync(4) { _ in
                #expect(throws: Never.self) { try locator.apply(CountingModule(counts: counts)) }
                #expect(locator.isRegistered(String.self))
            }
            #expect(counts.map(\.value) == [1, 1, 1])
        }
    }

    @Test func `Modules of several threads are applied one after the other`() async {
        let (inside, most) = (Guarded(0), Guarded(0))
        await onThreadsAsync(4) { [locator] index in
            for round in 0..<50 {
                let module = ClosureModule(id: index * 50 + round) { locator in
                    let now = inside.withLock { count in
                        count += 1
                        return count
                    }
                    most.withLock { $0 = max($0, now) }
                    locator.register(.eager(index), key: round)
                    inside.withLock { $0 -= 1 }
                }
                #expect(throws: Never.self) { try locator.apply(module) }
            }
        }
        #expect(most.value == 1)
        #expect(locator.registrations.count == 50)
    }

    @Test func `A thread that waited for a failed module applies its own`() async throws {
        let (begun, calls) = (Signal(), Counter())
        await onThreadsAsync(2) { [locator] index in
            if index == 1 { begun.wait() }
            let module = ClosureModule { locator in
                locator.register(.eager(index))
                guard calls.increment() == 1 else { return }
                begun.set()
                throw Failed()
            }
            if index == 0 {
                #expect(throws: Failed.self) { try locator.apply(module) }
            } else {
                #expect(throws: Never.self) { try locator.apply(module) }
            }
        }
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func `Modules that wait for each other throw deadlock`() async {
        let (other, both) = (Locator("other"), Barrier(2))
        let errors = Guarded<[InjectleError]>([])
        await onThreadsAsync(2) { [locator] index in
            let own = index == 0 ? [locator, other] : [other, locator]
            let module = ClosureModule(id: "outer \(index)") { _ in
                both.wait()
                try own[1].apply(ClosureModule(id: "inner") { $0.register(.eager(index), key: "inner") })
            }
            do { try own[0].apply(module) } catch {
                errors.withLock { $0.append(contentsOf: [error as? InjectleError].compactMap(\.self)) }
            }
        }
        #expect(errors.value == [InjectleError.deadlock])
        #expect(
            errors.value.first?.description.contains("where another thread applies modules and waits for this one")
                == true
        )
        // The failed module left nothing; the other one succeeded.
        #expect(locator.registrations.count + other.registrations.count == 1)
    }

    /// The phase runs on the main thread, which serves the factory's request for an `Int` only while it waits for it.
    @Test @MainActor func `A factory that waits for a phase that waits for it throws deadlock`() async {
        let (begun, goOn) = (Signal(), Signal())
        locator.register(.lazy(.main) { 1 })
        locator.register(
            .lazy(.anywhere) { [locator] resolver in
                begun.set()
                goOn.wait()
                _ = try resolver.resolve(Int.self)
                try locator.apply(ClosureModule(id: "inner") { $0.register(.eager("inner")) })
                return Fare("made")
            }
        )
        async let creator = onAnotherThread { [locator] in thrown { try locator.resolve(Fare.self) } }
        await begun.reached()
        let module = ClosureModule { locator throws in
            goOn.set()
            _ = try locator.resolve(Fare.self)
        }
        let phase = thrown { try locator.apply(module) }
        #expect(await creator == .deadlock)
        #expect(phase == .deadlock)
    }

    /// The factory runs on the main thread, which serves the phase's request for an `Int` only while it waits for it.
    @Test @MainActor func `A phase that waits for a factory that waits for it throws deadlock`() async throws {
        let begun = Signal()
        locator.register(.lazy(.main) { 1 })
        locator.register(
            .lazy(.anywhere) { [locator] in
                try locator.apply(ClosureModule(id: "inner") { $0.register(.eager("inner")) })
                return Fare("made")
            }
        )
        let goOn = Signal()
        async let phase = onAnotherThread { [locator] in
            let module = ClosureModule { locator throws in
                begun.set()
                goOn.wait()
                _ = try locator.resolve(Int.self)
                _ = try locator.resolve(Fare.self)
            }
            return thrown { try locator.apply(module) }
        }
        await begun.reached()
        goOn.set()
        #expect(try locator.resolve(Fare.self).name == "made")
        #expect(await phase == .deadlock)
        #expect(try locator.resolve(String.self) == "inner")
    }

    @Test @MainActor func `A phase may use the main actor that waits for it`() async throws {
        let (begun, goOn, ended) = (Signal(), Signal(), Signal())
        locator.register(.lazy(.main) { Fare("main") })
        Task.detached { [locator] in
            await onAnotherThread {
                let module = ClosureModule(id: "first") { locator throws in
                    begun.set()
                    goOn.wait()
                    #expect(try locator.resolve(Fare.self).name == "main")
                    locator.register(.eager(1))
                }
                #expect(throws: Never.self) { try locator.apply(module) }
            }
            ended.set()
        }
        await begun.reached()
        goOn.set()
        try locator.apply(ClosureModule(id: "second") { locator throws in #expect(try locator.resolve(Int.self) == 1) })
        await ended.reached()
    }

    // MARK: Concurrent changes

    @Test func `A rollback keeps registrations of other threads`() async throws {
        locator.register(.eager(Fare("old")))
        await fail {
            $0.register(.eager(Fare("new")))
        } while: { locator in
            locator.register(.eager(1))
            locator.register(.eager(2), key: "key")
        }
        #expect(try locator.resolve(Fare.self).name == "old")
        #expect(try locator.resolve(Int.self) == 1)
        #expect(try locator.resolve(Int.self, key: "key") == 2)
    }

    @Test(arguments: [nil, "key"] as [String?])
    func `A registration of another thread wins over the rollback`(key: String?) async throws {
        for removes in [false, true] {
            locator.register(.lazy { [log] in Fare("old", log) }, for: Fare.self, key: key)
            let property = Locator.$shared.withValue(locator) { key.map { Inject<Fare>($0) } ?? Inject<Fare>() }
            #expect(property().name == "old")
            let gone = log.released
            await fail {
                if removes {
                    $0.unregister(Fare.self, key: key)
                } else {
                    $0.register(.eager(Fare("new")), for: Fare.self, key: key)
                }
            } while: {
                $0.register(.eager(Fare("other")), for: Fare.self, key: key)
            }
            #expect(property().name == "other")
            #expect(log.released == gone + 1)
            #expect(locator.registrations.count == 1)
        }
    }

    @Test func `A rollback restores the latest registration of another thread`() async throws {
        locator.register(.eager(1), key: "key")
        await onAnotherThread { [locator] in
            let module = ClosureModule { locator in
                locator.unregisterService(withKey: "key")
                onThreads(1) { _ in locator.register(.eager(2), key: "key") }
                locator.unregisterService(withKey: "key")
                throw Failed()
            }
            #expect(throws: Failed.self) { try locator.apply(module) }
        }
        #expect(try locator.resolve(Int.self, key: "key") == 2)
        #expect(locator.registrations.count == 1)
    }

    @Test func `A rollback keeps removals of other threads`() async {
        locator.register(.lazy { [log] in Fare("old", log) }.asSelf().as(Fare.self, key: "key"))
        #expect(throws: Never.self) { try locator.resolve(Fare.self) }
        locator.register(.eager(1))
        await fail {
            $0.unregisterService(Fare.self)
        } while: { locator in
            locator.unregisterService(Int.self)
            locator.unregisterService(withKey: "key")
        }
        // One identity remains, and its instance with it.
        #expect(locator.registrations.map(\.identity) == [Locator.Identity(Fare.self)])
        #expect(locator.registrations.map(\.isCreated) == [true])
        #expect(throws: Never.self) { try locator.resolve(Fare.self) }
        #expect(log.created == 1)
    }

    @Test func `A rollback keeps the reset of another thread`() async {
        locator.register(.lazy { [log] in Fare("old", log) })
        #expect(throws: Never.self) { try locator.resolve(Fare.self) }
        await fail {
            $0.unregisterService(Fare.self)
            $0.register(.eager(1))
        } while: {
            $0.reset()
        }
        #expect(locator.registrations.isEmpty)
        #expect(log.alive == 0)
    }

    @Test func `A rollback keeps instances that other threads created`() async throws {
        locator.register(.lazy { [log] in Fare("old", log) })
        let kept = Guarded<Fare?>(nil)
        await fail { _ in
        } while: { locator in
            kept.withLock { $0 = try? locator.resolve(Fare.self) }
        }
        #expect(try locator.resolve(Fare.self) === kept.value)
        #expect(log.created == 1)
    }

    @Test func `A rollback discards main actor instances created by a phase`() async throws {
        locator.register(.eager(Fare("old")))
        locator.register(.lazy(.main) { Planner(fare: try $0.resolve()) })
        await fail { locator throws in
            locator.register(.eager(Fare("new")))
            #expect(try locator.resolve(Planner.self).fare.name == "new")
        } while: { _ in
        }
        let name = try await MainActor.run { try locator.resolve(Planner.self).fare.name }
        #expect(name == "old")
    }

    @Test func `A task that outlives its phase is not rolled back`() async throws {
        let (task, goOn) = (Guarded<Task<Void, Never>?>(nil), Signal())
        await fail { locator in
            task.withLock {
                $0 = Task {
                    await goOn.reached()
                    locator.register(.eager(1))
                    #expect(throws: Never.self) {
                        try locator.apply(ClosureModule(id: "later") { $0.register(.eager("later")) })
                    }
                }
            }
        } while: { _ in
        }
        goOn.set()
        await task.value?.value
        #expect(try locator.resolve(Int.self) == 1)
        #expect(try locator.resolve(String.self) == "later")
    }

    @Test func `A task of an inner phase belongs to the outer phases`() async throws {
        locator.register(.lazy { [log] in Fare("own", log) }.lifetime(.perLocator))
        await onAnotherThread { [locator] in
            let (goOn, created) = (Signal(), Signal())
            let inner = ClosureModule { _ in
                Task {
                    await goOn.reached()
                    #expect(throws: Never.self) { try locator.resolve(Fare.self) }
                    created.set()
                }
            }
            let outer = ClosureModule { _ in
                try Locator().apply(inner)
                goOn.set()
                created.wait()
                throw Failed()
            }
            #expect(throws: Failed.self) { try locator.apply(outer) }
        }
        #expect(log.created == 1)
        #expect(locator.registrations.map(\.isCreated) == [false])
    }

    // MARK: Many at once

    @Test func `Readers see the old or new service during rollbacks`() async throws {
        locator.register(.lazy { [log] in Fare("old", log) }, for: Fare.self)
        locator.register(.lazy { [log] in Fare("old", log) }, key: "key")
        locator.register(.lazy { Planner(fare: try $0.resolve()) }.lifetime(.perLocator))
        let old = try locator.resolve(Fare.self)
        let oldOfKey = try locator.resolve(Fare.self, key: "key")
        let seen = Guarded<Set<String>>([])
        await onThreadsAsync(4) { [locator, log] index in
            let screen = Locator.$shared.withValue(locator) { Screen() }
            for round in 0..<100 {
                if index == 0 {
                    let module = ClosureModule { locator in
                        locator.register(.lazy(.anywhere) { Fare("new", log) })
                        locator.unregisterService(withKey: "key")
                        locator.register(.lazy(.anywhere) { Fare("new", log) }, key: "key")
                        _ = (try locator.resolve(Planner.self), screen.fare)
                        if round % 10 == 0 { locator.reset() }
                        throw Failed()
                    }
                    #expect(throws: Failed.self) { try locator.apply(module) }
                } else if index == 1 {
                    locator.register(.eager(round), key: round % 3)
                    locator.unregisterService(withKey: round % 5)
                } else {
                    var names: [String?] = []
                    names.append(try? locator.resolve(Fare.self).name)
                    names.append(try? locator.resolve(Fare.self, key: "key").name)
                    names.append(try? locator.resolve(Planner.self).fare.name)
                    seen.withLock { $0.formUnion(names.compactMap(\.self)) }
                }
            }
        }
        #expect(seen.value.isSubset(of: ["old", "new"]))
        #expect(try locator.resolve(Fare.self) === old)
        #expect(try locator.resolve(Fare.self, key: "key") === oldOfKey)
        locator.reset()
        #expect(log.alive == 2)
    }
}
