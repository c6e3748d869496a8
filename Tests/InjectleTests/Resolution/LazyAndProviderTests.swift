import Injectle
import InjectleTestSupport
import Testing

private typealias Lazy = Locator.Lazy
private typealias Provider = Locator.Provider

private protocol Motor: Sendable {}
private final class Engine: Motor {
    let number: Int
    init(number: Int) { self.number = number }
}

private final class Hen: Sendable {
    let egg: Lazy<Egg>
    init(egg: Lazy<Egg>) { self.egg = egg }
}

private final class Egg: Sendable {
    let hen: Lazy<Hen>
    init(hen: Lazy<Hen>) { self.hen = hen }
}

private final class Author: Sendable {
    let books: Provider<Book>
    init(books: Provider<Book>) { self.books = books }
}

private final class Book: Sendable {
    let author: Author
    init(author: Author) { self.author = author }
}

private struct Trip: Sendable { let text: String }

private final class Garage {
    @Inject var engine: Lazy<Engine>
    @Inject("fast") var fast: Lazy<Engine>
    @Inject("fast") var fastEngines: Provider<Engine>
}

private struct Spare: Sendable {
    let engine: Lazy<Engine>?
}

/// Not `Sendable`.
private final class Notebook {}

private actor Office {
    let locator: Locator
    init(locator: Locator) { self.locator = locator }

    func isThere() throws -> Bool {
        locator.register(
            .volatile {
                self.preconditionIsolated()
                return Notebook()
            }
        )
        let lazy = try locator.resolve(Lazy<Notebook>.self)
        let provider = try locator.resolve(Provider<Notebook>.self)
        // Called directly in the actor's method: a closure would lose the isolation.
        let lazily = [try lazy(), try lazy()]
        let provided = [try provider(), try provider()]
        return lazily[0] === lazily[1] && provided[0] !== provided[1]
    }
}

/// Services that resolve on first call.
@Suite struct LazyAndProviderTests {
    private let locator = Locator("later")
    private let created = Counter()

    private func registerEngine(in locator: Locator? = nil) {
        (locator ?? self.locator).register(.volatile { [created] in Engine(number: created.increment()) })
    }

    // MARK: Timing

    @Test func `Services with Lazy references to each other resolve`() throws {
        locator.register(.initializer(Hen.init))
        locator.register(.initializer(Egg.init))
        let hen = try locator.resolve(Hen.self)
        let egg = try hen.egg()
        #expect(try egg.hen() === hen)
        #expect(try locator.resolve(Egg.self) === egg)
    }

    @Test func `A Provider breaks a cycle`() throws {
        locator.register(.initializer(Author.init))
        locator.register(.initializer(Book.init).lifetime(.volatile))
        let author = try locator.resolve(Author.self)
        let book = try author.books()
        #expect(book.author === author)
        #expect(try author.books() !== book)
    }

    @Test func `A Lazy called during creation of its owner is a cycle`() {
        locator.register(.lazy { locator in Egg(hen: try locator.resolve(Hen.self).egg().hen) })
        locator.register(.initializer(Hen.init))
        #expect(thrown { _ = try locator.resolve(Egg.self) } == .circularDependency)
    }

    @Test func `A Lazy required by its own service is a cycle`() throws {
        let own = Guarded<Lazy<Engine>?>(nil)
        locator.register(.volatile { Engine(number: try own.value.map { try $0().number } ?? 0) })
        let lazy = try locator.resolve(Lazy<Engine>.self)
        own.withLock { $0 = lazy }
        for _ in 0..<2 { #expect(thrown { _ = try lazy() } == .circularDependency) }
        own.withLock { $0 = nil }
        #expect(try lazy().number == 0)
    }

    @Test func `Lazy services that wait on two threads are the cycle that they are on one`() async throws {
        let locator = locator
        let hen = Guarded<Lazy<Int>?>(nil)
        let egg = Guarded<Lazy<Bool>?>(nil)
        let both = Barrier(2)
        locator.register(
            .volatile(.anywhere) {
                both.wait()
                return try egg.value?() == true ? 1 : 0
            }
        )
        locator.register(
            .volatile(.anywhere) {
                both.wait()
                return try hen.value?() == 1
            }
        )
        let lazyHen = try locator.resolve(Lazy<Int>.self)
        let lazyEgg = try locator.resolve(Lazy<Bool>.self)
        hen.withLock { $0 = lazyHen }
        egg.withLock { $0 = lazyEgg }
        let codes = Guarded<[InjectleError]>([])
        await onThreadsAsync(2) { thread in
            do throws(InjectleError) {
                if thread == 0 { _ = try lazyHen() } else { _ = try lazyEgg() }
            } catch {
                codes.withLock { $0.append(error) }
            }
        }
        #expect(codes.value == [InjectleError.circularDependency, InjectleError.circularDependency])
        hen.withLock { $0 = nil }
        egg.withLock { $0 = nil }
    }

    @Test func `Lazy and Provider create on first call`() throws {
        registerEngine()
        let lazy = try locator.resolve(Lazy<Engine>.self)
        let provider = try locator.resolve(Provider<Engine>.self)
        #expect(created.value == 0)
        #expect(try lazy() === lazy())
        #expect(created.value == 1)
        #expect(try provider() !== provider())
        #expect(created.value == 3)
    }

    @Test func `A Lazy keeps its first instance`() throws {
        locator.register(.eager(Engine(number: 1)))
        let lazy = try locator.resolve(Lazy<Engine>.self)
        let provider = try locator.resolve(Provider<Engine>.self)
        #expect(try lazy().number == 1)
        locator.register(.eager(Engine(number: 2)))
        #expect(try lazy().number == 1)
        #expect(try provider().number == 2)
        locator.unregisterService(Engine.self)
        #expect(try lazy().number == 1)
        #expect(thrown { _ = try provider() } == .missing)
    }

    @Test func `Copies of a Lazy share their instance`() throws {
        registerEngine()
        let lazy = try locator.resolve(Lazy<Engine>.self)
        let copy = lazy
        #expect(try copy() === lazy())
    }

    @Test func `A missing service throws and the next call retries`() throws {
        let lazy = try locator.resolve(Lazy<Engine>.self)
        let provider = try locator.resolve(Provider<Engine>.self)
        for _ in 0..<2 {
            #expect(thrown { _ = try lazy() } == .missing)
            #expect(thrown { _ = try provider() } == .missing)
        }
        registerEngine()
        #expect(try lazy() === lazy())
        #expect(try provider().number == 2)
    }

    // MARK: Keys and arguments

    @Test func `Lazy and Provider carry the key`() throws {
        registerEngine()
        locator.register(.volatile { Engine(number: 100) }, key: "fast")
        #expect(try locator.resolve(Lazy<Engine>.self, key: "fast")().number == 100)
        #expect(try locator.resolve(Provider<Engine>.self, key: "fast")().number == 100)
        #expect((try locator.resolve(Lazy<any Motor>.self, key: "fast")() as? Engine)?.number == 100)
        #expect((try locator.resolve(Provider<any Motor>.self, key: "fast")() as? Engine)?.number == 100)
        #expect(created.value == 0)
    }

    @Test func `Lazy and Provider carry arguments and a Provider accepts others`() throws {
        locator.register(.volatile { (_, id: Int) in Trip(text: "\(id)") })
        locator.register(.volatile { (_, id: Int, name: String) in Trip(text: "\(id) \(name)") })
        locator.register(.volatile { (_, id: Int) in Trip(text: "night \(id)") }, key: "night")
        #expect(try locator.resolve(Lazy<Trip>.self, arguments: 7)().text == "7")
        #expect(try locator.resolve(Lazy<Trip>.self, key: "night", arguments: 7)().text == "night 7")
        let provider = try locator.resolve(Provider<Trip>.self, arguments: 7)
        #expect(try provider().text == "7")
        #expect(try provider(8).text == "8")
        #expect(try provider(8, "home").text == "8 home")
        #expect(try provider().text == "7")
        let night = try locator.resolve(Provider<Trip>.self, key: "night")
        #expect(try night(9).text == "night 9")
        #expect(thrown { _ = try night() } == .wrongArguments)
    }

    @Test func `Properties accept Lazy and Provider`() throws {
        registerEngine()
        locator.register(.volatile { Engine(number: 100) }, key: "fast")
        let garage = Locator.$shared.withValue(locator) { Garage() }
        #expect(try garage.engine().number == 1)
        #expect(try garage.fast().number == 100)
        #expect(try garage.fastEngines() !== garage.fastEngines())
    }

    @Test func `An optional Lazy or Provider resolves`() throws {
        registerEngine()
        locator.register(.initializer(Spare.init).lifetime(.volatile))
        #expect(try locator.resolve(Spare.self).engine?().number == 1)
        #expect(try locator.resolve(Lazy<Engine>?.self)?().number == 2)
        #expect(try locator.resolveOptional(Provider<Engine>.self)?().number == 3)
    }

    @Test func `A Lazy of an optional is nil until registration`() throws {
        let lazy = try locator.resolve(Lazy<Engine?>.self)
        let provider = try locator.resolve(Provider<Engine?>.self)
        #expect(try lazy() == nil)
        #expect(try provider() == nil)
        registerEngine()
        #expect(try lazy()?.number == 1)
        #expect(try lazy()?.number == 1)
        #expect(try provider()?.number == 2)
    }

    @Test func `Lazy and Provider resolve lists`() throws {
        let lazy = try locator.resolve(Lazy<[any Motor]>.self)
        let provider = try locator.resolve(Provider<[any Motor]>.self)
        locator.register(.lazy { Engine(number: 1) }.contributing(to: (any Motor).self))
        #expect(try lazy().count == 1)
        locator.register(.lazy { Engine(number: 2) }.contributing(to: (any Motor).self))
        #expect(try lazy().count == 1)
        #expect(try provider().count == 2)
    }

    // MARK: Locators and isolation

    @Test func `A Lazy of a child resolves from the child`() throws {
        registerEngine()
        let child = locator.child()
        let lazy = try child.resolve(Lazy<Engine>.self)
        let provider = try child.resolve(Provider<Engine>.self)
        child.register(.eager(Engine(number: 100)))
        #expect(try lazy().number == 100)
        #expect(try provider().number == 100)
        #expect(try locator.resolve(Lazy<Engine>.self)().number == 1)
    }

    @Test func `A Lazy of a parent's service resolves from the parent`() throws {
        locator.register(.initializer({ (engine: Lazy<Engine>) in [engine] }))
        registerEngine()
        let child = locator.child()
        child.register(.eager(Engine(number: 100)))
        #expect(try child.resolve([Lazy<Engine>].self).map { try $0().number } == [1])
    }

    @Test func `Lazy and Provider respect the isolation of an actor`() async throws {
        let office = Office(locator: locator)
        #expect(try await office.isThere())
        let locator = locator
        let code = await onAnotherThread { () -> InjectleError? in
            do throws(InjectleError) {
                _ = try locator.resolve(Provider<Notebook>.self)()
                return nil
            } catch {
                return error
            }
        }
        #expect(code == .wrongIsolation)
    }

    // MARK: Memory

    @Test func `Lazy and Provider throw after the locator is released`() throws {
        let (lazy, provider, settled) = try {
            let locator = Locator()
            locator.register(.eager(Engine(number: 1)))
            let settled = try locator.resolve(Lazy<Engine>.self)
            #expect(try settled().number == 1)
            return (try locator.resolve(Lazy<Engine>.self), try locator.resolve(Provider<Engine>.self), settled)
        }()
        for _ in 0..<2 {
            #expect(thrown { _ = try lazy() } == .locatorClosed)
            #expect(thrown { _ = try provider() } == .locatorClosed)
        }
        // A resolved Lazy keeps its instance.
        #expect(try settled().number == 1)
    }

    @Test func `A Lazy frees its arguments after resolving`() throws {
        let log = Tracked.Log()
        locator.register(.volatile { (_, _: Tracked) in Engine(number: 7) })
        let lazy = try locator.resolve(Lazy<Engine>.self, arguments: Tracked(log))
        #expect(log.alive == 1)
        #expect(try lazy().number == 7)
        #expect(log.alive == 0)
        #expect(try lazy() === lazy())
        #expect(log.created == 1)
    }

    @Test func `A Lazy frees its instance when it is released`() throws {
        let log = Tracked.Log()
        locator.register(.volatile { Tracked(log) })
        do {
            let lazy = try locator.resolve(Lazy<Tracked>.self)
            #expect(try lazy() === lazy())
            #expect(log.alive == 1)
        }
        #expect(log.alive == 0)
    }
}
