import Injectle
import InjectleTestSupport
import Testing

private protocol Machine: Sendable {}

// Types that distinguish the parameters of an initializer.
private struct Part<Name: Sendable>: Sendable { let text: String }
private enum A {}
private enum B {}
private enum C {}
private enum D {}
private enum E {}
private enum F {}
private enum G {}

private struct Bolt: Machine { init() {} }

private struct Press: Machine {
    let bolt: Bolt
    init(bolt: Bolt) { self.bolt = bolt }
}

private struct Seven: Sendable {
    let text: String
    init(_ a: Part<A>, _ b: Part<B>, _ c: Part<C>, _ d: Part<D>, _ e: Part<E>, _ f: Part<F>, _ g: Part<G>) {
        text = [a.text, b.text, c.text, d.text, e.text, f.text, g.text].joined()
    }
}

private struct Twelve: Sendable {
    let text: String
    init(
        _ one: Part<A>,
        _ two: Part<B>,
        _ three: Part<C>,
        _ four: Part<D>,
        _ five: Part<E>,
        _ six: Part<F>,
        _ seven: Part<G>,
        _ eight: Part<F>,
        _ nine: Part<E>,
        _ ten: Part<D>,
        _ eleven: Part<C>,
        _ twelve: Part<B>
    ) {
        let first = one.text + two.text + three.text + four.text + five.text + six.text
        text = first + seven.text + eight.text + nine.text + ten.text + eleven.text + twelve.text
    }
}

private final class Hub: Sendable {
    let bolt: Bolt?
    let machines: [any Machine]
    let resolver: Locator.Resolver
    init(bolt: Bolt?, machines: [any Machine], resolver: Locator.Resolver) {
        self.bolt = bolt
        self.machines = machines
        self.resolver = resolver
    }

    static func standard(resolver: Locator.Resolver) -> Hub { Hub(bolt: Bolt(), machines: [], resolver: resolver) }
}

private func makeHub(machines: [any Machine], resolver: Locator.Resolver) throws -> Hub {
    Hub(bolt: nil, machines: machines, resolver: resolver)
}

private final class Later: Sendable {
    let lazy: Locator.Lazy<Tracked>
    let provider: Locator.Provider<Tracked>
    init(lazy: Locator.Lazy<Tracked>, provider: Locator.Provider<Tracked>) {
        self.lazy = lazy
        self.provider = provider
    }
}

private struct Refusal: Error {}

private struct Failing: Sendable {
    init(bolt: Bolt) throws { throw Refusal() }
}

private final class Crate: Machine {
    let bolt: Bolt
    init(bolt: Bolt) { self.bolt = bolt }
}

@MainActor private final class Panel {
    let bolt: Bolt
    init(bolt: Bolt) {
        MainActor.preconditionIsolated()
        self.bolt = bolt
    }
}

/// Not `Sendable`.
private final class Notebook {
    let bolt: Bolt
    init(bolt: Bolt) { self.bolt = bolt }
}

private struct FixedScopeLifetime: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

/// Initializers whose parameters are resolved by type.
@Suite struct InitializerTests {
    private let locator = Locator("initializers", mainActorTimeout: .seconds(600))

    private func error(_ body: () throws -> Void) -> InjectleError? {
        do {
            try body()
            return nil
        } catch {
            return error as? InjectleError
        }
    }

    private func registerParts() {
        locator.register(.eager(Part<A>(text: "a")))
        locator.register(.eager(Part<B>(text: "b")))
        locator.register(.eager(Part<C>(text: "c")))
        locator.register(.eager(Part<D>(text: "d")))
        locator.register(.eager(Part<E>(text: "e")))
        locator.register(.eager(Part<F>(text: "f")))
        locator.register(.eager(Part<G>(text: "g")))
    }

    // MARK: Parameters

    @Test func `Any number of parameters is resolved`() throws {
        registerParts()
        locator.register(.initializer(Bolt.init))
        locator.register(.initializer(Press.init))
        locator.register(.initializer(Seven.init))
        locator.register(.initializer(Twelve.init).lifetime(.volatile))
        #expect(throws: Never.self) { try locator.resolve(Press.self) }
        #expect(try locator.resolve(Seven.self).text == "abcdefg")
        #expect(try locator.resolve(Twelve.self).text == "abcdefgfedcb")
    }

    @Test func `A missing optional parameter is nil`() throws {
        locator.register(.initializer(Hub.init).lifetime(.volatile))
        #expect(try locator.resolve(Hub.self).bolt == nil)
        locator.register(.initializer(Bolt.init))
        #expect(try locator.resolve(Hub.self).bolt != nil)
    }

    @Test func `A failing optional parameter is an error`() {
        locator.register(.initializer({ (_: Failing?) in 1 }).lifetime(.volatile))
        locator.register(.initializer(Failing.init))
        #expect(error { _ = try locator.resolve(Int.self) }?.identity == Locator.Identity(Bolt.self))
        locator.register(.initializer(Bolt.init))
        #expect(error { _ = try locator.resolve(Int.self) } == .factoryFailed)
    }

    @Test func `A list parameter receives contributions`() throws {
        locator.register(.initializer(Hub.init).lifetime(.volatile))
        #expect(try locator.resolve(Hub.self).machines.isEmpty)
        locator.register(.initializer(Bolt.init).asSelf().contributing(to: (any Machine).self))
        locator.register(.initializer(Press.init).contributing(to: (any Machine).self))
        let machines = try locator.resolve(Hub.self).machines
        #expect(machines.map { "\(type(of: $0))" } == ["Bolt", "Press"])
    }

    @Test func `A registered list takes precedence over contributions`() throws {
        locator.register(.eager("contributed").contributing(to: String.self))
        locator.register(.initializer({ (names: [String]) in names.count }).lifetime(.volatile))
        locator.register(.initializer({ (names: [String]) in names.joined() }).lifetime(.volatile), key: "joined")
        #expect(try locator.resolve(String.self, key: "joined") == "contributed")
        locator.register(.eager(["registered", "list"]))
        #expect(try locator.resolve(Int.self) == 2)
        #expect(try locator.resolve(String.self, key: "joined") == "registeredlist")
    }

    @Test func `Lazy and Provider parameters resolve later`() throws {
        let log = Tracked.Log()
        locator.register(.initializer(Later.init))
        let later = try locator.resolve(Later.self)
        locator.register(.volatile { Tracked(log) })
        #expect(log.created == 0)
        #expect(try later.lazy() === later.lazy())
        #expect(log.created == 1)
        #expect(try later.provider() !== later.provider())
        #expect(log.created == 3)
    }

    @Test func `A resolver parameter resolves any service`() throws {
        locator.register(.initializer(Hub.init))
        let resolver = try locator.resolve(Hub.self).resolver
        locator.register(.eager(7))
        #expect(try resolver.resolve(Int.self) == 7)
    }

    @Test func `Arguments replace parameters by type`() throws {
        registerParts()
        locator.register(.initializer(Seven.init).lifetime(.volatile))
        let seven = try locator.resolve(Seven.self, arguments: Part<G>(text: "G"), Part<B>(text: "B"))
        #expect(seven.text == "aBcdefG")
    }

    // MARK: Functions

    @Test func `An initializer that throws is a factory failure`() {
        locator.register(.initializer(Bolt.init))
        locator.register(.initializer(Failing.init))
        for _ in 0..<2 {
            let error = error { _ = try locator.resolve(Failing.self) }
            #expect(error == .factoryFailed)
            #expect(error?.underlying is Refusal)
        }
    }

    @Test func `Any function can serve as an initializer`() throws {
        locator.register(.initializer(Hub.standard))
        #expect(try locator.resolve(Hub.self).bolt != nil)
        locator.register(.initializer(makeHub))
        #expect(try locator.resolve(Hub.self).bolt == nil)
    }

    @Test func `An initializer registration accepts other identities`() throws {
        locator.register(.initializer(Bolt.init))
        locator.register(.initializer(Crate.init).as((any Machine).self).asSelf(key: "crate"))
        let crate = try locator.resolve(Crate.self, key: "crate")
        #expect(try locator.resolve((any Machine).self) as? Crate === crate)
        #expect(!locator.isRegistered(Crate.self))
    }

    @Test func `A missing parameter error names path and registration`() {
        let line = #line + 1
        locator.register(.initializer(Press.init))
        let error = error { _ = try locator.resolve(Press.self) }
        #expect(error == .missing)
        #expect(error?.identity == Locator.Identity(Bolt.self))
        #expect(error?.path == [Locator.Identity(Press.self)])
        #expect(
            error?.description.contains("requested by  resolve in InjectleTests/InitializerTests.swift:\(line)\n")
                == true
        )
        #expect(error?.description.contains("path          InjectleTests.Press → InjectleTests.Bolt") == true)
    }

    // MARK: Lifetimes

    @Test func `Every lifetime accepts an initializer`() throws {
        locator.register(.initializer(Bolt.init).lifetime(.volatile))
        func areSame(_ lifetime: Locator.Lifetime) throws -> Bool {
            locator.register(.initializer(Crate.init).lifetime(lifetime))
            let crate = try locator.resolve(Crate.self)
            return try withExtendedLifetime(crate) { try locator.resolve(Crate.self) === crate }
        }
        #expect(try areSame(.lazy))
        #expect(try !areSame(.volatile))
        #expect(try areSame(.weak))
        #expect(try !areSame(.graph))
        #expect(try areSame(.perLocator))
        #expect(try areSame(.perLocator(named: "initializers")))
        #expect(try areSame(.perArgument))
        #expect(try areSame(.composite(.graph, .weak)))
        #expect(try areSame(.custom(FixedScopeLifetime(scope: Locator.Scope()))))
    }

    @Test func `A named locator caches an initializer's instance`() throws {
        locator.register(.initializer(Bolt.init))
        locator.register(.initializer(Crate.init).lifetime(.perLocator(named: "session")))
        #expect(error { _ = try locator.resolve(Crate.self) } == .locatorNotFound)
        let session = locator.child("session")
        let crate = try session.child().resolve(Crate.self)
        #expect(try session.child("view").resolve(Crate.self) === crate)
        #expect(try locator.child("session").resolve(Crate.self) !== crate)
    }

    @Test func `A custom lifetime accepts an initializer`() throws {
        let scope = Locator.Scope()
        locator.register(.initializer(Bolt.init))
        locator.register(.initializer(Crate.init).lifetime(FixedScopeLifetime(scope: scope)))
        let crate = try locator.resolve(Crate.self)
        #expect(try locator.resolve(Crate.self) === crate)
        scope.reset()
        #expect(try locator.resolve(Crate.self) !== crate)
    }

    // MARK: Isolation

    @Test func `An anywhere initializer runs on the calling thread`() async {
        let locator = locator
        await MainActor.run {
            _ = locator.register(.initializer(.anywhere, Bolt.init))
            _ = locator.register(.initializer(.anywhere, { Crate(bolt: $0) }))
        }
        locator.mainActorTimeout = .zero
        #expect(await onAnotherThread { (try? locator.resolve(Crate.self)) != nil })
    }

    @Test func `A main actor initializer runs on the main actor`() async throws {
        let locator = locator
        locator.register(.initializer(.anywhere, Bolt.init))
        locator.register(.initializer(.main, Panel.init))
        let panel = await onAnotherThread { try? locator.resolve(Panel.self) }
        #expect(try await MainActor.run { try locator.resolve(Panel.self) } === panel)
        #expect(panel != nil)
    }

    @Test @MainActor func `An initializer registered on the main actor runs there`() async throws {
        locator.register(.initializer(.anywhere, Bolt.init))
        locator.register(.initializer(Panel.init).lifetime(.volatile))
        #expect(try locator.resolve(Panel.self) !== locator.resolve(Panel.self))
        let locator = locator
        #expect(await onAnotherThread { (try? locator.resolve(Panel.self)) != nil })
    }

    @Test func `A non-Sendable service can use an initializer`() throws {
        locator.register(.initializer(Bolt.init))
        locator.register(.initializer(Notebook.init))
        #expect(try locator.resolve(Notebook.self) === locator.resolve(Notebook.self))
        locator.register(.initializer(.anywhere, { Notebook(bolt: $0) }).lifetime(.volatile))
        #expect(try locator.resolve(Notebook.self) !== locator.resolve(Notebook.self))
    }
}
