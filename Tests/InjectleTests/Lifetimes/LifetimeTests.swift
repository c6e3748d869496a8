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
private struct Body: Sendable { let engine: Engine }

@Suite struct LifetimeTests {
    private let locator = Locator("lifetimes")
    private let created = Counter()

    @Test func `eager returns the given instance`() throws {
        let log = Tracked.Log()
        let tracked = Tracked(log)
        locator.register(.eager(tracked))
        #expect(try locator.resolve(Tracked.self) === tracked)
        #expect(log.created == 1)
    }

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

    @Test func `A lazy service of a parent uses the parent's dependencies`() throws {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.lazy { locator in Body(engine: try locator.resolve()) })
        let child = locator.child()
        child.register(.eager(Engine(number: 2)))
        #expect(try child.resolve(Body.self).engine.number == 1)
    }

    @Test func `A volatile service of a parent uses the child's dependencies`() throws {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.volatile { locator in Body(engine: try locator.resolve()) })
        let child = locator.child()
        child.register(.eager(Engine(number: 2)))
        #expect(try child.resolve(Body.self).engine.number == 2)
        #expect(try locator.resolve(Body.self).engine.number == 1)
    }

    @Test func `A resolver resolves optional dependencies`() throws {
        locator.register(.volatile { locator in "\(try locator.resolveOptional(Int.self, key: "k") ?? 0)" })
        #expect(try locator.resolve(String.self) == "0")
        locator.register(.eager(7), key: "k")
        #expect(try locator.resolve(String.self) == "7")
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

    /// A type whose size and stride differ.
    struct Padded: Equatable, Sendable {
        var wide: SIMD4<Float> = [1, 2, 3, 4]
        var narrow = true
    }

    @Test func `A structure with padding is copied completely`() throws {
        locator.register(.lazy { Padded() }.asSelf().asSelf(key: "key"))
        locator.register(.volatile { Padded() }.as((any Sendable).self))
        #expect(try locator.resolve(Padded.self, key: "key") == Padded())
        #expect(try locator.resolve(Padded.self) == Padded())
        #expect(try locator.resolve((any Sendable).self) as? Padded == Padded())
        let kept = Locator.$shared.withValue(locator) { Injected<Padded>(resolve: .lazy) }
        let read = Locator.$shared.withValue(locator) { Inject<Padded>("key") }
        for _ in 0..<3 {
            #expect(kept() == Padded())
            #expect(read() == Padded())
        }
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
}
