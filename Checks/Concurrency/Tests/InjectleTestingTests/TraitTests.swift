import Injectle
import InjectleTestSupport
import InjectleTesting
import Testing

private let closings = CallLog()

extension ServiceKey<any Greeter> {
    fileprivate static let door = Self("door", default: .lazy { FixedGreeter(text: "default") })
}

@Suite(.locator { $0.register(.eager(FixedGreeter(text: "suite")), for: (any Greeter).self) })
struct TraitTests {
    let page = Page()

    @Test func `A suite registers services for its tests`() {
        #expect(page.text == "suite")
    }

    @Test(.override((any Greeter).self) { FixedGreeter(text: "test") })
    func `A test replaces a service of its suite`() {
        #expect(page.text == "test")
    }

    @Test(.locator(GreeterModule(text: "module")))
    func `A module registers services for a test`() {
        #expect(page.text == "module")
    }

    @Test(
        .locator(GreeterModule(text: "module")) {
            $0.register(.eager(FixedGreeter(text: "closure")), for: (any Greeter).self)
        }
    )
    func `A closure registers after the modules`() {
        #expect(page.text == "closure")
    }

    @Test(
        .locator { locator in
            await Task.yield()
            locator.register(.eager(FixedGreeter(text: "async")), for: (any Greeter).self)
        }
    )
    func `A closure can be async`() {
        #expect(page.text == "async")
    }

    @Test(
        .locator { @MainActor locator in
            MainActor.assertIsolated()
            locator.register(.eager(FixedGreeter(text: "main")), for: (any Greeter).self)
        }
    )
    func `A closure can be isolated to the main actor`() {
        #expect(page.text == "main")
    }

    @Test(.override((any Greeter).self, key: "eu") { FixedGreeter(text: "eu") })
    func `An override can have a key`() throws {
        #expect(try Locator.shared.resolve((any Greeter).self, key: "eu").text == "eu")
        #expect(page.text == "suite")
    }

    @Test(arguments: 0..<20)
    func `Each case has a locator of its own`(number: Int) async {
        #expect(page.text == "suite")
        Locator.shared.register(.eager(FixedGreeter(text: "\(number)")), for: (any Greeter).self)
        await Task.yield()
        #expect(page.text == "\(number)")
    }

    @Test(
        .override((any Greeter).self, key: ServiceKey<any Greeter>.door) { FixedGreeter(text: "override") }.recording()
    )
    func `An override can have a key that knows its type`() throws {
        let key = ServiceKey<any Greeter>.door
        #expect(try Locator.shared.resolve(key).text == "override")
        #expect(Locator.TestLocator.current.resolutions(of: (any Greeter).self, key: key).count == 1)
        #expect(Locator.TestLocator.current.creations(of: (any Greeter).self, key: key).count == 1)
    }

    @Test(.override(.door) { FixedGreeter(text: "override") })
    func `An override can have a typed key alone`() throws {
        #expect(try Locator.shared.resolve(.door).text == "override")
        #expect(page.text == "suite")
    }

    @Test func `A key with a default has an instance of its own in each test`() throws {
        let key = ServiceKey<any Greeter>.door
        #expect(try Locator.shared.resolve(key).text == "default")
        #expect(Locator.TestLocator.current.locator.isRegistered((any Greeter).self, key: key))
        #expect(!Locator.default.isRegistered((any Greeter).self, key: key))
    }

    @Test func `The current test has the locator`() {
        #expect(Locator.TestLocator.current.locator.registrations.count == 1)
    }

    @Suite(.locator { $0.register(.lazy { LiveSign() }.as((any Sign).self).as((any Greeter).self).atStart()) })
    struct SeveralTypes {
        @Test(.override((any Greeter).self) { FixedGreeter(text: "mock") })
        func `An override of one type leaves nothing of the former service under the others`() async throws {
            try await Locator.shared.start()
            #expect(Page().text == "mock")
            let error = #expect(throws: InjectleError.self) { try Locator.shared.resolve((any Sign).self) }
            #expect(error?.description.contains("the override of any InjectleTestingTests.Greeter") == true)
        }

        @Test(.override((any Greeter).self) { LiveSign() })
        func `The new service is found under the types that it is of`() throws {
            #expect(try Locator.shared.resolve((any Sign).self) is LiveSign)
        }
    }

    @Suite struct Nested {
        @Test(.override((any Greeter).self) { FixedGreeter(text: "inner") })
        func `A nested suite inherits the trait`() {
            #expect(Page().text == "inner")
        }

        @MainActor @Test func `A test on the main actor has the locator`() async {
            #expect(Page().text == "suite")
            await Task.yield()
            #expect(Page().text == "suite")
        }
    }
}

@Suite(.serialized) struct ClosingTests {
    @Test(.locator { $0.register(.lazy { Bell() }.onDispose { _ in closings.record("closed") }) })
    func `1 A service is created`() throws {
        _ = try Locator.shared.resolve(Bell.self)
        #expect(closings.entries.isEmpty)
    }

    @Test func `2 The locator was closed after the test`() {
        #expect(closings.entries == ["closed"])
    }
}

private let program = Locator("program") { locator in
    locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
    locator.register(.initializer(Welcome.init))
    locator.register(.initializer(Lobby.init))
    locator.register(.lazy { Bell() })
}

@Suite(.locator(parent: program)) struct ParentTests {
    @Test func `A child inherits the services of its parent`() {
        #expect(Page().text == "program")
    }

    @Test(.override((any Greeter).self) { FixedGreeter(text: "test") })
    func `A singleton of the parent keeps its dependencies`() throws {
        #expect(try Locator.shared.resolve(Lobby.self).welcome.text == "program")
    }

    @Test(.locator(copying: program), .override((any Greeter).self) { FixedGreeter(text: "test") })
    func `An override of a copy reaches each service`() throws {
        #expect(try Locator.shared.resolve(Lobby.self).welcome.text == "test")
        #expect(try Locator.shared.resolve(Bell.self) !== program.resolve(Bell.self))
        #expect(try program.resolve(Lobby.self).welcome.text == "program")
    }

    @Test(.locator(copying: program) { $0.register(.eager(FixedGreeter(text: "closure")), for: (any Greeter).self) })
    func `A closure registers after the copy`() throws {
        #expect(try Locator.shared.resolve(Lobby.self).welcome.text == "closure")
    }
}

/// A root that no test creates.
private struct Hall {
    @Inject var lobby: Lobby
}

@Suite(.checking(Hall.self)) struct CheckingTests {
    @Test(
        .override((any Greeter).self) { FixedGreeter(text: "test") },
        .locator {
            $0.register(.initializer(Lobby.init))
            $0.register(.initializer(Welcome.init))
        }
    )
    func `A test runs if the registrations of all its traits have no fault`() {
        #expect(Page().text == "test")
    }

    @Test(.locator(copying: program) { $0.register(.lazy { (_, name: String) in FixedGreeter(text: name) }) })
    func `A copied registration is checked, and a fault that no root reaches is left out`() {
        #expect(Page().text == "program")
    }

    @Test(.locator(parent: program)) func `An inherited registration is checked`() {
        #expect(Page().text == "program")
    }
}

/// A root with a key, which its type does not show.
@MainActor private final class Poster {
    @Inject("sign") var greeter: any Greeter
    @Injected(resolve: .eager) private var guest: Bell
}

@Suite(.override((any Greeter).self, key: "sign") { FixedGreeter(text: "test") })
struct CheckedObjectTests {
    @Test(.override(Bell.self) { Bell() }, .checking { Poster() })
    @MainActor func `A test runs if the objects that it creates find all services`() {
        #expect(Poster().greeter.text == "test")
    }

    @Test(.checking(as: "request", given: Bell.self) { Poster() })
    func `The objects of a child are checked in it`() {}
}

private struct Ticket: Sendable { let text: String }

@Suite(.locator { $0.register(.volatile { (_, _: Int) in Ticket(text: "live") }) }) struct OverridingTests {
    @Test func `A suite registers a service that needs arguments`() throws {
        #expect(try Locator.shared.resolve(Ticket.self, arguments: 1).text == "live")
    }

    @Test(.override(Ticket.self) { Ticket(text: "mock") })
    func `An override replaces a service that needs arguments`() throws {
        #expect(try Locator.shared.resolve(Ticket.self, arguments: 1).text == "mock")
    }

    @Test(.locator { $0.register(.volatile { (_, text: String) in Ticket(text: text) }) })
    func `An override with other arguments replaces the service`() throws {
        #expect(try Locator.shared.resolve(Ticket.self, arguments: "mock").text == "mock")
        #expect(throws: InjectleError.self) { try Locator.shared.resolve(Ticket.self, arguments: 1) }
    }

    @Test(
        .locator {
            $0.register(.volatile { (_, text: String) in Ticket(text: text) })
            $0.register(.lazy { Ticket(text: "none") })
        }
    )
    func `Registrations of one trait are alternatives`() throws {
        #expect(try Locator.shared.resolve(Ticket.self, arguments: "a").text == "a")
        #expect(try Locator.shared.resolve(Ticket.self).text == "none")
    }
}

/// Neither `Sendable`, nor usable outside of the main actor.
@MainActor private final class MainActorModule: @MainActor Locator.Module {
    private var text = "main"
    func register(in locator: Locator) {
        locator.register(.eager(FixedGreeter(text: text)), for: (any Greeter).self)
    }
}

@Suite struct MainActorModuleTests {
    @Test(.locator(MainActorModule())) func `A module can be isolated to the main actor`() {
        #expect(Page().text == "main")
    }
}

@Suite struct RecordingTests {
    @Test(
        .locator {
            $0.register(.lazy { FixedGreeter(text: "a") }, for: (any Greeter).self)
            $0.register(.initializer(Welcome.init))
        }
        .recording()
    )
    func `A recording test counts resolves and creations`() throws {
        let test = Locator.TestLocator.current
        #expect(test.resolutions(of: (any Greeter).self).isEmpty)
        let page = Page()
        _ = page.text
        _ = page.text
        _ = try Locator.shared.resolve(Welcome.self)
        #expect(test.resolutions(of: (any Greeter).self).count == 3)
        #expect(test.resolutions(of: Welcome.self).count == 1)
        #expect(test.creations(of: (any Greeter).self).count == 1)
        #expect(
            test.resolutions(of: (any Greeter).self).last?.path == [
                Locator.Identity(Welcome.self), Locator.Identity((any Greeter).self),
            ]
        )
    }

    @Test(.locator { $0.register(.eager(FixedGreeter(text: "a")), for: (any Greeter).self) })
    func `A test that does not record has no events`() {
        _ = Page().text
        #expect(Locator.TestLocator.current.resolutions(of: (any Greeter).self).isEmpty)
    }
}
