import Injectle
import InjectleTestSupport
import Testing

/// Objects that refer to each other. `@unchecked Sendable`: a hook sets the properties before others see the object.
private final class Hen: @unchecked Sendable {
    var egg: Egg?
    let isComplete = Guarded(false)
    init(egg: Egg? = nil) { self.egg = egg }
}

private final class Egg: @unchecked Sendable {
    var hen: Hen?
    init(hen: Hen? = nil) { self.hen = hen }
}

private struct Shell {
    var content: Content?
}

private final class Content {
    var shell: Shell?
}

/// A request within the creation of a service gets its object once the initializer has returned.
@Suite struct EarlyInstanceTests {
    private let locator = Locator("early")

    private static let shared: [Locator.Lifetime] = [
        .lazy, .weak, .graph, .perLocator, .perLocator(named: "early"), .perArgument,
        .composite(.perLocator, .weak),
    ]

    private func register(hen: Locator.Lifetime, egg: Locator.Lifetime) {
        locator.register(.lazy { Hen() }.injecting(\.egg).lifetime(hen))
        locator.register(.lazy { Egg() }.afterInit { $1.hen = try $0.resolve() }.lifetime(egg))
    }

    @Test(arguments: shared, shared)
    func `Hooks break a cycle from either end`(hen: Locator.Lifetime, egg: Locator.Lifetime) throws {
        register(hen: hen, egg: egg)
        let first = try locator.resolve(Hen.self)
        #expect(first.egg?.hen === first)
        first.egg?.hen = nil
        locator.reset()
        register(hen: hen, egg: egg)
        let second = try locator.resolve(Egg.self)
        #expect(second.hen?.egg === second)
        second.hen?.egg = nil
    }

    @Test func `Requests get the object by which an earlier hook has replaced another one`() throws {
        locator.register(.lazy { locator in Hen(egg: try locator.resolve()) })
        locator.register(.lazy { Egg() }.afterInit { $1 = Egg() }.injecting(\.hen))
        let egg = try locator.resolve(Egg.self)
        #expect(egg.hen?.egg === egg)
        egg.hen?.egg = nil
    }

    @Test func `Async requests get the object by which an earlier hook has replaced another one`() async throws {
        locator.register(.lazy { locator in Hen(egg: try locator.resolve()) })
        locator.register(.lazy(.anywhere) { () async in Egg() }.afterInit { $1 = Egg() }.injecting(\.hen))
        let egg = try await locator.resolveAsync(Egg.self)
        #expect(egg.hen?.egg === egg)
        egg.hen?.egg = nil
    }

    @Test(arguments: shared)
    func `A hook on one end suffices for requests from this end`(_ lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { locator in Hen(egg: try locator.resolve()) }.lifetime(lifetime))
        locator.register(.lazy { Egg() }.injecting(\.hen).lifetime(lifetime))
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Hen.self) }
        #expect(error == .circularDependency)
        let egg = try locator.resolve(Egg.self)
        #expect(egg.hen?.egg === egg)
        egg.hen?.egg = nil
    }

    @Test(arguments: shared)
    func `Initializers that require each other are a cycle`(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy { locator in Hen(egg: try locator.resolve()) }.lifetime(lifetime))
        locator.register(.lazy { locator in Egg(hen: try locator.resolve()) }.lifetime(lifetime))
        #expect(throws: InjectleError.circularDependency) { try locator.resolve(Hen.self) }
        #expect(throws: InjectleError.circularDependency) { try locator.resolve(Egg.self) }
    }

    @Test(arguments: shared + [.volatile])
    func `A volatile service has no early instance`(_ other: Locator.Lifetime) throws {
        register(hen: .volatile, egg: other)
        #expect(throws: InjectleError.circularDependency) { try locator.resolve(Hen.self) }
        if other == .volatile { return }
        let egg = try locator.resolve(Egg.self)
        #expect(egg.hen?.egg === egg)
        egg.hen?.egg = nil
    }

    @Test func `A structure has no early instance`() {
        locator.register(.lazy { Shell() }.injecting(\.content))
        locator.register(.lazy { Content() }.injecting(\.shell))
        #expect(throws: InjectleError.circularDependency) { try locator.resolve(Shell.self) }
    }

    @Test func `A failed hook leaves no early instance behind`() throws {
        let isFailing = Guarded(true)
        locator.register(.lazy { Hen() }.injecting(\.egg))
        locator.register(
            .lazy { Egg() }.injecting(\.hen).afterInit { _, _ in if isFailing.value { throw CancellationError() } }
        )
        #expect(throws: InjectleError.cancelled) { try locator.resolve(Hen.self) }
        isFailing.withLock { $0 = false }
        let hen = try locator.resolve(Hen.self)
        #expect(hen.egg?.hen === hen)
        hen.egg?.hen = nil
    }

    private enum Request: CaseIterable { case thread, property, task }

    @Test(arguments: Request.allCases)
    private func `Another thread gets the instance once it is complete`(_ request: Request) async throws {
        let locator = locator
        let (begun, requested) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { Hen() }.injecting(\.egg).afterInit { locator, hen in
                let early = try locator.resolve(Hen.self)
                #expect(early === hen)
                begun.set()
                requested.wait()
                hen.isComplete.withLock { $0 = true }
            }
        )
        locator.register(.lazy(.anywhere) { Egg() }.injecting(\.hen))
        let property = Locator.$shared.withValue(locator) { Inject<Hen>() }
        async let created = onAnotherThread { try? locator.resolve(Hen.self) }
        await begun.reached()
        let isComplete: Bool
        switch request {
        case .task:
            let task = await ProbeActor.startTask { _ in try await locator.resolveAsync(Hen.self) }
            requested.set()
            isComplete = try await task.value.isComplete.value
        case .thread, .property:
            isComplete = await onAnotherThread {
                requested.set()
                return (request == .thread ? try? locator.resolve(Hen.self) : property())?.isComplete.value == true
            }
        }
        #expect(isComplete)
        let hen = try #require(await created)
        #expect(try locator.resolve(Hen.self) === hen)
        hen.egg?.hen = nil
    }
}
