import Foundation
import Injectle
import InjectleTestSupport
import Testing

private protocol Vehicle: Sendable {}
private final class Bus: Vehicle {}
private final class Taxi: Vehicle {}

/// Every form of resolving notifies behaviors.
@Suite struct BehaviorResolutionTests {
    private let locator = Locator("garage")
    private let collector = EventCollector()
    private let bus = Locator.Identity(Bus.self)

    /// Returns the identities of `didResolve` for three reads.
    private func observed(_ read: () throws -> Void) rethrows -> [Locator.Identity] {
        collector.clear()
        for _ in 0..<3 { try read() }
        return collector.identities(.didResolve)
    }

    private static let registrations: [@Sendable () -> Locator.Registration<Bus>] = [
        { .eager(Bus()) }, { .lazy { Bus() } }, { .volatile { Bus() } }, { .lazy { Bus() }.lifetime(.weak) },
        { .lazy { Bus() }.lifetime(.perLocator) }, { .lazy { Bus() }.lifetime(.graph) },
        { .lazy { Bus() }.lifetime(.perArgument) },
        { .lazy { Bus() }.lifetime(.composite(.perLocator, .weak)) },
    ]

    @Test(arguments: registrations.indices)
    func `Every resolve of every lifetime is observed`(index: Int) throws {
        locator.register(Self.registrations[index]())
        let child = locator.child()
        locator.add(collector)
        #expect(try observed { _ = try locator.resolve(Bus.self) } == [bus, bus, bus])
        #expect(try observed { _ = try child.resolve(Bus.self) } == [bus, bus, bus])
        #expect(try observed { _ = try locator.resolve(Bus?.self) } == [bus, bus, bus])
        #expect(try observed { _ = try locator.resolveOptional(Bus.self) } == [bus, bus, bus])
    }

    @Test(arguments: registrations.indices, [nil, "bus"])
    func `Every property read is observed while a behavior is present`(index: Int, key: String?) throws {
        locator.register(Self.registrations[index](), for: Bus.self, key: key.map(AnyHashable.init))
        let child = locator.child()
        let (first, second) = (child.child(), locator)
        for locator in [first, child, second] {
            let property = Locator.$shared.withValue(locator) { key.map { Inject<Bus>($0) } ?? Inject<Bus>() }
            for _ in 0..<3 { _ = property() }
            let observation = self.locator.add(collector)
            let observed = observed { _ = property() }
            #expect(observed == Array(repeating: Locator.Identity(Bus.self, key: key), count: 3))
            observation.remove()
            #expect(self.observed { _ = property() } == [])
        }
    }

    @Test func `A resolve with arguments is observed with their types`() throws {
        locator.register(.volatile { (_, _: Int) in Bus() })
        locator.add(collector)
        let observed = try observed { _ = try locator.resolve(Bus.self, arguments: 1) }
        #expect(observed == Array(repeating: bus, count: 3))
        #expect(collector.events.allSatisfy { $0.description.contains("Bus, with (Int) (volatile)") })
        #expect(collector.events(.didCreate).count == 3)
    }

    @Test func `Each element of a list is observed`() throws {
        locator.register(.lazy { Bus() }.contributing(to: (any Vehicle).self))
        locator.register(.eager(Taxi()).contributing(to: (any Vehicle).self))
        locator.add(collector)
        for _ in 0..<2 {
            collector.clear()
            #expect(try locator.resolveAll((any Vehicle).self).count == 2)
            let observed = collector.events(.didResolve)
            #expect(observed.map(\.lifetime) == [.lazy, .eager])
            #expect(observed.allSatisfy { $0.identity.type == (any Vehicle).self })
        }
    }

    @Test func `Injected and Lazy report their single resolve`() throws {
        locator.register(.lazy { Bus() })
        locator.add(collector)
        let injected = Locator.$shared.withValue(locator) { Injected<Bus>(resolve: .lazy) }
        #expect(observed { _ = injected() } == [bus])
        let lazy = try locator.resolve(Locator.Lazy<Bus>.self)
        #expect(try observed { _ = try lazy() } == [bus])
        let provider = try locator.resolve(Locator.Provider<Bus>.self)
        #expect(try observed { _ = try provider() } == [bus, bus, bus])
    }

    @Test func `A missing service produces no event`() throws {
        locator.add(collector)
        #expect(try locator.resolve(Bus?.self) == nil)
        #expect(throws: InjectleError.self) { try locator.resolve(Bus.self) }
        #expect(collector.kinds == [])
    }

    @Test func `resolveAsync reports the resolve as async`() async throws {
        locator.register(.lazy(.anywhere) { Bus() })
        locator.register(.lazy(.main) { Taxi() }.contributing(to: (any Vehicle).self))
        locator.add(collector)
        _ = try await locator.resolveAsync(Bus.self, key: nil)
        #expect(collector.kinds == [.willCreate, .didCreate, .didResolve])
        #expect(collector.events.map(\.isAsynchronous) == [false, false, true])
    }
}
