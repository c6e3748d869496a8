import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Prototype: NSCopying, Sendable {
    let generation: Int
    init(generation: Int = 0) { self.generation = generation }
    func copy(with zone: NSZone? = nil) -> Any { Prototype(generation: generation + 1) }
}

private final class Impostor: NSCopying, Sendable {
    func copy(with zone: NSZone? = nil) -> Any { "no impostor" }
}

private struct Engine: Sendable { let number: Int }
private final class Body: Sendable {
    let engine: Engine
    init(engine: Engine) { self.engine = engine }
}

private struct ScopeLifetime: Locator.CustomLifetime {
    let scope = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

@Suite struct LifetimeTests {
    private let locator = Locator("lifetimes")
    private let created = Counter()

    @Test func `lazy creates on first use and caches`() throws {
        locator.register(.lazy { [created] in Engine(number: created.increment()) })
        #expect(created.value == 0)
        #expect(try locator.resolve(Engine.self).number == 1)
        #expect(try locator.resolve(Engine.self).number == 1)
        #expect(try locator.child().resolve(Engine.self).number == 1)
    }

    @Test func `volatile creates for each resolve and once per property`() throws {
        locator.register(.volatile { [created] in Engine(number: created.increment()) })
        #expect(try locator.resolve(Engine.self).number == 1)
        #expect(try locator.resolve(Engine.self).number == 2)
        let (first, second) = Locator.$shared.withValue(locator) { (Inject<Engine>(), Inject<Engine>()) }
        let numbers = [first().number, first().number, second().number, first().number]
        #expect(numbers == [3, 3, 4, 3])
    }

    @Test func `factory copies one prototype`() throws {
        locator.register(.factory(Prototype(generation: created.increment() * 10)))
        #expect(created.value == 0)
        let first = try locator.resolve(Prototype.self)
        let second = try locator.resolve(Prototype.self)
        #expect(first !== second)
        #expect(first.generation == 11)
        #expect(second.generation == 11)
        #expect(created.value == 1)
        let property = Locator.$shared.withValue(locator) { Inject<Prototype>() }
        #expect(property() === property())
        #expect(property() !== first)
    }

    @Test func `A copy of another type throws factoryFailed`() {
        locator.register(.factory(Impostor()))
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Impostor.self) }
        #expect(error == .factoryFailed)
    }

    @Test(
        arguments: [
            (.lazy, 1), (.weak, 1), (.perArgument, 1), (.custom(ScopeLifetime()), 1),
            (.composite(.lazy, .perLocator), 1),
            (.composite(.perLocator, .lazy), 1), (.perLocator(named: "lifetimes"), 1), (.volatile, 2), (.graph, 2),
            (.perLocator, 2),
        ] as [(Locator.Lifetime, Int)]
    )
    func `The creating locator provides the dependencies`(lifetime: Locator.Lifetime, number: Int) throws {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.lazy { locator in Body(engine: try locator.resolve()) }.lifetime(lifetime))
        let child = locator.child()
        child.register(.eager(Engine(number: 2)))
        #expect(try child.resolve(Body.self).engine.number == number)
        #expect(try locator.resolve(Body.self).engine.number == 1)
    }

    @Test func `Hooks run in order before the service is returned`() throws {
        locator.register(.eager(5))
        locator.register(
            .lazy { "made" }
                .afterInit { _, service in service += ", first" }
                .afterInit { locator, service in service += ", second with \(try locator.resolve(Int.self))" }
        )
        #expect(try locator.resolve(String.self) == "made, first, second with 5")
    }

    @Test func `A hook that throws leaves nothing behind`() throws {
        struct Unfinished: Error {}
        let attempts = Counter()
        locator.register(.lazy { "made" }.afterInit { _, _ in if attempts.increment() == 1 { throw Unfinished() } })
        let error = #expect(throws: InjectleError.self) { try locator.resolve(String.self) }
        #expect(error?.underlying is Unfinished)
        #expect(try locator.resolve(String.self) == "made")
        #expect(attempts.value == 2)
    }

    @Test func `A hook on an eager service runs once at first use`() throws {
        locator.register(.eager(1).afterInit { [created] _, service in service += created.increment() })
        #expect(created.value == 0)
        #expect(try locator.resolve(Int.self) == 2)
        #expect(try locator.resolve(Int.self) == 2)
    }

    @Test func `A hook of a factory runs on each copy`() throws {
        locator.register(
            .factory(Prototype()).afterInit { [created] _, copy in
                copy = Prototype(generation: copy.generation * 100 + created.increment())
            }
        )
        #expect(try locator.resolve(Prototype.self).generation == 101)
        #expect(try locator.resolve(Prototype.self).generation == 102)
    }

    @Test func `Structures, enumerations, actors and functions are services`() throws {
        enum Mode: Sendable { case fast }
        actor Worker {}
        locator.register(.eager(Engine(number: 1)))
        locator.register(.lazy { Mode.fast })
        locator.register(.lazy { Worker() })
        locator.register(.eager({ (number: Int) in number * 2 }))
        #expect(try locator.resolve(Engine.self).number == 1)
        #expect(try locator.resolve(Mode.self) == .fast)
        #expect(try locator.resolve(Worker.self) === locator.resolve(Worker.self))
        #expect(try locator.resolve(((Int) -> Int).self)(4) == 8)
    }
    // MARK: During the call of a closure

    @Test func `A closure that replaces itself is freed after its call`() throws {
        let (locator, log) = (locator, Tracked.Log())
        func register(_ tracked: Tracked) {
            locator.register(
                .volatile(.anywhere) {
                    locator.register(.volatile { 2 })
                    #expect(log.alive == 1)
                    return withExtendedLifetime(tracked) { 1 }
                }
            )
        }
        register(Tracked(log))
        #expect(try locator.resolve(Int.self) == 1)
        #expect(log.alive == 0)
    }

    @Test func `The last handle may be released during a creation`() throws {
        let handle = Guarded<Locator?>(Locator("short"))
        let tracked = Tracked(Tracked.Log())
        handle.value?.register(
            .volatile(.anywhere) { resolver in
                handle.withLock { $0 = nil }
                return withExtendedLifetime(tracked) { (try? resolver.resolveOptional(Int.self)) == nil }
            }
        )
        _ = try handle.value?.resolve(Bool.self)
        #expect(handle.value == nil)
    }
}
