import Injectle
import InjectleTestSupport
import Testing

private protocol Fruit: Sendable {}
private struct Apple: Fruit, Hashable { var weight = 1 }
private struct Pear: Fruit {}
private final class Juice: Sendable {
    let fruit: any Fruit
    init(_ fruit: any Fruit) { self.fruit = fruit }
}

private final class Engine: Sendable {
    let number: Int
    init(_ number: Int = 0) { self.number = number }
}

private protocol Motor {}
extension Engine: Motor {}

private struct Jam {
    var fruit: (any Fruit)?
    var weight = 0
}

private final class Kitchen: Sendable {
    private let fruit = Inject<any Fruit>()
    var isStocked: Bool { fruit() is Pear }
}

/// All of these are one to a dictionary that goes by the hash.
private struct Colliding: Hashable, Sendable {
    let name: String
    func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

private final class Sieve: Sendable {
    let names: [String]
    init(_ a: Int8, _ b: Int16, _ c: Int32, _ d: Int64, _ e: UInt8, _ f: UInt16, _ g: UInt32) {
        names = ["\(a)", "\(b)", "\(c)", "\(d)", "\(e)", "\(f)", "\(g)"]
    }
}

/// What the two containers among them get wrong: lifetimes, arguments, hierarchy, wiring.
extension SeedDefectTests {

    // MARK: Lifetimes

    @Test func whatIsOfOneResolveDoesNotOutliveIt() throws {
        let log = Tracked.Log()
        locator.register(.lazy { Tracked(log) }.lifetime(.graph))
        locator.register(
            .volatile { locator in
                let (first, second) = (try locator.resolve(Tracked.self), try locator.resolve(Tracked.self))
                return first === second ? 1 : 2
            }
        )
        #expect(try locator.resolve(Int.self) == 1)
        #expect(log.made == 1)
        #expect(log.alive == 0)
    }

    @Test func whatIsOfOneResolveIsNotSharedWithAnotherThread() async {
        let barrier = Barrier(2)
        let locator = locator
        let seen = Guarded<[Engine]>([])
        locator.register(.lazy(.anywhere) { Engine() }.lifetime(.graph))
        locator.register(
            .volatile(.anywhere) { locator in
                let engine = try locator.resolve(Engine.self)
                // Both threads are in the midst of their resolves here.
                barrier.wait()
                return engine === (try locator.resolve(Engine.self)) ? "\(seen.withLock { $0.append(engine) })" : ""
            }
        )
        await onThreadsAsync(2) { _ in _ = try? locator.resolve(String.self) }
        let engines = seen.value
        #expect(engines.count == 2)
        #expect(engines.first !== engines.last)
    }

    @Test func aSingletonIsMadeOnce() async {
        let locator = locator
        let made = Counter()
        locator.register(.lazy(.anywhere) { Engine(made.increment()) })
        await onThreadsAsync(8) { _ in _ = try? locator.resolve(Engine.self) }
        #expect(made.value == 1)
    }

    @Test func instancesPerArgumentMayBeMadeSideBySide() async {
        let locator = locator
        let wrong = Counter()
        locator.register(.lazy(.anywhere) { (_, number: Int) in Engine(number) }.lifetime(.perArgument))
        await onThreadsAsync(8) { index in
            for number in 0..<200 {
                let engine = try? locator.resolve(Engine.self, arguments: number ^ index)
                if engine?.number != number ^ index { wrong.increment() }
            }
        }
        #expect(wrong.value == 0)
    }

    @Test func argumentsWithTheSameHashGetTheirOwnInstances() throws {
        locator.register(
            .lazy { (_, argument: Colliding) in Juice(Apple(weight: argument.name.count)) }.lifetime(.perArgument)
        )
        let one = try locator.resolve(Juice.self, arguments: Colliding(name: "a"))
        let two = try locator.resolve(Juice.self, arguments: Colliding(name: "bb"))
        #expect((one.fruit as? Apple)?.weight == 1)
        #expect((two.fruit as? Apple)?.weight == 2)
        #expect(try locator.resolve(Juice.self, arguments: Colliding(name: "a")) === one)
    }

    @Test func instancesPerArgumentCanBeReleased() throws {
        let log = Tracked.Log()
        locator.register(.lazy { (_, _: Int) in Tracked(log) }.lifetime(.perArgument))
        for number in 0..<100 { _ = try locator.resolve(Tracked.self, arguments: number) }
        try locator.resetInstance(of: Tracked.self, arguments: 7)
        #expect(log.alive == 99)
        try locator.resetInstance(of: Tracked.self)
        #expect(log.alive == 0)
    }

    // MARK: Registering

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

    @Test func anAliasDoesNotSlipPastWhatIsFinal() throws {
        locator.register(.eager(Engine(1)).as((any Motor).self).asSelf().final())
        #expect(throws: InjectleError.self) {
            try locator.register(.eager(Engine(2)).as((any Motor).self, key: "k").as((any Motor).self)) { _, _ throws in
            }
        }
        #expect((try locator.resolve((any Motor).self) as? Engine)?.number == 1)
        #expect(!locator.isRegistered((any Motor).self, key: "k"))
    }

    @Test func whatCannotBeForwardedIsRefusedWhenItIsRegistered() {
        #expect(throws: InjectleError.self) {
            try locator.register(.eager(Apple()).as((any Motor).self)) { _, _ throws in }
        }
        #expect(locator.registrations.isEmpty)
    }

    @Test func forwardingGoesWithArguments() throws {
        locator.register(
            .lazy { (_, number: Int) in Engine(number) }.lifetime(.perArgument).as((any Motor).self).asSelf(
                key: "engine"
            )
        )
        let motor = try locator.resolve((any Motor).self, arguments: 5)
        #expect(try locator.resolve(Engine.self, key: "engine", arguments: 5) === motor as? Engine)
        #expect((motor as? Engine)?.number == 5)
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
        locator.register(hook(.initializer({ Engine(2) }, .graph)), key: 2)
        locator.register(hook(.lazy { (_, number: Int) in Engine(number) }.lifetime(.weak)), key: 3)
        _ = try (locator.resolve(Engine.self, key: 1), locator.resolve(Engine.self, key: 2))
        _ = try locator.resolve(Engine.self, key: 3, arguments: 3)
        #expect(hooked.value == 3)
    }

    // MARK: Cycles

    @Test func theSameTypeWithAnotherArgumentIsNoCycle() throws {
        for lifetime in [Locator.Lifetime.volatile, .graph, .perArgument] {
            locator.register(
                .lazy { (locator, number: Int) in
                    Engine(number == 0 ? 0 : try locator.resolve(Engine.self, arguments: number - 1).number + 1)
                }.lifetime(lifetime)
            )
            #expect(try locator.resolve(Engine.self, arguments: 5).number == 5)
        }
    }

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

    @Test func theSameTypeInATaskThatAFactoryStartedIsNoCycle() async throws {
        let tasks = Guarded<[Task<Int, any Error>]>([])
        locator.register(
            .volatile(.anywhere) { [locator] in
                let number = tasks.withLock { tasks in
                    if tasks.isEmpty { tasks.append(Task { try locator.resolve(Engine.self).number }) }
                    return tasks.count
                }
                return Engine(number)
            }
        )
        #expect(try locator.resolve(Engine.self).number == 1)
        #expect(try await tasks.value[0].value == 1)
    }

    @Test func aServiceThatNeedsItselfIsAnErrorInAnyLifetime() {
        let lifetimes: [Locator.Lifetime] = [
            .lazy, .volatile, .weak, .graph, .perLocator, .perLocator(named: "defects"), .perArgument,
            .composite(.perLocator, .weak),
        ]
        for lifetime in lifetimes {
            locator.register(.lazy { locator in Juice(try locator.resolve(Juice.self).fruit) }.lifetime(lifetime))
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Juice.self) }
            #expect(error?.code == InjectleError.cycle)
            #expect(error?.path.count == 1)
        }
    }

    @Test func `A child may decorate its parent's service`() throws {
        let child = locator.child()
        for lifetime in [Locator.Lifetime.lazy, .volatile, .graph, .perLocator] {
            locator.register(.lazy { Engine(1) }.lifetime(lifetime))
            child.register(
                .lazy { [locator] in Engine(try locator.resolve(Engine.self).number + 1) }.lifetime(lifetime)
            )
            #expect(try child.resolve(Engine.self).number == 2)
        }
        // One registration, made by each locator for itself.
        child.unregisterService(Engine.self)
        locator.register(
            .lazy { [weak locator] resolver in
                let isChild = try resolver.resolveOptional(Apple.self) != nil
                return Engine(isChild ? (try locator?.resolve(Engine.self).number ?? 0) + 1 : 1)
            }.lifetime(.perLocator)
        )
        child.register(.eager(Apple()))
        #expect(try child.resolve(Engine.self).number == 2)
    }

    // MARK: Wiring

    @Test func aChildThatIsFilledHasItsName() throws {
        let child = locator.child("request") { $0.register(.eager(Apple())) }
        locator.register(.lazy { Engine(7) }.lifetime(.perLocator(named: "request")))
        #expect(try child.resolve(Engine.self).number == 7)
        #expect(
            "\(#expect(throws: InjectleError.self) { try child.resolve(Juice.self) }, default: "")".contains(
                "\"request\""
            )
        )
    }

    @Test func anInitializerMayHaveMoreThanFiveParameters() throws {
        locator.register(.eager(Int8(1)))
        locator.register(.eager(Int16(2)))
        locator.register(.eager(Int32(3)))
        locator.register(.eager(Int64(4)))
        locator.register(.eager(UInt8(5)))
        locator.register(.eager(UInt16(6)))
        locator.register(.eager(UInt32(7)))
        locator.register(.initializer(Sieve.init))
        #expect(try locator.resolve(Sieve.self).names == ["1", "2", "3", "4", "5", "6", "7"])
    }

    @Test func anUnownedObjectThatHasGoneIsAnErrorAndNotAnAbort() throws {
        var engine: Engine? = Engine(1)
        locator.register(.eager(unowned: try #require(engine)))
        #expect(try locator.resolve(Engine.self) === engine)
        engine = nil
        #expect(throws: InjectleError.self) { try locator.resolve(Engine.self) }
    }

    @Test func aKeyCountsAlsoWhereArgumentsAreGiven() throws {
        locator.register(.volatile { (_, number: Int) in Engine(number) }, key: "as it is")
        locator.register(.volatile { (_, number: Int) in Engine(-number) }, key: "negative")
        #expect(try locator.resolve(Engine.self, key: "as it is", arguments: 4).number == 4)
        #expect(try locator.resolve(Engine.self, key: "negative", arguments: 4).number == -4)
        #expect(throws: InjectleError.self) { try locator.resolve(Engine.self, key: "absent", arguments: 4) }
    }

    @Test func whatIsInjectedIntoAStructureIsNotLost() throws {
        locator.register(.eager(Pear()), for: (any Fruit).self)
        locator.register(.eager(3), key: "weight")
        locator.register(.lazy { Jam() }.injecting(\.fruit).injecting(\.weight, key: "weight"))
        let jam = try locator.resolve(Jam.self)
        #expect(jam.fruit is Pear)
        #expect(jam.weight == 3)
    }

    @Test func anObjectWithPropertiesMayBeMadeOutsideOfAnyResolve() {
        locator.register(.eager(Pear()), for: (any Fruit).self)
        #expect(Locator.$shared.withValue(locator) { Kitchen().isStocked })
    }

    @Test func anOptionalTypeHeedsItsKeyAndItsArguments() throws {
        locator.register(.eager(Engine(1)))
        locator.register(.eager(Engine(2)), key: "second")
        locator.register(.volatile { (_, number: Int) in Engine(number) }, key: "made")
        #expect(try locator.resolve(Engine?.self, key: "second")?.number == 2)
        #expect(try locator.resolve(Engine?.self, key: "made", arguments: 3)?.number == 3)
        #expect(try locator.resolve(Engine?.self, key: "absent") == nil)
    }

    @Test func anArgumentOfATypeThatConformsIsFound() throws {
        locator.register(.initializer(Juice.init, .volatile))
        #expect(try locator.resolve(Juice.self, arguments: Apple()).fruit is Apple)
        #expect(try locator.resolve(Juice.self, arguments: Locator.Argument<any Fruit>(Pear())).fruit is Pear)
    }

    @Test func whatIsResolvedLaterCarriesItsKeyAndItsArguments() throws {
        locator.register(.volatile { (_, number: Int) in Engine(number) }, key: "k")
        let provider = try locator.resolve(Locator.Provider<Engine>.self, key: "k", arguments: 6)
        let lazy = try locator.resolve(Locator.Lazy<Engine>.self, key: "k", arguments: 7)
        #expect(try provider().number == 6)
        #expect(try provider(8).number == 8)
        #expect(try lazy().number == 7)
    }
}
