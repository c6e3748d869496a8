import Injectle
import InjectleTestSupport
import Testing

private final class Service: Sendable {}

@Suite struct DefaultLifetimeTests {
    private let locator = Locator("app")

    @Test func `A new locator has none`() {
        #expect(locator.defaultLifetime == nil)
        locator.register(.lazy { Service() })
        #expect(locator.registrations.map(\.lifetime) == [.lazy])
    }

    @Test func `It applies to registrations that choose no lifetime`() throws {
        locator.defaultLifetime = .volatile
        locator.register(.lazy { Service() })
        locator.register(.initializer({ (_: Service) in "initialized" }))
        #expect(locator.registrations.map(\.lifetime) == [.volatile, .volatile])
        #expect(try locator.resolve(Service.self) !== locator.resolve(Service.self))
    }

    @Test func `A registration that chooses a lifetime keeps it`() {
        locator.defaultLifetime = .weak
        locator.register(.lazy { Service() }.lifetime(.lazy), key: 1)
        locator.register(.lazy { Service() }.lifetime(.graph), key: 2)
        locator.register(.volatile { Service() }, key: 3)
        locator.register(.eager(Service()), key: 4)
        locator.registerLazySingleton(Service(), forKey: 5)
        #expect(locator.registrations.map(\.lifetime) == [.lazy, .graph, .volatile, .eager, .lazy])
    }

    @Test func `Modifiers do not choose a lifetime`() {
        locator.defaultLifetime = .weak
        locator.register(.lazy { Service() }.resettable().asSelf().onDispose { _ in })
        #expect(locator.registrations.map(\.lifetime) == [.weak])
    }

    @Test func `It applies to later registrations`() {
        locator.register(.lazy { Service() }, key: 1)
        locator.defaultLifetime = .weak
        locator.register(.lazy { Service() }, key: 2)
        locator.defaultLifetime = nil
        locator.register(.lazy { Service() }, key: 3)
        #expect(locator.registrations.map(\.lifetime) == [.lazy, .weak, .lazy])
    }

    @Test func `A child starts with that of its parent`() {
        locator.defaultLifetime = .weak
        let child = locator.child()
        locator.defaultLifetime = .graph
        #expect(child.defaultLifetime == .weak)
        child.defaultLifetime = nil
        #expect(locator.defaultLifetime == .graph)
    }

    @Test func `A registration value keeps its own lifetime elsewhere`() {
        let registration = Locator.Registration<Service>.lazy { Service() }
        locator.defaultLifetime = .weak
        locator.register(registration)
        let other = Locator()
        other.register(registration)
        #expect(locator.registrations.map(\.lifetime) == [.weak])
        #expect(other.registrations.map(\.lifetime) == [.lazy])
    }
}
