import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`.
private final class Notebook {}

private final class Shelf: @unchecked Sendable {
    // Sound to share: it is never read.
    private let notebook: Notebook
    init(_ notebook: Notebook) { self.notebook = notebook }
}

/// A strict locator returns a non-Sendable instance only on the actor that created it.
@Suite struct StrictIsolationTests {
    private let locator = Locator("strict", isolation: .strict)

    private static func code(_ body: () throws -> Void) -> InjectleError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? InjectleError)?.code
        }
    }

    private static let lifetimes: [Locator.Lifetime] = [
        .weak, .perLocator, .perLocator(named: "strict"), .composite(.perLocator, .weak), .composite(.lazy, .weak),
    ]

    @Test(arguments: lifetimes, [nil, "key"])
    func `Every caching lifetime confines a non-Sendable instance`(lifetime: Locator.Lifetime, key: String?)
        async throws
    {
        locator.register(
            .lazy(.main) { Notebook() }.lifetime(lifetime),
            for: Notebook.self,
            key: key.map(AnyHashable.init)
        )
        let kept = try await resolveOnMainActor { try $0.resolve(Notebook.self, key: key) }
        await expectRefusal { _ = try $0.resolve(Notebook.self, key: key) }
        await release(of: kept)
    }

    // MARK: Services that only have to exist

    @Test @MainActor func `A strict locator starts the services of an actor`() async throws {
        locator.register(.lazy(.main) { Notebook() }.atStart())
        locator.register(.lazy(.main) { () async in [Notebook()] }.atStart())
        try await locator.start()
        #expect(try locator.resolve([Notebook].self).count == 1)
    }

    @Test func `A strict locator starts the services of an actor for a caller elsewhere`() async throws {
        locator.register(.lazy(.main) { Notebook() }.atStart())
        let count = try await locator.run { [locator] in
            await MainActor.run { locator.registrations.filter(\.isCreated).count }
        }
        #expect(count == 1)
    }

    @Test func `A strict locator creates an async dependency on the actor of both`() async throws {
        locator.register(.lazy(.main) { () async in Notebook() })
        locator.register(.lazy(.main) { locator in Shelf(try locator.resolve(Notebook.self)) })
        _ = try await locator.resolveAsync(Shelf.self)
        await #expect(throws: InjectleError.self) { _ = try await locator.resolveAsync(Notebook.self) }
    }

    // MARK: Lifetimes

    @Test func `A perArgument instance is confined`() async throws {
        locator.register(.lazy(.main) { (_, _: Int) in Notebook() }.lifetime(.perArgument))
        let kept = try await resolveOnMainActor { try $0.resolve(Notebook.self, arguments: 1) }
        await expectRefusal { _ = try $0.resolve(Notebook.self, arguments: 1) }
        await release(of: kept)
    }

    @Test func `A Lazy confines its instance`() async throws {
        locator.register(.lazy(.main) { Notebook() })
        try await expectConfinement(try locator.resolve(Locator.Lazy<Notebook>.self))
    }

    @Test func `A Lazy of an optional confines its instance`() async throws {
        locator.register(.lazy(.main) { Notebook() })
        try await expectConfinement(try locator.resolve(Locator.Lazy<Notebook?>.self))
    }

    @Test func `A Lazy of a list confines its instances`() async throws {
        locator.register(.lazy(.main) { Notebook() }.contributing(to: Notebook.self))
        try await expectConfinement(try locator.resolve(Locator.Lazy<[Notebook]>.self))
    }

    @Test func `A Lazy of a mixed list is confined`() async throws {
        struct Page: Sendable {}
        let list = Any.self
        // Sendable elements come first and last.
        locator.register(.lazy { Page() }.contributing(to: list))
        locator.register(.lazy(.main) { Notebook() }.contributing(to: list))
        locator.register(.lazy { Page() }.contributing(to: list))
        try await expectConfinement(try locator.resolve(Locator.Lazy<[Any]>.self))
    }

    @Test func `A settled optional property is confined`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let strict = Locator("strict", isolation: .strict)
            strict.register(.lazy(.main) { Notebook() })
            let property = Locator.$shared.withValue(strict) { Injected<Notebook?>(resolve: .lazy) }
            await MainActor.run { for _ in 0..<3 { _ = property() } }
            try? FileHandle.standardError.write(contentsOf: Data("it is made\n".utf8))
            await onAnotherThread { _ = property() }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("it is made"))
        #expect(text.contains("is isolated to the main actor, and was requested outside of it"))
    }

    // MARK: Helpers

    /// Retains an instance, so that a weak one stays alive.
    private struct HeldNotebook: @unchecked Sendable {
        var notebook: Notebook?
    }

    private func resolveOnMainActor(_ resolve: @Sendable (Locator) throws -> Notebook) async throws -> HeldNotebook {
        try await MainActor.run { [locator] in
            let kept = HeldNotebook(notebook: try resolve(locator))
            // Repeats, to reach the cached read.
            for _ in 0..<3 { #expect(try resolve(locator) === kept.notebook) }
            return kept
        }
    }

    private func release(of kept: HeldNotebook) async {
        await MainActor.run { withExtendedLifetime(kept) {} }
    }

    private func expectRefusal(_ resolve: @escaping @Sendable (Locator) throws -> Void) async {
        let codes = await onAnotherThread { [locator] in
            (0..<3).map { _ in Self.code { try resolve(locator) } }
        }
        #expect(codes == Array(repeating: InjectleError.wrongIsolation, count: 3))
    }

    private func expectConfinement<Service>(_ lazy: Locator.Lazy<Service>) async throws {
        try await MainActor.run { for _ in 0..<2 { _ = try lazy() } }
        await expectRefusal { _ in _ = try lazy() }
    }
}
