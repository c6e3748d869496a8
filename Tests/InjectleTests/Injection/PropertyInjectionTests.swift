import Injectle
import InjectleTestSupport
import Testing

private struct Light: Equatable, Sendable { var watts = 0 }
private struct Door: Equatable, Sendable { var width = 0 }

private protocol Parking {
    var light: Light { get set }
    var door: Door? { get set }
}

private struct Shed: Parking, Equatable, Sendable {
    var light = Light()
    var door: Door?
}

private final class Garage: Parking {
    var light = Light() { didSet { log.append("light") } }
    var door: Door? { didSet { log.append("door") } }
    var unwrapped: Light! { didSet { log.append("unwrapped") } }
    private(set) var log: [String] = []
    init() {}
}

/// Properties that are injected before the service is returned.
@Suite struct PropertyInjectionTests {
    private let locator = Locator("injecting")
    private let created = Counter()

    init() {
        locator.register(.eager(Light(watts: 60)))
        locator.register(.eager(Light(watts: 100)), key: "bright")
    }

    // MARK: Kinds of services and properties

    @Test(arguments: [Locator.Lifetime.lazy, .volatile, .graph, .perLocator, .perArgument])
    func `A property of a structure is set in every lifetime`(lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { Shed() }.lifetime(lifetime).injecting(\.light).asSelf().as((any Parking).self))
        let property = Locator.$shared.withValue(locator) { Inject<Shed>() }
        for _ in 0..<2 {
            #expect(try locator.resolve(Shed.self).light.watts == 60)
            #expect(try locator.resolve((any Parking).self).light.watts == 60)
            #expect(property().light.watts == 60)
        }
    }

    @Test func `Properties of an eager structure are set on first use`() throws {
        locator.register(.eager(Shed()).injecting(\.light).injectingIfPresent(\.door))
        locator.register(.eager(Door(width: 2)))
        #expect(try locator.resolve(Shed.self) == Shed(light: Light(watts: 60), door: Door(width: 2)))
    }

    @Test func `An optional property receives the wrapped service`() throws {
        locator.register(.eager(Door(width: 2)))
        locator.register(.lazy { Garage() }.injecting(\.door).injecting(\.unwrapped))
        let garage = try locator.resolve(Garage.self)
        #expect(garage.door == Door(width: 2))
        #expect(garage.unwrapped == Light(watts: 60))
    }

    @Test func `A property of a protocol type is set`() throws {
        locator.register(.lazy { Shed() }.injecting(\.light).injectingIfPresent(\.door), for: (any Parking).self)
        #expect(try locator.resolve((any Parking).self).light.watts == 60)
        locator.register(.lazy { Garage() }.injecting(\.light), for: (any Parking).self)
        #expect(try locator.resolve((any Parking).self).light.watts == 60)
    }

    @Test func `A key selects the injected service`() throws {
        locator.register(.lazy { Garage() }.injecting(\.light, key: "bright").injecting(\.unwrapped, key: "bright"))
        let garage = try locator.resolve(Garage.self)
        #expect(garage.light.watts == 100)
        #expect(garage.unwrapped.watts == 100)
    }

    // MARK: Missing services

    @Test func `A missing dependency throws and nothing is cached`() throws {
        locator.register(
            .lazy { [created] in
                created.increment()
                return Garage()
            }.injecting(\.door)
        )
        for _ in 0..<2 { #expect(thrown { _ = try locator.resolve(Garage.self) } == .missing) }
        #expect(created.value == 2)
        locator.register(.eager(Door(width: 2)))
        #expect(try locator.resolve(Garage.self).door == Door(width: 2))
        #expect(created.value == 3)
    }

    @Test func `A discarded instance is freed`() {
        let log = Tracked.Log()
        struct Holder: Sendable {
            let tracked: Tracked
            var door: Door?
        }
        locator.register(.lazy { Holder(tracked: Tracked(log)) }.injecting(\.door))
        #expect(thrown { _ = try locator.resolve(Holder.self) } == .missing)
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A missing optional dependency leaves the property unchanged`() throws {
        locator.register(.volatile { Shed(door: Door(width: 1)) }.injectingIfPresent(\.door))
        #expect(try locator.resolve(Shed.self).door == Door(width: 1))
        locator.register(.eager(Door(width: 2)))
        #expect(try locator.resolve(Shed.self).door == Door(width: 2))
    }

    @Test func `A failing optional dependency is an error`() {
        struct Stuck: Error {}
        locator.register(.lazy { Shed() }.injectingIfPresent(\.door))
        locator.register(.lazy { () throws -> Door in throw Stuck() })
        #expect(thrown { _ = try locator.resolve(Shed.self) } == .factoryFailed)
    }

    // MARK: Timing

    @Test func `Properties are set in order`() throws {
        locator.register(.eager(Door()))
        locator.register(.volatile { Garage() }.injecting(\.unwrapped).injectingIfPresent(\.door).injecting(\.light))
        #expect(try locator.resolve(Garage.self).log == ["unwrapped", "door", "light"])
        locator.register(.volatile { Garage() }.injecting(\.light).injecting(\.unwrapped))
        #expect(try locator.resolve(Garage.self).log == ["light", "unwrapped"])
    }

    @Test func `Later hooks see the injected properties`() throws {
        locator.register(
            .lazy { Shed() }
                .afterInit { _, shed in shed.light.watts = 1 }
                .injecting(\.light)
                .afterInit { _, shed in shed.light.watts += 1 }
        )
        #expect(try locator.resolve(Shed.self).light.watts == 61)
    }
}
