import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`, and isolated to the main actor.
@MainActor private final class Shelf {
    var title = "empty"
    init() {}
}
private struct Ticket { var number = 1 }
private struct Full: Error {}

/// Hooks of the main actor, for registrations that are written in a function without isolation.
@Suite struct MainActorHookTests {
    private let locator = Locator("app")

    @Test func `A disposer of the main actor uses its service`() async throws {
        let titles = Guarded<[String]>([])
        locator.register(
            .lazy(.main) { Shelf() }.onDispose(.main) { shelf in
                MainActor.preconditionIsolated()
                titles.withLock { $0.append(shelf.title) }
            }
        )
        let locator = locator
        try await MainActor.run { try locator.resolve(Shelf.self).title = "full" }
        #expect(await locator.close().isEmpty)
        #expect(titles.value == ["full"])
    }

    @Test func `A hook of the main actor changes its service`() async throws {
        let locator = locator
        locator.register(.lazy(.main) { Shelf() }.afterInit(.main) { _, shelf in shelf.title = "full" })
        #expect(try await MainActor.run { try locator.resolve(Shelf.self).title } == "full")
    }

    @Test func `A hook of the main actor creates the service there`() async throws {
        locator.register(
            .volatile(.anywhere) { Ticket() }.afterInit(.main) { _, ticket in
                MainActor.preconditionIsolated()
                ticket.number += 1
            }
        )
        #expect(try await locator.resolveAsync(Ticket.self).number == 2)
    }

    @Test func `An error of a hook of the main actor is the error of the creation`() async {
        locator.register(.lazy(.main) { Shelf() }.afterInit(.main) { _, _ in throw Full() })
        let locator = locator
        await MainActor.run { _ = #expect(throws: InjectleError.factoryFailed) { try locator.resolve(Shelf.self) } }
    }

    @Test func `A hook of the main actor traps for a closure of another actor`() async {
        await #expect(processExitsWith: .failure) {
            actor Librarian {
                func register() { _ = Locator.Registration<Ticket>.lazy { Ticket() }.afterInit(.main) { _, _ in } }
            }
            await Librarian().register()
        }
    }
}
