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

/// Initializers whose parameters are resolved by type.
@Suite struct InitializerTests {
    private let locator = Locator("initializers", mainActorTimeout: .seconds(600))

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
        #expect(throws: Never.self) { try locator.resolve(Press.self) }
        #expect(try locator.resolve(Seven.self).text == "abcdefg")
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
        #expect(thrown { _ = try locator.resolve(Int.self) }?.identity == Locator.Identity(Bolt.self))
        locator.register(.initializer(Bolt.init))
        #expect(thrown { _ = try locator.resolve(Int.self) } == .factoryFailed)
    }

    @Test func `A list parameter receives contributions`() throws {
        locator.register(.initializer(Hub.init).lifetime(.volatile))
        #expect(try locator.resolve(Hub.self).machines.isEmpty)
        locator.register(.initializer(Bolt.init).asSelf().contributing(to: (any Machine).self))
        locator.register(.initializer(Press.init).contributing(to: (any Machine).self))
        let machines = try locator.resolve(Hub.self).machines
        #expect(machines.map { "\(type(of: $0))" } == ["Bolt", "Press"])
    }

    // MARK: Functions

    @Test func `Any function can serve as an initializer`() throws {
        locator.register(.initializer(Hub.standard))
        #expect(try locator.resolve(Hub.self).bolt != nil)
        locator.register(.initializer(makeHub))
        #expect(try locator.resolve(Hub.self).bolt == nil)
    }

    @Test func `A missing parameter error names path and registration`() {
        let line = #line + 1
        locator.register(.initializer(Press.init))
        let error = thrown { _ = try locator.resolve(Press.self) }
        #expect(error == .missing)
        #expect(error?.identity == Locator.Identity(Bolt.self))
        #expect(error?.path == [Locator.Identity(Press.self)])
        #expect(
            error?.description.contains("requested by  resolve in InjectleTests/InitializerTests.swift:\(line)\n")
                == true
        )
        #expect(error?.description.contains("path          InjectleTests.Press → InjectleTests.Bolt") == true)
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
}
