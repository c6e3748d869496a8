@testable import Injectle
import InjectleTestSupport
import Testing

private struct FixedScopeLifetime: Locator.CustomLifetime {
    let scope = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Bus: Sendable {}

/// The locator that disposal events name, and the errors that no behavior receives.
@Suite struct DisposalEventTests {
    private static let lifetimes: [(Locator.Lifetime, String)] = [
        (.lazy, "app"), (.perLocator, "request"), (.perLocator(named: "session"), "session"),
        (.custom(FixedScopeLifetime()), "app"), (.composite(.perLocator, .weak), "app"), (.graph, "request"),
    ]

    @Test(arguments: lifetimes)
    func `A disposal event names the locator that created the instance`(
        lifetime: Locator.Lifetime,
        name: String
    ) async throws {
        let locator = Locator("app")
        let events = EventCollector()
        locator.add(events)
        locator.register(
            .lazy(.anywhere) { LoggedService("service", CallLog()) }.lifetime(lifetime).onDispose { _ in }
        )
        locator.register(.volatile(.anywhere) { locator in try locator.resolve(LoggedService.self).name })
        do {
            let request = locator.child("session").child("request")
            _ = try request.resolve(String.self)
        }
        await locator.close()
        let service = Locator.Identity(LoggedService.self)
        #expect(events.events(.didCreate).filter { $0.identity == service }.map(\.locatorName) == [name])
        #expect(events.events(.didDispose).map(\.locatorName) == [name])
    }

    @Test func `A disposal event names the locator that was given the instance`() {
        let locator = Locator("app")
        let events = EventCollector()
        locator.add(events)
        locator.register(.eager(1).onDispose { _ in })
        locator.reset()
        #expect(events.events(.didDispose).map(\.locatorName) == ["app"])
    }

    @Test func `The error of a hook is written to standard error unless a behavior receives it`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failures: Locator.Behavior {
                func handle(_ event: Locator.Event) {}
            }
            struct Others: Locator.Behavior {
                let observedKinds = Locator.Event.Kind.all.subtracting([.didDispose])
                func handle(_ event: Locator.Event) {}
            }
            struct Failed: Error { let number: Int }
            for (number, behavior) in ([Others(), Failures(), Others()] as [any Locator.Behavior]).enumerated() {
                let locator = Locator()
                locator.add(behavior)
                for repetition in 0..<2 {
                    locator.register(.eager(Bus()).onDispose { _ in throw Failed(number: 10 * number + repetition) })
                    locator.reset()
                }
            }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        for number in [0, 1, 20, 21] { #expect(text.contains("Failed(number: \(number))")) }
        for number in [10, 11] { #expect(!text.contains("Failed(number: \(number))")) }
    }

    @Test func `The error of a hook of a child that nobody receives is written to standard error`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failed: Error { let number: Int }
            let locator = Locator()
            func child(_ number: Int) -> (Locator) -> Void {
                { $0.register(.eager(Bus()).onDispose { _ in throw Failed(number: number) }) }
            }
            await locator.withChild("request", child(1)) { _ in }
            await locator.withChild("request", child(2), onDisposalErrors: { _ in }) { _ in }
            let hasReturned = Signal()
            weak var request: Locator?
            await locator.withChild("request", child(3), onDisposalErrors: { _ in }) { child in
                request = child
                let hold = child.hold()
                Task { await hold.run { _ in await hasReturned.reached() } }
            }
            hasReturned.set()
            // The close retains it until the error is written.
            while request != nil { await Task.yield() }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        for number in [1, 3] { #expect(text.contains("Failed(number: \(number))")) }
        #expect(!text.contains("Failed(number: 2)"))
    }

    @Test func `The errors of a close that only its own hook has begun are written to standard error`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failed: Error {}
            let server = Locator("server")
            server.register(.eager(Bus()).onDispose { _ in throw Failed() })
            let request = server.child("request")
            request.register(.eager(1).onDispose { _ async in await server.close() })
            await request.close()
            // The error is written before the close has ended.
            while server.core.state.withLock({ $0.closing?.isInProgress ?? true }) { await Task.yield() }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Failed to dispose of ConcurrencyTests.Bus: Failed()"))
    }

    @Test func `The last hold writes no error that the close of an ancestor has returned`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failed: Error {}
            let server = Locator("server")
            weak var request: Locator?
            var hold: Locator.Hold?
            await server.withChild("request", { $0.register(.eager(Bus()).onDispose { _ in throw Failed() }) }) {
                child in
                (request, hold) = (child, child.hold())
            }
            let errors = await server.close()
            precondition(errors.count == 1)
            hold?.release()
            hold = nil
            // The close retains it until the error would be written.
            while request != nil { await Task.yield() }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text == "")
    }

    @Test func `The error of a hook that runs by an action of a behavior is written to standard error`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            struct Failures: Locator.Behavior {
                func handle(_ event: Locator.Event) { fatalError("Actions of behaviors send no events.") }
            }
            struct Resetting: Locator.Behavior {
                let other: Locator

                func handle(_ event: Locator.Event) { if event.kind == .didRegister { other.reset() } }
            }
            struct Failed: Error { let number: Int }
            let (locator, other) = (Locator(), Locator())
            other.register(.eager(Bus()).onDispose { _ in throw Failed(number: 7) })
            other.add(Failures())
            locator.add(Resetting(other: other))
            locator.register(.eager(1))
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Failed(number: 7)"))
    }
}
