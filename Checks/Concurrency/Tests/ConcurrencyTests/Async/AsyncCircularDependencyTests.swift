import Injectle
import InjectleTestSupport
import Testing

private struct Alpha: Sendable {}
private struct Beta: Sendable {}

private final class Base: Sendable {}
private final class Node: Sendable {
    let base: Base
    init(_ base: Base) { self.base = base }
}

private final class Depth: Sendable {
    let value: Int
    init(_ value: Int) { self.value = value }
}

private func onAnotherTask<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup { group in
        group.addTask { try body() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// Circular dependencies of async services throw and never deadlock.
@Suite(.timeLimit(.minutes(10))) struct AsyncCircularDependencyTests {
    private let locator = Locator("cycles")

    private func expectCycle<Service: Sendable>(
        _ type: Service.Type,
        path: [Locator.Identity],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let error = await #expect(throws: InjectleError.self, sourceLocation: sourceLocation) {
            try await locator.resolveAsync(type)
        }
        #expect(error == .circularDependency, sourceLocation: sourceLocation)
        #expect(error?.path == path, sourceLocation: sourceLocation)
    }

    /// Registers a service whose closure only resolves another one.
    private func register<Service: Sendable, Dependency: Sendable>(
        _ lifetime: Locator.Lifetime = .lazy,
        requiring dependency: Dependency.Type,
        _ make: @escaping @Sendable () -> Service
    ) {
        locator.register(
            .lazy { locator in
                _ = try await locator.resolveAsync(dependency)
                return make()
            }.lifetime(lifetime)
        )
    }

    // MARK: In one task

    static let lifetimes: [Locator.Lifetime] = [
        .lazy, .volatile, .weak, .graph, .perLocator, .perLocator(named: "cycles"), .perArgument,
        .composite(.perLocator, .lazy),
    ]

    @Test(arguments: lifetimes)
    func `A circular dependency throws with its path in every lifetime`(lifetime: Locator.Lifetime) async {
        register(lifetime, requiring: Beta.self) { Alpha() }
        register(lifetime, requiring: Alpha.self) { Beta() }
        await expectCycle(Alpha.self, path: [Locator.Identity(Alpha.self), Locator.Identity(Beta.self)])
        await expectCycle(Beta.self, path: [Locator.Identity(Beta.self), Locator.Identity(Alpha.self)])
    }

    @Test func `A cycle through a synchronous factory is detected`() async {
        locator.register(
            .lazy { locator in
                _ = try locator.resolve(Beta.self)
                return Alpha()
            }
        )
        register(requiring: Alpha.self) { Beta() }
        for _ in 0..<2 {
            let errors = [
                await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Alpha.self) },
                await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Beta.self) },
            ]
            for error in errors {
                #expect(error == .circularDependency)
                #expect(error?.path == [Locator.Identity(Beta.self), Locator.Identity(Alpha.self)])
            }
        }
    }

    @Test func `A hook that resolves its own service is a cycle`() async {
        locator.register(
            .lazy {
                await Task.yield()
                return Alpha()
            }
            .afterInit { locator, _ in _ = try locator.resolve(Alpha.self) }
        )
        await expectCycle(Alpha.self, path: [Locator.Identity(Alpha.self)])
    }

    // MARK: In several tasks

    /// Resolves an `Alpha` and a `Beta` that require each other in two tasks, and returns the errors. The factories
    /// continue once both are running.
    private func errorsOfBoth(
        onceReached first: Signal,
        _ second: Signal,
        then goOn: Signal
    ) async -> [InjectleError?] {
        let locator = locator
        let alpha = await ProbeActor.startTask { _ in try await locator.resolveAsync(Alpha.self) }
        let beta = await ProbeActor.startTask { _ in try await locator.resolveAsync(Beta.self) }
        await first.reached()
        await second.reached()
        goOn.set()
        return [
            await #expect(throws: InjectleError.self) { try await alpha.value },
            await #expect(throws: InjectleError.self) { try await beta.value },
        ]
    }

    @Test func `Two tasks that resolve both ends of a circle get the error that each gets alone`() async {
        let (first, second, goOn) = (Signal(), Signal(), Signal())
        locator.register(
            .lazy { locator in
                first.set()
                await goOn.reached()
                _ = try await locator.resolveAsync(Beta.self)
                return Alpha()
            }
        )
        locator.register(
            .lazy { locator in
                second.set()
                await goOn.reached()
                _ = try await locator.resolveAsync(Alpha.self)
                return Beta()
            }
        )
        for error in await errorsOfBoth(onceReached: first, second, then: goOn) {
            #expect(error == .circularDependency)
            #expect(error?.path.isEmpty == false)
            #expect(error?.description.contains(" → ") == true)
        }
    }

    @Test func `A thread and a task that wait for each other get errors`() async {
        let locator = locator
        let (first, second, goOn) = (Signal(), Signal(), Signal())
        locator.register(
            .lazy { locator in
                first.set()
                await goOn.reached()
                _ = try await locator.resolveAsync(Beta.self)
                return Alpha()
            }
        )
        locator.register(
            .lazy(.anywhere) { locator in
                second.set()
                goOn.wait()
                _ = try locator.resolve(Alpha.self)
                return Beta()
            }
        )
        let alpha = await ProbeActor.startTask { _ in try await locator.resolveAsync(Alpha.self) }
        async let code = onAnotherThread { () -> InjectleError? in
            do throws(InjectleError) {
                _ = try locator.resolve(Beta.self)
                return nil
            } catch {
                return error
            }
        }
        await first.reached()
        await second.reached()
        goOn.set()
        // A thread does not wait for a task, so it fails at once; the task finds itself on its own path.
        #expect(await code == .requiresAsync)
        let error = await #expect(throws: InjectleError.self) { try await alpha.value }
        #expect(error == .circularDependency)
    }

    // MARK: No cycles

    @Test func `Concurrent dependencies share their own dependency`() async throws {
        let locator = locator
        let (begun, goOn, created) = (Counter(), Signal(), Counter())
        locator.register(
            .lazy {
                await goOn.reached()
                created.increment()
                return Base()
            }
        )
        for key in ["left", "right"] {
            locator.register(
                .lazy { locator in
                    // Both wait for the dependency, or are about to.
                    if begun.increment() == 2 { goOn.set() }
                    return Node(try await locator.resolveAsync())
                },
                key: key
            )
        }
        locator.register(
            .lazy { locator in
                async let left = locator.resolveAsync(Node.self, key: "left")
                async let right = locator.resolveAsync(Node.self, key: "right")
                return [try await left.base, try await right.base].map(ObjectIdentifier.init)
            },
            key: "both"
        )
        let both: Any = try await locator.resolveAsync(key: "both")
        let bases = try #require(both as? [ObjectIdentifier])
        #expect(bases == Array(repeating: ObjectIdentifier(try locator.resolve(Base.self)), count: 2))
        #expect(created.value == 1)
    }

    @Test(arguments: [Locator.Lifetime.volatile, .graph, .perArgument])
    func `The same type with other arguments is not a cycle`(lifetime: Locator.Lifetime) async throws {
        locator.register(
            .lazy { (locator, number: Int) in
                guard number > 0 else { return Depth(0) }
                return Depth(try await locator.resolveAsync(Depth.self, arguments: number - 1).value + 1)
            }.lifetime(lifetime)
        )
        #expect(try await locator.resolveAsync(Depth.self, arguments: 5).value == 5)
    }

    // MARK: Custom scopes

    @Test func `Child tasks of one creation may resolve the same service`() async throws {
        let (begun, released) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) {
                begun.set()
                released.wait()
                return Base()
            }
        )
        locator.register(
            .lazy { locator in
                async let first = onAnotherTask { try locator.resolve(Base.self) }
                await begun.reached()
                async let second = onAnotherTask { try locator.resolve(Base.self) }
                released.set()
                let (base, other) = try await (first, second)
                #expect(base === other)
                return Node(base)
            }
        )
        _ = try await locator.resolveAsync(Node.self)
    }

    @Test(arguments: [Locator.Lifetime.volatile, .perArgument])
    func `Infinite recursion over arguments throws tooDeep`(lifetime: Locator.Lifetime) async {
        locator.register(
            .lazy { (locator, number: Int) in
                try await locator.resolveAsync(Depth.self, arguments: number + 1)
            }.lifetime(lifetime)
        )
        let error = await #expect(throws: InjectleError.self) {
            try await locator.resolveAsync(Depth.self, arguments: 0)
        }
        #expect(error == .circularDependency)
        #expect(error?.path.count == 200)
    }
}
