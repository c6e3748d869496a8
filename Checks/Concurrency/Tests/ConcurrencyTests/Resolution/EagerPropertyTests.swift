import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Store: Sendable {}

private final class Cart: Sendable {
    let store = Injected<Store>(resolve: .eager)
}

/// Has a property that reads a service of its cart.
private final class Order: Sendable {
    let cart: Cart
    init(_ cart: Cart) { self.cart = cart }
}

private final class Chicken: Sendable {
    let egg = Injected<Egg>(resolve: .eager)
}

private final class Egg: Sendable {
    let chicken = Injected<Chicken>(resolve: .eager)
}

private final class Template: NSCopying, Sendable {
    let cart: Cart?
    init(_ cart: Cart? = nil) { self.cart = cart }
    func copy(with zone: NSZone? = nil) -> Any { Template(Cart()) }
}

private struct Refused: Error {}

/// A property that resolves its service when it is created, in an object that a registration creates: the request
/// throws what a read would end the process with.
@Suite struct EagerPropertyTests {
    private let locator = Locator("properties")

    @Test func `A request throws the error of a property of the created object`() throws {
        locator.register(.lazy { Cart() })
        let error = try #require(thrown { try locator.resolve(Cart.self) })
        #expect(error == .missing)
        #expect(error.path.map(\.type).contains { $0 == Cart.self })
        #expect(error.description.contains("EagerPropertyTests.swift:9"))
        locator.register(.eager(Store()))
        #expect(try locator.resolve(Cart.self).store() === locator.resolve(Store.self))
    }

    @Test func `The property can be one of an object within the service`() throws {
        for registration: Locator.Registration<Order> in [.lazy { Order(Cart()) }, .volatile { Order(Cart()) }] {
            locator.register(registration)
            #expect(thrown { try locator.resolve(Order.self) } == .missing)
        }
        locator.register(.lazy { Template() })
        locator.register(.factory(Template()))
        #expect(thrown { try locator.resolve(Template.self) } == .missing)
    }

    @Test func `No hook gets the incomplete object`() throws {
        let hooks = Counter()
        locator.register(.lazy { Cart() }.afterInit { _, _ in hooks.increment() })
        #expect(thrown { try locator.resolve(Cart.self) } == .missing)
        #expect(hooks.value == 0)
        locator.register(.lazy { 1 }.afterInit { _, _ in _ = Cart() })
        #expect(thrown { try locator.resolve(Int.self) } == .missing)
    }

    @Test func `An error of the closure itself comes first, and nothing is kept`() throws {
        let fails = Guarded(true)
        locator.register(
            .lazy {
                if fails.value {
                    _ = Cart()
                    throw Refused()
                }
                return Store()
            }
        )
        #expect(thrown { try locator.resolve(Store.self) }?.underlying is Refused)
        fails.withLock { $0 = false }
        _ = try locator.resolve(Store.self)
    }

    @Test func `Properties that need each other are a circle with its path`() throws {
        locator.register(.lazy { Chicken() })
        locator.register(.lazy { Egg() })
        let error = try #require(thrown { try locator.resolve(Chicken.self) })
        #expect(error == .circularDependency)
        #expect(error.path.map(\.type).map { "\($0)" } == ["Chicken", "Egg"])
    }

    @Test func `An async request creates the async service of a property`() async throws {
        locator.register(.lazy(.anywhere) { () async in Store() })
        locator.register(.lazy(.anywhere) { Cart() })
        #expect(thrown { try locator.resolve(Cart.self) } == .requiresAsync)
        let cart = try await locator.resolveAsync(Cart.self)
        #expect(try cart.store() === locator.resolve(Store.self))
    }

    @Test func `A hook of an async closure gets it, too`() async throws {
        locator.register(.lazy(.anywhere) { () async in Store() })
        locator.register(.lazy(.anywhere) { () async in 1 }.afterInit { _, _ in _ = Cart() })
        #expect(try await locator.resolveAsync(Int.self) == 1)
    }

    @Test func `A decorator throws the error of a property of its service`() async {
        locator.register(.lazy(.anywhere) { 1 })
        locator.decorate(Int.self, isolation: nil) { number in
            _ = Cart()
            return number
        }
        #expect(thrown { try locator.resolve(Int.self) } == .missing)
        #expect(await thrown { try await locator.resolveAsync(Int.self) } == .missing)
    }

    @Test func `A start creates it, too`() async throws {
        locator.register(.lazy(.anywhere) { () async in Store() })
        locator.register(.lazy(.anywhere) { Cart() }.atStart())
        try await locator.start()
        #expect(try locator.resolve(Cart.self).store() === locator.resolve(Store.self))
    }

    @Test func `An async closure and its child tasks throw the error, too`() async {
        locator.register(
            .lazy(.anywhere) { () async in
                await withTaskGroup(of: Cart.self) { group in
                    for _ in 0..<4 { group.addTask { Cart() } }
                    await group.waitForAll()
                }
                return 1
            }
        )
        #expect(await thrown { try await locator.resolveAsync(Int.self) } == .missing)
    }

    @Test func `Threads that wait for the creation get the error`() async {
        let begun = Signal()
        locator.register(
            .lazy(.anywhere) {
                begun.set()
                return Cart()
            }
        )
        let errors = Guarded<[InjectleError?]>([])
        await onThreadsAsync(4) { [locator] _ in
            let error = thrown { try locator.resolve(Cart.self) }
            errors.withLock { $0.append(error) }
        }
        #expect(errors.value.count == 4)
        #expect(errors.value.allSatisfy { $0 == .missing })
    }

    @Test func `Outside of a creation, the process ends with the text`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Locator.$shared.withValue(Locator("outside")) { _ = Cart() }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("No service is registered"))
    }
}
