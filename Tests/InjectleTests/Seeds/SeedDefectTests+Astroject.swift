import Injectle
import InjectleTestSupport
import Testing

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

private struct Manual: Sendable {}

/// What a container that awaits everything gets wrong, beside what awaits nothing.
extension SeedDefectTests {
    @Test func `Sync and async registrations replace each other`() async throws {
        locator.register(.lazy { await Engine.start(1) })
        locator.register(.lazy { locator in Car(try await locator.resolveAsync()) })
        locator.register(.lazy { Manual() })
        let car = try await locator.resolveAsync(Car.self)
        #expect(try locator.resolve(Engine.self) === car.engine)
        #expect(try locator.resolve(Car.self) === car)
        _ = try locator.resolve(Manual.self)
        #expect(locator.registrations.count == 3)
        // Registering one form replaces the other.
        locator.register(.lazy { Engine(2) })
        #expect(try locator.resolve(Engine.self).number == 2)
        locator.register(.lazy { await Engine.start(3) })
        #expect(try await locator.resolveAsync(Engine.self).number == 3)
        #expect(locator.registrations.count == 3)
    }

    @Test func whatDoesNotAwaitIsFoundByWhoAwaits() async throws {
        locator.register(.lazy { Engine(1) })
        locator.register(.volatile { (_, number: Int) in Engine(number) })
        locator.register(.lazy { locator in Car(try await locator.resolveAsync()) })
        #expect(try await locator.resolveAsync(Engine.self) === locator.resolve(Engine.self))
        #expect(try await locator.resolveAsync(Engine.self, arguments: 7).number == 7)
        #expect(try await locator.resolveAsync(Car.self).engine.number == 1)
        #expect(try await locator.resolveOptionalAsync(Engine.self, key: "absent") == nil)
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
                #expect(error?.code == InjectleError.requiresAsync)
                #expect(error?.identity.type == Engine.self)
            }
        }
    }

    @Test(arguments: [Locator.Lifetime.lazy, .weak, .perLocator, .perArgument, .composite(.weak, .perLocator)])
    func `Eight tasks share one async instance`(lifetime: Locator.Lifetime) async throws {
        let (locator, made, goOn) = (locator, Counter(), Signal())
        locator.register(
            .lazy {
                await goOn.reached()
                return Engine(made.increment())
            }.lifetime(lifetime)
        )
        var tasks: [Task<Engine, any Error>] = []
        for _ in 0..<8 { tasks.append(await Desk.begin { _ in try await locator.resolveAsync(Engine.self) }) }
        goOn.set()
        let first = try await tasks[0].value
        for task in tasks { #expect(try await task.value === first) }
        #expect(made.value == 1)
    }

    @Test func eightTasksThatShareOneResolveGetOneInstance() async throws {
        let made = Counter()
        locator.register(.lazy { await Engine.start(made.increment()) }.lifetime(.graph))
        locator.register(
            .volatile { locator in
                try await withThrowingTaskGroup(of: Engine.self) { group in
                    for _ in 0..<8 { group.addTask { try await locator.resolveAsync() } }
                    return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert(ObjectIdentifier($1)) }
                        .count
                }
            }
        )
        #expect(try await locator.resolveAsync(Int.self) == 1)
        #expect(made.value == 1)
    }

    @Test func cancellationIsNotReportedAsAFailureOfTheFactory() async throws {
        let (locator, begun, attempts) = (locator, Signal(), Counter())
        locator.register(
            .lazy {
                guard attempts.increment() == 1 else { return Engine(2) }
                begun.set()
                let cancelled = Signal()
                await withTaskCancellationHandler {
                    await cancelled.reached()
                } onCancel: {
                    cancelled.set()
                }
                try Task.checkCancellation()
                return Engine(1)
            }
        )
        locator.register(.lazy { locator in Car(try await locator.resolveAsync()) })
        let task = await Desk.begin { _ in try await locator.resolveAsync(Car.self) }
        await begun.reached()
        task.cancel()
        let error = await #expect(throws: InjectleError.self) { try await task.value }
        #expect(error?.code == InjectleError.cancelled)
        #expect(error?.underlying is CancellationError)
        // And it is nobody else's.
        #expect(try await locator.resolveAsync(Car.self).engine.number == 2)
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
        for _ in 0..<4 { tasks.append(await Desk.begin { _ in try await locator.resolveAsync(Car.self) }) }
        goOn.set()
        for task in tasks { #expect(try await task.value.engine.number == 1) }
    }

    @Test func aServiceThatNeedsItselfInATaskIsAnError() async {
        let lifetimes: [Locator.Lifetime] = [
            .lazy, .volatile, .weak, .graph, .perLocator, .perArgument, .composite(.perLocator, .weak),
        ]
        for lifetime in lifetimes {
            locator.register(
                .lazy { locator in Car(try await locator.resolveAsync(Car.self).engine) }.lifetime(lifetime)
            )
            let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Car.self) }
            #expect(error?.code == InjectleError.cycle)
            #expect(error?.path == [ServiceKey(Car.self)])
        }
    }
}
