// Each use of each public symbol of Injected in a program, with its result. The same file is compiled in
// Swift 6, in Swift 5, and in a module whose default isolation is the main actor. `SeedUsageTests.swift` has the types.

import Injectle
import InjectleTestSupport
import Testing

private struct Setup { var name = "" }
private struct Page<Content> { var name = "" }
private class SpecialService: RealService { override init() {} }

private func real() -> RealService { RealService() }

/// The container as a type, a value and the current one.
@Suite(.processWide) @MainActor struct ContainerUsageTests {
    private let stored = DependencyContainer()
    private let typed: DependencyContainer = .init()
    private var optional: DependencyContainer?

    private func make(_ build: (DependencyContainer) -> Void) -> DependencyContainer {
        let container = DependencyContainer()
        build(container)
        return container
    }

    private func setUp(_ container: DependencyContainer = .shared) { container.register(.eager(Setup(name: "up"))) }

    private func name(resolve strategy: Injected<Setup>.ResolveStrategy = .lazy) -> String {
        Injected<Setup>(resolve: strategy).wrappedValue.name
    }

    @Test func `A container is a type and a value`() {
        #expect(stored !== typed)
        #expect(optional == nil)
        let containers: [DependencyContainer] = [stored, typed, DependencyContainer()]
        containers.forEach { $0.register(.eager(Setup())) }
        let byName: [String: DependencyContainer] = ["stored": stored]
        #expect(byName["stored"] === stored)
        let type: DependencyContainer.Type = DependencyContainer.self
        #expect(type == DependencyContainer.self)
        setUp()
        #expect(name() == "up")
        setUp(stored)
        setUp(.shared)
        setUp(DependencyContainer())
        let make: () -> DependencyContainer = { DependencyContainer() }
        #expect(make() !== make())
        stored.registerServices()
        DependencyContainer.shared.registerServices()
        #expect(Injected<Setup>(resolve: .lazy).wrappedValue.name == "extension")
    }

    @Test func `The current container is bound in each form`() async throws {
        let shared: DependencyContainer = DependencyContainer.shared
        shared.register(.eager(Setup(name: "shared")))
        let one = make { $0.register(.eager(Setup(name: "one"))) }
        let two = make { container in container.register(.lazy { Setup(name: "two") }) }
        DependencyContainer.$shared.withValue(one) { #expect(name() == "one") }
        let returned = DependencyContainer.$shared.withValue(one) { name() }
        #expect(returned == "one")
        let trailing: String = DependencyContainer.$shared.withValue(one, operation: { name(resolve: .eager) })
        #expect(trailing == "one")
        DependencyContainer.$shared.withValue(one) {
            DependencyContainer.$shared.withValue(two) { #expect(name() == "two") }
            #expect(name() == "one")
            #expect(DependencyContainer.shared === one)
        }
        #expect(name() == "shared")
        await DependencyContainer.$shared.withValue(two) {
            await Task.yield()
            #expect(name() == "two")
            let child = Task { @MainActor in Injected<Setup>(resolve: .lazy).wrappedValue.name }
            let inherited = await child.value
            #expect(inherited == "two")
        }
        let awaited = try await DependencyContainer.$shared.withValue(two) { () async throws -> String in
            await Task.yield()
            return name()
        }
        #expect(awaited == "two")
        try DependencyContainer.$shared.withValue(one) { try #require(name() == "one") }
        #expect(DependencyContainer.$shared.get() === DependencyContainer.shared)
        let holder = DependencyContainer.$shared.withValue(one) { EagerOwner() }
        #expect(holder.options.name == "one")
        #expect(EagerOwner().options.name == "shared")
        let mocks = DependencyContainer()
        DependencyContainer.$shared.withValue(mocks) {
            DependencyContainer.shared.register(.eager(Setup(name: "mock")))
            #expect(name() == "mock")
        }
        #expect(name() == "shared")
    }

    private class EagerOwner { @Injected(resolve: .eager) var options: Setup }
}

extension DependencyContainer {
    fileprivate func registerServices() {
        register(.eager(Setup(name: "extension")))
        self.register(.lazy { RealService() }, for: ServiceProtocol.self)
    }
}

/// `register` with each strategy, for the own type, another type and a key.
@Suite(.processWide) @MainActor struct StrategyUsageTests {
    private let container = DependencyContainer.shared

    private func read<T>(_ key: String? = nil) -> T { Injected<T>(resolve: .lazy, key: key).wrappedValue }

    @Test func `Eager services are the given ones`() {
        let service = RealService()
        container.register(.eager(service))
        let found: RealService = read()
        #expect(found === service)
        // Compared outside of `#expect`, whose closure would share a service that was registered with the type of a
        // protocol.
        container.register(.eager(service), for: ServiceProtocol.self)
        container.register(.eager(service), for: (any ServiceProtocol).self)
        let existential: any ServiceProtocol = read()
        var isSame = existential as AnyObject === service
        #expect(isSame)
        container.register(.eager(RealService() as ServiceProtocol))
        let replaced: any ServiceProtocol = read()
        isSame = replaced as AnyObject === service
        #expect(!isSame)
        let typed: ServiceProtocol = service
        container.register(.eager(typed))
        let again: any ServiceProtocol = read()
        isSame = again as AnyObject === service
        #expect(isSame)
        container.register(.eager(service), for: RealService.self)
        container.register(.eager(SpecialService()), for: RealService.self)
        let special: RealService = read()
        #expect(special is SpecialService)
        container.register(.eager(Setup(name: "struct")))
        #expect((read() as Setup).name == "struct")
        container.register(.eager(Page<Int>(name: "generic")))
        #expect((read() as Page<Int>).name == "generic")
        container.register(.eager([1, 2]))
        #expect(read() == [1, 2])
        container.register(.eager({ (number: Int) in number + 1 }))
        let function: (Int) -> Int = read()
        #expect(function(1) == 2)
        container.register(.eager(7), for: Int.self)
        #expect(read() == 7)
        container.register(DependencyContainer.Registration.eager("text"))
        #expect(read() == "text")
        container.register(DependencyContainer.Registration<Int>.eager(8))
        #expect(read() == 8)
    }

    @Test func `Lazy services are created once, on first use`() {
        var count = 0
        container.register(
            .lazy {
                count += 1
                return RealService()
            }
        )
        #expect(count == 0)
        let (one, two): (RealService, RealService) = (read(), read())
        #expect(one === two)
        #expect(count == 1)
        container.register(.lazy { RealService() }, for: ServiceProtocol.self)
        container.register(.lazy { SpecialService() as RealService })
        container.register(.lazy { () -> RealService in SpecialService() })
        #expect((read() as RealService) is SpecialService)
        container.register(.lazy(real))
        container.register(.lazy(RealService.init))
        container.register(.lazy({ RealService() }))
        let make: () -> RealService = { SpecialService() }
        container.register(.lazy(make))
        #expect((read() as RealService) is SpecialService)
        container.register(.lazy { Injected<RealService>(resolve: .lazy).wrappedValue }, for: ServiceProtocol.self)
        #expect((read() as ServiceProtocol) as AnyObject === (read() as RealService))
        container.register(DependencyContainer.Registration.lazy { Setup(name: "spelled") })
        #expect((read() as Setup).name == "spelled")
        container.register(.lazy { Page<Setup>() })
        container.register(.lazy { [Setup()] }, for: [Setup].self, key: "list")
    }

    @Test func `Volatile services are created at each use`() {
        var count = 0
        container.register(
            .volatile {
                count += 1
                return RequestContext()
            }
        )
        let (one, two): (RequestContext, RequestContext) = (read(), read())
        #expect(one !== two)
        #expect(count == 2)
        container.register(.volatile { RealService() }, for: ServiceProtocol.self)
        container.register(.volatile(real))
        container.register(.volatile(RealService.init))
        container.register(.volatile({ RealService() }), for: "volatile")
        let make = { RealService() }
        container.register(.volatile(make))
        container.register(DependencyContainer.Registration.volatile { Setup() })
        #expect((read() as RealService) !== (read() as RealService))
        #expect((read("volatile") as RealService) !== (read("volatile") as RealService))
    }

    @Test func `A key is a string`() {
        let service = RealService()
        let key = "variable"
        container.register(.eager(service), for: "literal")
        container.register(.eager(RealService()), for: key)
        container.register(.eager(Setup(name: "interpolated")), for: "number \(1)")
        container.register(.lazy { Setup(name: "lazy") }, for: "lazy")
        container.register(.volatile { Setup(name: "volatile") }, for: Keys.volatile)
        container.register(.eager(Setup(name: "raw")), for: RawKey.raw.rawValue)
        container.register(.eager(service as ServiceProtocol), for: "protocol")
        container.register(.eager(Setup(name: "name")), for: String(describing: RealService.self))
        #expect((read("literal") as RealService) === service)
        #expect((read(key) as RealService) !== service)
        #expect((read("number 1") as Setup).name == "interpolated")
        #expect((read("lazy") as Setup).name == "lazy")
        #expect((read(Keys.volatile) as Setup).name == "volatile")
        #expect((read("raw value") as Setup).name == "raw")
        #expect((read("protocol") as ServiceProtocol) as AnyObject === service)
        #expect((read("RealService") as Setup).name == "name")
        let registration: DependencyContainer.Registration<Setup> = .eager(Setup(name: "value"))
        container.register(registration, for: "value")
        #expect((read("value") as Setup).name == "value")
        let keys = ["a", "b"]
        for key in keys { container.register(.eager(Setup(name: key)), for: key) }
        #expect(keys.map { (read($0) as Setup).name } == keys)
    }

    private enum Keys { static let volatile = "volatile" }
    private enum RawKey: String { case raw = "raw value" }

    @Test func `A registration is a value`() {
        let eager: DependencyContainer.Registration<Setup> = .eager(Setup(name: "eager"))
        let lazy = DependencyContainer.Registration<RealService>.lazy { RealService() }
        let volatile: DependencyContainer.Registration<RequestContext> = .volatile { RequestContext() }
        container.register(eager)
        container.register(lazy)
        container.register(lazy, for: RealService.self)
        container.register(volatile)
        register(eager, in: DependencyContainer())
        let chosen: DependencyContainer.Registration<Setup> = name == "live" ? eager : .lazy { Setup(name: "test") }
        container.register(chosen)
        #expect((read() as Setup).name == "test")
        let registrations: [DependencyContainer.Registration<Setup>] = [eager, chosen, .volatile { Setup() }]
        for registration in registrations { container.register(registration) }
        let make: (Setup) -> DependencyContainer.Registration<Setup> = { .eager($0) }
        container.register(make(Setup(name: "made")))
        #expect((read() as Setup).name == "made")
        container.register(strategy(isShared: true))
        #expect((read() as RealService) === (read() as RealService))
        container.register(strategy(isShared: false))
        #expect((read() as RealService) !== (read() as RealService))
    }

    private let name = "test"

    private func register<T>(_ registration: DependencyContainer.Registration<T>, in container: DependencyContainer) {
        container.register(registration)
        container.register(registration, for: T.self)
        container.register(registration, for: "key")
    }

    private func strategy(isShared: Bool) -> DependencyContainer.Registration<RealService> {
        isShared ? .lazy { RealService() } : .volatile { RealService() }
    }
}

/// `@Injected` in each place and as a value, and its strategy.
@Suite(.processWide) @MainActor struct InjectedPropertyUsageTests {
    private let container = DependencyContainer.shared

    init() {
        container.register(.eager(Setup(name: "options")))
        container.register(.eager(Setup(name: "keyed")), for: "key")
        container.register(.lazy { RealService() }, for: ServiceProtocol.self)
        container.register(.volatile { RequestContext() })
    }

    private class Owner {
        @Injected(resolve: .lazy) var options: Setup
        @Injected(resolve: .eager) var eager: Setup
        @Injected(resolve: .lazy, key: "key") var keyed: Setup
        @Injected(resolve: .eager, key: "key") var eagerKeyed: Setup
        @Injected(resolve: .lazy, key: nil) var unkeyed: Setup
        @Injected(resolve: .lazy, key: Owner.key) var named: Setup
        @Injected(resolve: .lazy) var service: ServiceProtocol
        @Injected(resolve: .lazy) var anyService: any ServiceProtocol
        @Injected(resolve: .lazy) fileprivate var context: RequestContext
        @Injected(resolve: .lazy) private var hidden: RequestContext
        @Injected(resolve: isTest ? .eager : .lazy) var chosen: Setup
        @Injected<Setup>(resolve: .lazy) var spelled

        nonisolated static let key = "key"
        func isSame() -> Bool { hidden === self.hidden }
    }

    private struct StructOwner {
        @Injected(resolve: .lazy) var options: Setup
        @Injected(resolve: .eager, key: "key") var keyed: Setup
    }

    private class Chosen {
        @Injected<Setup> var options: Setup

        init(_ strategy: Injected<Setup>.ResolveStrategy, key: String? = nil) {
            _options = Injected(resolve: strategy, key: key)
        }
    }

    private class Base {
        @Injected(resolve: .lazy) var options: Setup
        init() {}
    }

    private final class Derived: Base {
        @Injected(resolve: .lazy, key: "key") var keyed: Setup
        override init() { super.init() }
    }

    private class Generic<T> { @Injected(resolve: .lazy) var value: T }

    @Test func `Properties resolve once`() {
        let owner = Owner()
        #expect(owner.options.name == "options")
        #expect(owner.eager.name == "options")
        #expect(owner.keyed.name == "keyed")
        #expect(owner.eagerKeyed.name == "keyed")
        #expect(owner.unkeyed.name == "options")
        #expect(owner.named.name == "keyed")
        #expect(owner.service is RealService)
        #expect(owner.service as AnyObject === owner.anyService as AnyObject)
        #expect(owner.context === owner.context)
        #expect(owner.context !== Owner().context)
        #expect(owner.isSame())
        #expect(owner.chosen.name == "options")
        #expect(owner.spelled.name == "options")
        container.register(.eager(Setup(name: "new")))
        #expect(owner.options.name == "options")
        #expect(Owner().options.name == "new")
        #expect(StructOwner().options.name == "new")
        #expect(StructOwner().keyed.name == "keyed")
        #expect(Chosen(.lazy).options.name == "new")
        #expect(Chosen(.eager, key: "key").options.name == "keyed")
        #expect(Derived().options.name == "new")
        #expect(Derived().keyed.name == "keyed")
        #expect(Generic<Setup>().value.name == "new")
        #expect(owner[keyPath: \Owner.keyed.name] == "keyed")
    }

    @Test func `The strategy says when`() {
        var count = 0
        container.register(
            .volatile {
                count += 1
                return Setup(name: "\(count)")
            }
        )
        let lazy = Chosen(.lazy)
        #expect(count == 0)
        let eager = Chosen(.eager)
        #expect(count == 1)
        #expect(lazy.options.name == "2")
        #expect(eager.options.name == "1")
        #expect(lazy.options.name == "2")
    }

    @Test func `The wrapper is a value`() {
        let injected = Injected<Setup>(resolve: .lazy)
        #expect(injected.wrappedValue.name == "options")
        let typed: Injected<Setup> = Injected(resolve: .eager, key: "key")
        #expect(typed.wrappedValue.name == "keyed")
        let initialized: Injected<Setup> = .init(resolve: .lazy, key: nil)
        #expect(initialized.wrappedValue.name == "options")
        let all = [nil, "key"].map { Injected<Setup>(resolve: .lazy, key: $0) }
        #expect(all.map(\.wrappedValue.name) == ["options", "keyed"])
        @Injected(resolve: .lazy) var local: Setup
        #expect(local.name == "options")
        let optional: Injected<Setup>? = injected
        #expect(optional?.wrappedValue.name == "options")
    }

    @Test func `The strategy is a value`() {
        let strategy: Injected<Setup>.ResolveStrategy = isTest ? .lazy : .eager
        #expect(Injected<Setup>(resolve: strategy).wrappedValue.name == "options")
        #expect(strategy == .lazy)
        #expect(strategy != Injected<Setup>.ResolveStrategy.eager)
        let isLazy =
            switch strategy {
            case .eager: false
            case .lazy: true
            }
        #expect(isLazy)
        if case .eager = strategy { Issue.record("The strategy is lazy.") }
        let strategies: [Injected<Setup>.ResolveStrategy] = [.eager, .lazy]
        #expect(strategies.map { Chosen($0).options.name } == ["options", "options"])
        #expect(Stored().options.name == "options")
        #expect(Stored().keyed.name == "keyed")
        #expect(Policy<Setup>.strategy == .eager)
        #expect(Set(strategies).count == 2)
    }

    /// A wrapper that stores the strategy.
    @MainActor @propertyWrapper private struct Late<T> {
        private let strategy: Injected<T>.ResolveStrategy
        private let key: String?

        init(_ strategy: Injected<T>.ResolveStrategy = .lazy, key: String? = nil) {
            (self.strategy, self.key) = (strategy, key)
        }

        var wrappedValue: T { Injected(resolve: strategy, key: key).wrappedValue }
    }

    @MainActor private enum Policy<T> {
        static var strategy: Injected<T>.ResolveStrategy { isTest ? .eager : .lazy }
    }

    @MainActor private class Stored {
        @Late var options: Setup
        @Late(.eager, key: "key") var keyed: Setup
    }
}

private nonisolated let isTest = true
