import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`.
private final class Notebook {
    var pages = 0
    init() {}
}

private struct Page: Sendable {
    var number = 0
}

@MainActor private final class Screen {
    var title = "screen"
    init() { MainActor.preconditionIsolated() }
    init(loading: Void) async { MainActor.preconditionIsolated() }
}

private actor Librarian {
    private var pages = 3

    private func open() -> Notebook {
        preconditionIsolated()
        let notebook = Notebook()
        notebook.pages = pages
        return notebook
    }

    func register(in locator: Locator) {
        locator.register(.lazy { self.open() })
        locator.register(
            .lazy {
                await Task.yield()
                return self.open()
            }
            .afterInit { _, notebook in
                self.preconditionIsolated()
                notebook.pages += self.pages
            },
            key: "asynchronous"
        )
        locator.register(
            .volatile { (locator, number: Int) in
                // Resolves on another actor and returns.
                let title = try await locator.resolveAsync(Screen.self).title
                await MainActor.run {}
                self.preconditionIsolated()
                return Page(number: number + self.pages + title.count)
            }
        )
    }

    /// Registers closures that do not capture the actor and still belong to it.
    func registerWithoutItself(in locator: Locator) {
        locator.register(.lazy { Notebook() })
        locator.register(
            .lazy {
                await Task.yield()
                return Page()
            }
            .afterInit { _, page in page.number += 1 }
        )
    }

    func countPages(from locator: Locator) async throws -> [Int] {
        // Neither is `Sendable`; both are usable on this actor.
        let notebook: Notebook = try await locator.resolveAsync()
        preconditionIsolated()
        let other = try await locator.resolveAsync(Notebook.self, key: "asynchronous")
        preconditionIsolated()
        notebook.pages += 1
        return [notebook.pages, other.pages]
    }
}

/// resolveAsync runs a factory on its actor and returns to the caller's.
@Suite struct AsyncIsolationTests {
    private let locator = Locator("isolation", mainActorTimeout: .seconds(600))

    /// Resolves on behalf of the caller. Returns whether the caller is on an actor.
    private func ask<Service>(
        _ type: Service.Type,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        _ = try await locator.resolveAsync(type)
        isolation?.preconditionIsolated()
        return isolation != nil
    }

    @Test func `resolveAsync runs a factory on the main actor`() async throws {
        locator.register(.lazy(.main) { Screen() })
        locator.register(
            .lazy(.main) {
                await Task.yield()
                return await Screen(loading: ())
            },
            key: "asynchronous"
        )
        locator.register(.volatile(.main) { (_, title: String) in Screen.titled(title) })
        #expect(await onAnotherThread { true })
        let screen = try await locator.resolveAsync(Screen.self)
        #expect(try await locator.resolveAsync(Screen.self) === screen)
        _ = try await locator.resolveAsync(Screen.self, key: "asynchronous")
        let titled = try await locator.resolveAsync(Screen.self, arguments: "given")
        #expect(await titled.title == "given")
    }

    @Test @MainActor func `resolveAsync returns to the main actor`() async throws {
        let librarian = Librarian()
        locator.register(.lazy(.main) { Screen() })
        await librarian.register(in: locator)
        #expect(try await locator.resolveAsync(Page.self, arguments: 1).number == 10)
        let notebook = try await locator.resolveAsync(Notebook.self)
        // The notebook is not `Sendable` and usable here.
        notebook.pages += 1
        #expect(try locator.resolve(Notebook.self).pages == 4)
        #expect(try await ask(Notebook.self))
    }

    @Test func `resolveAsync returns to the calling actor`() async throws {
        let (librarian, other) = (Librarian(), Librarian())
        locator.register(.lazy(.main) { Screen() })
        await librarian.register(in: locator)
        #expect(try await other.countPages(from: locator) == [4, 6])
        #expect(try await librarian.countPages(from: locator) == [5, 6])
        let suite = self
        let desk = await ProbeActor.startTask { desk in try await suite.ask(Screen.self, isolation: desk) }
        #expect(try await desk.value)
    }

    @Test func `A factory written on the main actor runs there`() async throws {
        await MainActor.run { [locator] in
            _ = locator.register(.lazy { Screen() })
            _ = locator.register(
                .lazy {
                    await Task.yield()
                    MainActor.preconditionIsolated()
                    return Page()
                }
                .afterInit { _, page in
                    MainActor.preconditionIsolated()
                    page.number += 1
                }
            )
        }
        _ = try await locator.resolveAsync(Screen.self)
        #expect(try await locator.resolveAsync(Page.self).number == 1)
    }

    @Test func `Hooks run on the actor of the registration`() async throws {
        locator.register(
            .lazy(.main) {
                await Task.yield()
                return Page(number: 1)
            }.lifetime(.perLocator)
                .injecting(\Page.number)
                .afterInit { _, page in
                    MainActor.preconditionIsolated()
                    page.number += 1
                }
        )
        locator.register(
            .lazy(.main) {
                MainActor.preconditionIsolated()
                return 7
            }
        )
        // The hook runs on the main actor already.
        #expect(try await locator.resolveAsync(Page.self).number == 8)
    }

    @Test func `A registration of a released actor throws wrongIsolation`() async throws {
        do {
            let librarian = Librarian()
            await librarian.registerWithoutItself(in: locator)
        }
        let error = await #expect(throws: InjectleError.self) { _ = try await locator.resolveAsync(Notebook.self) }
        #expect(error == .wrongIsolation)
        #expect(
            error?.description.contains("is isolated to the actor ConcurrencyTests.Librarian, which was released.")
                == true
        )
        let other = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Page.self) }
        #expect(other == .wrongIsolation)
    }

    @Test func `A closure that retains its actor still runs`() async throws {
        locator.register(.lazy(.main) { Screen() })
        do {
            let librarian = Librarian()
            await librarian.register(in: locator)
        }
        #expect(try await locator.resolveAsync(Notebook.self).pages == 3)
        #expect(try await locator.resolveAsync(Notebook.self, key: "asynchronous").pages == 6)
    }

    // MARK: Strict
}

extension Screen {
    fileprivate static func titled(_ title: String) -> Screen {
        let screen = Screen()
        screen.title = title
        return screen
    }
}
