import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// An argument or a key that counts its references.
private final class Ticket: Hashable, Sendable {
    let number: Int
    private let tracked: Tracked

    init(_ number: Int, _ log: Tracked.Log) {
        self.number = number
        tracked = Tracked(log)
    }

    static func == (left: Ticket, right: Ticket) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

private final class Page: Sendable {}
private struct Broken: Error {}
private protocol Box {}

/// What fails leaves nothing behind.
@Suite struct FailedCreationMemoryTests {
    private let locator = Locator("failures")
    private let log = Tracked.Log()
    private let count = 100

    private static let lifetimes: [Locator.Lifetime] = [
        .perArgument, .volatile, .composite(.perArgument, .perLocator), .composite(.perArgument, .weak),
    ]

    // MARK: Arguments

    @Test(arguments: lifetimes)
    func `A failed creation frees its arguments`(_ lifetime: Locator.Lifetime) throws {
        locator.register(.lazy { (_, _: Ticket) throws -> Page in throw Broken() }.lifetime(lifetime))
        for number in 0..<count {
            #expect(thrown { try locator.resolve(Page.self, arguments: Ticket(number, log)) } == .factoryFailed)
        }
        #expect(log.created == count)
        #expect(log.alive == 0)
    }

    @Test(arguments: lifetimes)
    func `A failed hook frees the arguments`(_ lifetime: Locator.Lifetime) throws {
        locator.register(
            .lazy { (_, _: Ticket) in Page() }.afterInit { _, _ in throw Broken() }.lifetime(lifetime)
        )
        for number in 0..<count {
            #expect(thrown { try locator.resolve(Page.self, arguments: Ticket(number, log)) } == .factoryFailed)
        }
        #expect(log.alive == 0)
    }

    @Test func `A task that a closure has started frees the arguments of services that require async creation`()
        async throws
    {
        let (locator, log, count, goOn) = (locator, log, count, Signal())
        locator.register(.volatile { (_, _: Ticket) async in Page() })
        locator.register(
            .lazy(.anywhere) { () async in
                Task {
                    await goOn.reached()
                    for number in 0..<count { _ = try? locator.resolve(Page.self, arguments: Ticket(number, log)) }
                    return log.alive
                }
            }
        )
        let task = try await locator.resolveAsync(Task<Int, Never>.self)
        goOn.set()
        #expect(await task.value == 0)
        #expect(log.created == count)
    }

    @Test(arguments: lifetimes)
    func `A failed async creation frees its arguments`(_ lifetime: Locator.Lifetime) async throws {
        locator.register(.lazy { (_, _: Ticket) async throws -> Page in throw Broken() }.lifetime(lifetime))
        for number in 0..<count {
            let error = await thrown { try await locator.resolveAsync(Page.self, arguments: Ticket(number, log)) }
            #expect(error == .factoryFailed)
        }
        #expect(await inTime { await log.becomesEmpty() } == true)
    }

    @Test func `A cancelled creation frees its arguments`() async throws {
        let (locator, log) = (locator, log)
        locator.register(
            .lazy(.anywhere) { (_, _: Ticket) async throws -> Page in
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
            .lifetime(.perArgument)
        )
        for number in 0..<count {
            let task = Task { try await locator.resolveAsync(Page.self, arguments: Ticket(number, log)) }
            task.cancel()
            await #expect(throws: InjectleError.cancelled) { try await task.value }
        }
        #expect(await inTime { await log.becomesEmpty() } == true)
    }

    @Test func `Callers that the main actor keeps waiting too long free their arguments`() async {
        let (locator, log) = (Locator("failures", mainActorTimeout: .milliseconds(1)), log)
        locator.register(.volatile(.main) { (_, _: Ticket) in Page() })
        let (errors, alive) = await MainActor.run {
            let (errors, ended) = (Counter(), Signal())
            Thread.detachNewThread {
                for number in 0..<50 {
                    let error = thrown { try locator.resolve(Page.self, arguments: Ticket(number, log)) }
                    if error == .wrongIsolation { errors.increment() }
                }
                ended.set()
            }
            // The main actor runs no job meanwhile.
            ended.wait()
            return (errors.value, log.alive)
        }
        #expect(errors == 50)
        #expect(alive == 0)
    }

    // MARK: Keys

    private enum Refusal: CaseIterable { case check, closed, removed, unregistered }

    @Test(arguments: Refusal.allCases)
    private func `A registration that is not kept frees its key`(_ refusal: Refusal) async throws {
        if refusal == .closed { await locator.close() }
        for number in 0..<count {
            let key = Ticket(number, log)
            switch refusal {
            case .check:
                #expect(throws: Broken.self) {
                    try locator.register(.eager(1), key: key, and: { _, _ in throw Broken() })
                }
            case .closed: locator.register(.eager(1), key: key)
            case .removed: locator.register(.eager(1), key: key).remove()
            case .unregistered:
                locator.register(.eager(1), key: key)
                locator.unregister(Int.self, key: key)
            }
        }
        #expect(log.created == count)
        #expect(log.alive == 0)
    }

    // MARK: Errors

    private enum Fault: CaseIterable {
        case requiresAsync, wrongArguments, factoryFailed, wrongType, locatorNotFound, circularDependency
    }

    @Test(arguments: Fault.allCases)
    private func `A kept error keeps nothing that a closure captures`(_ fault: Fault) throws {
        var locator: Locator? = Locator("failures")
        register(fault, in: try #require(locator))
        let errors = [
            thrown { try locator?.resolve(Page.self) }, thrown { try locator?.resolve((any Box).self) },
        ]
        #expect(errors.contains { $0 != nil })
        #expect(log.alive == 1)
        locator = nil
        #expect(log.alive == 0)
        withExtendedLifetime(errors) {}
    }

    /// Registers services whose closures capture one object.
    private func register(_ fault: Fault, in locator: Locator) {
        let tracked = Tracked(log)
        func page() -> Page { withExtendedLifetime(tracked) { Page() } }
        switch fault {
        case .requiresAsync: locator.register(.lazy { () async in page() })
        case .wrongArguments: locator.register(.volatile { (_, _: Int) in page() })
        case .factoryFailed:
            locator.register(
                .lazy { () throws -> Page in
                    _ = page()
                    throw Broken()
                }
            )
        case .wrongType: locator.register(.lazy { page() }.as((any Box).self))
        case .locatorNotFound: locator.register(.lazy { page() }.lifetime(.perLocator(named: "other")))
        case .circularDependency:
            locator.register(
                .lazy { locator in
                    _ = page()
                    return try locator.resolve(Page.self)
                }
            )
        }
    }
}
