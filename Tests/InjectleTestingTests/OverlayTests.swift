import Injectle
import InjectleTestSupport
import Testing

struct OverlayTests {
    private let program = Locator("program") { locator in
        locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
        locator.register(.initializer(Welcome.init))
        locator.register(.initializer(Lobby.init))
        locator.register(.lazy { Bell() })
    }

    private func overlay(of program: Locator, _ text: String = "overlay") -> Locator {
        program.overlay("overlay") { $0.register(.eager(FixedGreeter(text: text)), for: (any Greeter).self) }
    }

    @Test func `A singleton that needs an override is created anew`() throws {
        let overlay = overlay(of: program)
        #expect(try overlay.resolve(Welcome.self).text == "overlay")
        #expect(try overlay.resolve(Welcome.self) === overlay.resolve(Welcome.self))
    }

    @Test func `A singleton that needs an override through others is created anew`() throws {
        let overlay = overlay(of: program)
        #expect(try overlay.resolve(Lobby.self).welcome === overlay.resolve(Welcome.self))
        #expect(try overlay.resolve(Lobby.self).welcome.text == "overlay")
    }

    @Test func `A decorated singleton that needs an override is created and decorated anew`() throws {
        let decorated = Counter()
        program.decorate(Welcome.self) { welcome in
            decorated.increment()
            return welcome
        }
        let overlay = overlay(of: program)
        #expect(try overlay.resolve(Lobby.self).welcome.text == "overlay")
        #expect(decorated.value == 1)
        #expect(try program.resolve(Welcome.self).text == "program")
        #expect(decorated.value == 2)
    }

    @Test func `The parent keeps its instances`() throws {
        let overlay = overlay(of: program)
        _ = try overlay.resolve(Lobby.self)
        #expect(try program.resolve(Lobby.self).welcome.text == "program")
        #expect(try program.resolve(Lobby.self) !== overlay.resolve(Lobby.self))
    }

    @Test func `A singleton that needs no override is shared`() throws {
        #expect(try overlay(of: program).resolve(Bell.self) === program.resolve(Bell.self))
    }

    @Test func `Each overlay has instances of its own`() throws {
        let (first, second) = (overlay(of: program, "a"), overlay(of: program, "b"))
        #expect(try first.resolve(Lobby.self).welcome.text == "a")
        #expect(try second.resolve(Lobby.self).welcome.text == "b")
    }

    @Test func `A singleton of the parent that exists does not hide the override`() throws {
        let first = overlay(of: program, "a")
        _ = try program.resolve(Lobby.self)
        #expect(try first.resolve(Lobby.self).welcome.text == "a")
        #expect(try overlay(of: program, "b").resolve(Lobby.self).welcome.text == "b")
    }

    @Test func `A singleton is created anew at any time`() throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.initializer(Welcome.init))
        }
        _ = try program.resolve(Welcome.self)
        #expect(try overlay(of: program).resolve(Welcome.self).text == "overlay")
    }

    @Test func `A declared dependency is an edge`() throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(
                .lazy { locator in Welcome(greeter: try locator.resolve()) }.depending(on: (any Greeter).self)
            )
        }
        #expect(try overlay(of: program).resolve(Welcome.self).text == "overlay")
    }

    @Test func `A recorded dependency is an edge`() throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.lazy { locator in Welcome(greeter: try locator.resolve()) })
        }
        #expect(try overlay(of: program).resolve(Welcome.self).text == "program")
        let recorded = Locator("recorded") { locator in
            locator.recordsDependencies = true
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.lazy { locator in Welcome(greeter: try locator.resolve()) })
        }
        _ = try recorded.resolve(Welcome.self)
        #expect(try overlay(of: recorded).resolve(Welcome.self).text == "overlay")
    }

    @Test func `A property that is declared is an edge`() throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.lazy { Page() }.depending(on: (any Greeter).self))
        }
        let overlay = overlay(of: program)
        #expect(try overlay.resolve(Page.self).text == "overlay")
        #expect(try program.resolve(Page.self).text == "program")
    }

    @Test func `A singleton that needs an override through a transient service is created anew`() throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.initializer(Welcome.init).lifetime(.volatile))
            locator.register(.initializer(Lobby.init))
        }
        #expect(try overlay(of: program).resolve(Lobby.self).welcome.text == "overlay")
    }

    @Test func `A service registered later is an override, too`() throws {
        let overlay = program.overlay("overlay")
        #expect(try overlay.resolve(Lobby.self).welcome.text == "program")
        overlay.register(.eager(FixedGreeter(text: "overlay")), for: (any Greeter).self)
        #expect(try overlay.resolve(Lobby.self).welcome.text == "overlay")
    }

    @Test func `An override of a singleton replaces it`() throws {
        let overlay = program.overlay("overlay") { overlay in
            overlay.register(.eager(Welcome(greeter: FixedGreeter(text: "mine"))))
            overlay.register(.eager(FixedGreeter(text: "overlay")), for: (any Greeter).self)
        }
        #expect(try overlay.resolve(Lobby.self).welcome.text == "mine")
    }

    @Test func `Async singletons are created anew`() async throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(
                .lazy { locator -> Welcome in
                    await Task.yield()
                    return Welcome(greeter: try locator.resolve())
                }
                .depending(on: (any Greeter).self)
            )
        }
        let overlay = overlay(of: program)
        #expect(try await overlay.resolveAsync(Welcome.self).text == "overlay")
        #expect(try await program.resolveAsync(Welcome.self).text == "program")
    }

    @Test func `The elements of a list are copied together`() throws {
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.lazy { Bell() }.contributing(to: AnyObject.self))
            locator.register(.initializer(Welcome.init).contributing(to: AnyObject.self))
        }
        let overlay = overlay(of: program)
        let list = try overlay.resolveAll(AnyObject.self)
        #expect(list.count == 2)
        #expect((list.last as? Welcome)?.text == "overlay")
        #expect(try (program.resolveAll(AnyObject.self).last as? Welcome)?.text == "program")
    }

    @Test func `A given instance is disposed of once, if its disposer registers a dependency in an overlay`() async {
        let ended = Counter()
        let given = Locator("parent")
        let overlay = given.overlay("overlay")
        given.register(.eager(1))
        let bell = Locator.Registration.eager(Bell()).depending(on: Int.self)
        given.register(
            bell.onDispose { _ in
                ended.increment()
                overlay.register(.eager(2))
            }
        )
        await given.close()
        #expect(ended.value == 1)
    }

    @Test func `A registration of another type under its key does not keep a singleton from being created anew`() throws
    {
        program.register(.initializer(Welcome.init), key: "hall")
        let overlay = overlay(of: program)
        let other = program.overlay("other") { $0.register(.eager(1), key: "hall") }
        other.register(.eager(FixedGreeter(text: "other")), for: (any Greeter).self)
        #expect(try overlay.resolve(Welcome.self, key: "hall").text == "overlay")
        #expect(try other.resolve(Welcome.self, key: "hall").text == "other")
    }

    @Test func `An overlay that has its own service does not dispose of its parent's`() async throws {
        let ended = Counter()
        let given = Locator("parent")
        given.register(.eager(1), key: 1)
        let bell = Locator.Registration.eager(Bell()).depending(on: Int.self, key: 1)
        given.register(bell.onDispose { _ async in ended.increment() }, key: "hall")
        let own = Bell()
        let overlay = given.overlay("overlay") { $0.register(.eager(own), key: "hall") }
        overlay.register(.eager(2), key: 1)
        #expect(try overlay.resolve(Bell.self, key: "hall") === own)
        await overlay.close()
        #expect(ended.value == 0)
        _ = await given.unregisterAsync(Bell.self, key: "hall")
        #expect(ended.value == 1)
    }

    enum End: CaseIterable { case closed, unregistered, reset, released }

    @Test(arguments: End.allCases)
    func `A given instance is disposed of with the registration of the parent`(afterThat end: End) async throws {
        let ended = Counter()
        let given = Locator("parent")
        given.register(.eager(Bell()).depending(on: Int.self).onDispose { _ in ended.increment() })
        given.register(.eager(1))
        var overlay: Locator? = given.overlay("overlay") { $0.register(.eager(2)) }
        #expect(overlay?.registrations.count == 2)
        #expect(try overlay?.resolve(Bell.self) === given.resolve(Bell.self))
        switch end {
        case .closed: await overlay?.close()
        case .unregistered: overlay?.unregisterService(Bell.self)
        case .reset: overlay?.reset()
        case .released: overlay = nil
        }
        #expect(ended.value == 0)
        _ = try given.resolve(Bell.self)
        await given.close()
        #expect(ended.value == 1)
    }

    @Test func `A copy disposes of its own instance`() async throws {
        let log = CallLog()
        let program = Locator("program") { locator in
            locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
            locator.register(.initializer(Welcome.init).onDispose { log.record($0.text) })
        }
        let overlay = overlay(of: program)
        _ = try (overlay.resolve(Welcome.self), program.resolve(Welcome.self))
        #expect(await overlay.close().isEmpty)
        #expect(log.entries == ["overlay"])
        #expect(await program.close().isEmpty)
        #expect(log.entries == ["overlay", "program"])
    }
}
