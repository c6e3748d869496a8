import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// `@unchecked Sendable`: one task at a time uses it.
private final class Draft: NSCopying, @unchecked Sendable {
    var text: String
    init(text: String = "") { self.text = text }
    func copy(with zone: NSZone? = nil) -> Any { Draft(text: text) }
}

private final class Pool: Sendable {}
private final class Connection: Sendable {}
private struct Endless: Error {}

/// Async requests of prototypes and composites, and their ends.
@Suite struct AsyncRequestTests {
    private let locator = Locator("async")

    /// Registers a prototype whose creation sets a signal, and then waits for another.
    private func registerPrototype(_ begun: Signal, _ goOn: Signal) {
        func make() -> Draft {
            begun.set()
            goOn.wait()
            return Draft()
        }
        locator.register(.factory(make(), isolation: nil))
    }

    @Test func `A task that waits for a prototype gets a copy`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        registerPrototype(begun, goOn)
        async let first = onAnotherThread { try? locator.resolve(Draft.self) }
        await begun.reached()
        let second = await ProbeActor.startTask { _ in try await locator.resolveAsync(Draft.self) }
        goOn.set()
        for draft in [try #require(await first), try await second.value] { draft.text = "changed" }
        #expect(try locator.resolve(Draft.self).text == "")
    }

    @Test func `Tasks that wait for a prototype get copies of their own`() async throws {
        let (locator, begun, goOn) = (locator, Signal(), Signal())
        registerPrototype(begun, goOn)
        async let creating = onAnotherThread { try? locator.resolve(Draft.self) }
        await begun.reached()
        let waiting = [
            await ProbeActor.startTask { _ in try await locator.resolveAsync(Draft.self) },
            await ProbeActor.startTask { _ in try await locator.resolveAsync(Draft.self) },
        ]
        goOn.set()
        #expect(try await waiting[0].value !== waiting[1].value)
        #expect(await creating != nil)
    }

    @Test func `Each part of a composite keeps what a task has waited for`() async throws {
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { () async in
                begun.set()
                await goOn.reached()
                return Pool()
            }
            .lifetime(.composite(.perLocator, .weak))
        )
        let (one, two) = (locator.child("one"), locator.child("two"))
        weak var kept: Pool?
        do {
            let first = await ProbeActor.startTask { _ in _ = try await one.resolveAsync(Pool.self) }
            await begun.reached()
            let second = await ProbeActor.startTask { _ in try await two.resolveAsync(Pool.self) }
            goOn.set()
            try await first.value
            kept = try await second.value
        }
        await one.close()
        #expect(kept != nil)
        #expect(try two.resolve(Pool.self) === kept)
    }

    @Test func `A closure that requests an async service with new arguments each time gets an error`() async throws {
        let connections = Counter()
        locator.register(
            .lazy(.anywhere) { (_, _: UUID) async throws in
                // Without an end, the test would not return.
                if connections.increment() > 1_000 { throw Endless() }
                return Connection()
            }
            .lifetime(.perArgument)
        )
        locator.register(
            .lazy(.anywhere) { locator in
                _ = try locator.resolve(Connection.self, arguments: UUID())
                return Pool()
            }
        )
        let error = try #require(await thrown { try await locator.resolveAsync(Pool.self) })
        #expect(error == .requiresAsync)
        #expect(error.description.contains("argument"))
        #expect(connections.value < 1_000)
    }

    @Test(arguments: [1, 3]) func `A waiter of a higher priority raises all creations on the way`(length: Int) async {
        let (locator, begun, isRaised) = (locator, Signal(), Guarded(false))
        locator.register(
            .lazy(.anywhere) { () async in
                begun.set()
                while !Task.isCancelled, Task.currentPriority < .high { await Task.yield() }
                isRaised.withLock { $0 = !Task.isCancelled }
                return Pool()
            },
            key: "0"
        )
        for number in 1..<length {
            locator.register(
                .lazy(.anywhere) { (locator: Locator.Resolver) async throws -> Pool in
                    try await locator.resolveAsync(Pool.self, key: "\(number - 1)")
                },
                key: "\(number)"
            )
        }
        let last = "\(length - 1)"
        let low = Task(priority: .low) { try await locator.resolveAsync(Pool.self, key: last) }
        await begun.reached()
        let high = Task(priority: .high) { try await locator.resolveAsync(Pool.self, key: last) }
        _ = await inTime { try? await high.value }
        low.cancel()
        high.cancel()
        _ = await low.result
        #expect(isRaised.value)
    }
}
