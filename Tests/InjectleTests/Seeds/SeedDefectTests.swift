import Injectle
import InjectleTestSupport
import Testing

private struct Box<Content>: Sendable { let name: String }
private struct User: Sendable { let name: String }
private final class DeLorean: Sendable {}
private struct Apple: Sendable { var weight = 1 }

private final class Engine: Sendable {
    let number: Int
    init(_ number: Int = 0) { self.number = number }

    static func start(_ number: Int = 0) async -> Engine {
        await Task.yield()
        return Engine(number)
    }
}

private final class Car: Sendable {
    let engine: Engine
    init(_ engine: Engine) { self.engine = engine }
}

/// Defects of the libraries that this one succeeds, where no feature's suite has the test already.
@Suite struct SeedDefectTests {
    private let locator = Locator("defects")

    // MARK: Keys and properties

    @Test func `A key may contain angle brackets`() throws {
        locator.registerSingleton(User(name: "keyed"), forKey: "Box<User>")
        locator.registerSingleton(Box<User>(name: "box"))
        locator.registerSingleton(User(name: "odd"), forKey: "<")
        #expect(try locator.resolve(User.self, key: "Box<User>").name == "keyed")
        #expect(try locator.resolve(Box<User>.self).name == "box")
        #expect(try locator.resolve(User.self, key: "<").name == "odd")
    }

    @Test func `One key serves several types`() throws {
        locator.register(.eager(User(name: "user")), key: "main")
        locator.register(.eager(Box<Int>(name: "box")), key: "main")
        #expect(try locator.resolve(User.self, key: "main").name == "user")
        #expect(try locator.resolve(Box<Int>.self, key: "main").name == "box")
    }

    /// A locator with a record for each property would search or grow with them. The test counts key comparisons
    /// instead of time: each read compares one key.
    @Test func `A read costs the same for ten thousand properties`() throws {
        locator.register(.lazy { DeLorean() })
        let lookups = Counter()
        let properties = Locator.$shared.withValue(locator) {
            (0..<10_000).map { _ in Inject<DeLorean>(CountingKey(lookups)) }
        }
        locator.register(.lazy { DeLorean() }, key: CountingKey(lookups))
        let (first, last) = (properties[0], properties[9_999])
        for property in [first, last] { for _ in 0..<2 { _ = property() } }
        let before = lookups.value
        for _ in 0..<100 { _ = first() }
        let afterFirst = lookups.value
        for _ in 0..<100 { _ = last() }
        #expect(afterFirst - before == 100)
        #expect(lookups.value - afterFirst == 100)
    }

    @Test func `An Optject set to nil before registration stays nil`() {
        let car = Locator.$shared.withValue(locator) { Optject<DeLorean>() }
        car.wrappedValue = nil
        locator.registerSingleton(DeLorean())
        #expect(car() == nil)
    }

    // MARK: Registrations and hooks

    @Test func `One of several concurrent final registrations wins`() async {
        let winners = Counter()
        let rounds = 200
        let barrier = Barrier(2)
        let round = Guarded(Locator())
        await onThreadsAsync(2) { index in
            for _ in 0..<rounds {
                if index == 0 { round.withLock { $0 = Locator() } }
                barrier.wait()
                let locator = round.value
                if (try? locator.register(.eager(Engine(index)).final(), and: forbidReassignment)) != nil {
                    winners.increment()
                }
                barrier.wait()
            }
        }
        #expect(winners.value == rounds)
    }

    @Test func `No caller sees a service before its hooks ran`() async {
        let (begun, goOn) = (Signal(), Signal())
        let locator = locator
        locator.register(
            .lazy(.anywhere) { Apple() }.afterInit { _, apple in
                begun.set()
                goOn.wait()
                apple.weight = 100
            }
        )
        async let first = onAnotherThread { try? locator.resolve(Apple.self).weight }
        await begun.reached()
        async let second = onAnotherThread {
            goOn.set()
            return try? locator.resolve(Apple.self).weight
        }
        #expect(await first == 100)
        #expect(await second == 100)
    }

    @Test func `Hooks apply to every registration form`() throws {
        let hooked = Counter()
        func hook<Service>(_ registration: Locator.Registration<Service>) -> Locator.Registration<Service> {
            registration.afterInit { _, _ in hooked.increment() }
        }
        locator.register(hook(.eager(Engine(1))), key: 1)
        locator.register(hook(.initializer({ Engine(2) }).lifetime(.graph)), key: 2)
        locator.register(hook(.lazy { (_, number: Int) in Engine(number) }.lifetime(.weak)), key: 3)
        _ = try (locator.resolve(Engine.self, key: 1), locator.resolve(Engine.self, key: 2))
        _ = try locator.resolve(Engine.self, key: 3, arguments: 3)
        #expect(hooked.value == 3)
    }

    // MARK: Circular dependencies

    @Test func `One registration in two locators is not a cycle`() throws {
        let other = Locator("other")
        let registration = Locator.Registration<Engine>.volatile { locator in
            Engine(try locator.resolveOptional(Apple.self) == nil ? 1 : try other.resolve(Engine.self).number + 1)
        }
        locator.register(.eager(Apple()))
        locator.register(registration)
        other.register(registration)
        #expect(try locator.resolve(Engine.self).number == 2)
    }

    @Test(arguments: [Locator.Lifetime.lazy, .volatile, .graph, .perLocator])
    func `A child may decorate its parent's service`(lifetime: Locator.Lifetime) throws {
        let child = locator.child()
        locator.register(.lazy { Engine(1) }.lifetime(lifetime))
        child.register(
            .lazy { [locator] in Engine(try locator.resolve(Engine.self).number + 1) }.lifetime(lifetime)
        )
        #expect(try child.resolve(Engine.self).number == 2)
    }

    // MARK: Async services

    @Test func `Sync and async registrations replace each other`() async throws {
        locator.register(.lazy { await Engine.start(1) })
        locator.register(.lazy { locator in Car(try await locator.resolveAsync()) })
        let car = try await locator.resolveAsync(Car.self)
        #expect(try locator.resolve(Engine.self) === car.engine)
        #expect(try locator.resolve(Car.self) === car)
        locator.register(.lazy { Engine(2) })
        #expect(try locator.resolve(Engine.self).number == 2)
        locator.register(.lazy { await Engine.start(3) })
        #expect(try await locator.resolveAsync(Engine.self).number == 3)
        #expect(locator.registrations.count == 2)
    }

    @Test func `A synchronous resolve of an async service throws in every form`() throws {
        locator.register(.lazy { await Engine.start() })
        locator.register(.volatile { (_, number: Int) in await Engine.start(number) })
        locator.register(.lazy { locator in Car(try locator.resolve()) })
        for _ in 0..<2 {
            let errors = [
                #expect(throws: InjectleError.self) { try locator.resolve(Engine.self) },
                #expect(throws: InjectleError.self) { try locator.resolve(Engine.self, arguments: 1) },
                #expect(throws: InjectleError.self) { try locator.resolve(Car.self) },
                #expect(throws: InjectleError.self) { try locator.resolveOptional(Engine.self) },
            ]
            for error in errors {
                #expect(error == .requiresAsync)
                #expect(error?.identity?.type == Engine.self)
            }
        }
    }

    @Test(arguments: [Locator.Lifetime.lazy, .weak, .perLocator, .perArgument, .composite(.weak, .perLocator)])
    func `Eight tasks share one async instance`(lifetime: Locator.Lifetime) async throws {
        let (locator, created, goOn) = (locator, Counter(), Signal())
        locator.register(
            .lazy {
                await goOn.reached()
                return Engine(created.increment())
            }.lifetime(lifetime)
        )
        var tasks: [Task<Engine, any Error>] = []
        for _ in 0..<8 { tasks.append(await ProbeActor.startTask { _ in try await locator.resolveAsync(Engine.self) }) }
        goOn.set()
        let first = try await tasks[0].value
        for task in tasks { #expect(try await task.value === first) }
        #expect(created.value == 1)
    }

    @Test func `Concurrent resolves of one dependency are not a cycle`() async throws {
        let (locator, goOn) = (locator, Signal())
        locator.register(
            .lazy {
                await goOn.reached()
                return Engine(1)
            }
        )
        locator.register(.volatile { locator in Car(try await locator.resolveAsync()) })
        var tasks: [Task<Car, any Error>] = []
        for _ in 0..<4 { tasks.append(await ProbeActor.startTask { _ in try await locator.resolveAsync(Car.self) }) }
        goOn.set()
        for task in tasks { #expect(try await task.value.engine.number == 1) }
    }
}

/// A key that counts its hashes and comparisons.
private struct CountingKey: Hashable, Sendable {
    let counter: Counter

    init(_ counter: Counter) { self.counter = counter }

    static func == (left: CountingKey, right: CountingKey) -> Bool {
        left.counter.increment()
        return left.counter === right.counter
    }

    func hash(into hasher: inout Hasher) { counter.increment() }
}
