import Injectle
import InjectleTestSupport
import Testing

private protocol Greeter: Sendable { var text: String { get } }
private struct FixedGreeter: Greeter { let text: String }
private final class Welcome: Sendable {
    let greeter: any Greeter
    init(greeter: any Greeter) { self.greeter = greeter }
    var text: String { greeter.text }
}
private final class Lobby: Sendable {
    let welcome: Welcome
    init(welcome: Welcome) { self.welcome = welcome }
}
private final class Page: Sendable {
    private let greeter = Inject<any Greeter>()
    var text: String { greeter().text }
}
private final class Bell: Sendable {}
private struct Ticket: Sendable { let text: String }
private struct Prefixed: Greeter {
    let greeter: any Greeter
    let prefix: String
    var text: String { "\(prefix) \(greeter.text)" }
}

extension ServiceKey<any Greeter> {
    fileprivate static let door = Self("door", default: .lazy { FixedGreeter(text: "default") })
}

@Suite struct CopyTests {
    private let program = Locator("program") { locator in
        locator.register(.lazy { FixedGreeter(text: "program") }, for: (any Greeter).self)
        locator.register(.initializer(Welcome.init))
        locator.register(.initializer(Lobby.init))
        locator.register(.lazy { Page() })
        locator.register(.lazy { Bell() })
    }

    private func greet(_ text: String, in locator: Locator) {
        locator.register(.lazy { FixedGreeter(text: text) }, for: (any Greeter).self)
    }

    // MARK: Instances

    @Test func `An override in a copy reaches each service, and not the original`() throws {
        let copy = Locator(copying: program, "copy")
        greet("copy", in: copy)
        #expect(try copy.resolve(Lobby.self).welcome.text == "copy")
        #expect(try copy.resolve(Page.self).text == "copy")
        #expect(try program.resolve(Lobby.self).welcome.text == "program")
        #expect(try program.resolve(Page.self).text == "program")
    }

    @Test func `A copy has instances of its own, also of services that exist`() throws {
        let (bell, lobby) = (try program.resolve(Bell.self), try program.resolve(Lobby.self))
        let copy = Locator(copying: program)
        greet("copy", in: copy)
        #expect(try copy.resolve(Bell.self) !== bell)
        #expect(try copy.resolve(Bell.self) === copy.resolve(Bell.self))
        #expect(try copy.resolve(Lobby.self).welcome.text == "copy")
        #expect(try program.resolve(Lobby.self) === lobby)
    }

    @Test func `Eager values are shared`() throws {
        let bell = Bell()
        program.register(.eager(bell))
        #expect(try Locator(copying: program).resolve(Bell.self) === bell)
    }

    @Test func `A copy disposes of what it creates, and not of eager values`() async throws {
        let log = CallLog()
        program.register(.eager(Bell()).asSelf().as((any AnyObject).self).onDispose { _ in log.record("bell") })
        program.register(.initializer(Welcome.init).onDispose { log.record($0.text) })
        let copy = Locator(copying: program)
        greet("copy", in: copy)
        _ = try (copy.resolve(Welcome.self), copy.resolve(Bell.self))
        #expect(await copy.close().isEmpty)
        #expect(log.entries == ["copy"])
        _ = try program.resolve(Bell.self)
        await program.close()
        #expect(log.entries == ["copy", "bell"])
    }

    // MARK: Registrations

    @Test func `Later registrations in the original do not reach the copy, nor the reverse`() throws {
        let copy = Locator(copying: program)
        program.register(.eager(Ticket(text: "program")))
        copy.register(.eager(7))
        #expect(!copy.isRegistered(Ticket.self))
        #expect(!program.isRegistered(Int.self))
        program.reset()
        #expect(try copy.resolve(Lobby.self).welcome.text == "program")
    }

    @Test func `The services of parents are copied, and the nearest one wins`() throws {
        let child = Locator("child", parent: program)
        greet("child", in: child)
        let copy = Locator(copying: child)
        // The lobby is a service of the parent, which would not see the child's greeter.
        #expect(try copy.resolve(Lobby.self).welcome.text == "child")
        #expect(try child.resolve(Lobby.self).welcome.text == "program")
    }

    @Test func `A copy can be copied, and outlives the original`() throws {
        var original: Locator? = Locator("original") { $0.register(.lazy { Bell() }, key: "bell") }
        var first: Locator? = try Locator(copying: #require(original))
        original = nil
        let second = try Locator(copying: #require(first))
        first = nil
        _ = try second.resolve(Bell.self, key: "bell")
    }

    @Test func `Keys and aliases are copied`() throws {
        program.register(.lazy { Bell() }.as((any AnyObject).self).asSelf(), key: "hall")
        program.register(.lazy { Ticket(text: "night") }, key: "night")
        let copy = Locator(copying: program)
        #expect(try copy.resolve(Ticket.self, key: "night").text == "night")
        #expect(copy.registrations.map(\.identity) == program.registrations.map(\.identity))
    }

    @Test func `Defaults of typed keys are copied`() throws {
        #expect(try program.resolve(.door).text == "default")
        let copy = Locator(copying: program)
        #expect(copy.isRegistered((any Greeter).self, key: ServiceKey<any Greeter>.door))
        #expect(try Locator(copying: Locator()).resolve(.door).text == "default")
    }

    @Test func `A list is the one that the original has, in its order`() throws {
        for text in ["a", "b"] {
            program.register(.volatile { FixedGreeter(text: text) }.contributing(to: (any Greeter).self))
        }
        func texts(_ locator: Locator) throws -> [String] { try locator.resolveAll((any Greeter).self).map(\.text) }
        let copy = Locator(copying: program)
        copy.register(.volatile { FixedGreeter(text: "c") }.contributing(to: (any Greeter).self))
        #expect(try texts(copy) == ["a", "b", "c"])
        let child = Locator("child", parent: program)
        #expect(try texts(Locator(copying: child)) == ["a", "b"])
        child.register(.volatile { FixedGreeter(text: "d") }.contributing(to: (any Greeter).self))
        #expect(try texts(Locator(copying: child)) == texts(child))
    }

    @Test func `A final registration is final in the copy`() throws {
        program.register(.eager(Ticket(text: "final")).final())
        let copy = Locator(copying: program)
        #expect(throws: InjectleError.self) {
            try copy.register(.eager(Ticket(text: "other")), and: { (_, _) throws in })
        }
        #expect(try copy.resolve(Ticket.self).text == "final")
    }

    @Test func `A decorator and what it decorates are copied`() throws {
        program.decorate((any Greeter).self) { Prefixed(greeter: $0, prefix: "1") }
        program.decorate((any Greeter).self) { Prefixed(greeter: $0, prefix: "2") }
        let child = Locator("child", parent: program)
        child.decorate((any Greeter).self) { Prefixed(greeter: $0, prefix: "3") }
        var copied: Locator? = Locator("copied", parent: child)
        let copy = try Locator(copying: #require(copied))
        copied = nil
        #expect(try copy.resolve(Lobby.self).welcome.text == "3 2 1 program")
        #expect(try child.resolve((any Greeter).self).text == "3 2 1 program")
        greet("copy", in: copy)
        #expect(try copy.resolve((any Greeter).self).text == "copy")
        #expect(copy.registrations.count == program.registrations.count)
    }

    @Test func `A decorator whose service a child replaces is not copied`() throws {
        program.decorate((any Greeter).self) { Prefixed(greeter: $0, prefix: "1") }
        let child = Locator("child", parent: program)
        greet("child", in: child)
        let copy = Locator(copying: child)
        #expect(try copy.resolve((any Greeter).self).text == "child")
        #expect(copy.registrations.count == 5)
    }

    @Test func `A service per named locator is one of the copy`() throws {
        program.register(.lazy { Ticket(text: "per locator") }.lifetime(.perLocator(named: "program")))
        program.register(.lazy { Tracked(Tracked.Log()) }.lifetime(.perLocator(named: "program")))
        let copy = Locator(copying: Locator("child", parent: program), "copy")
        let child = Locator("child", parent: copy)
        #expect(try child.resolve(Ticket.self).text == "per locator")
        #expect(try child.resolve(Tracked.self) === copy.resolve(Tracked.self))
        #expect(try copy.resolve(Tracked.self) !== program.resolve(Tracked.self))
    }

    @Test func `A module with an id that was applied counts as applied`() throws {
        let count = Counter()
        struct Counting: Locator.Module {
            let count: Counter
            var id: AnyHashable { "counting" }
            func register(in locator: Locator) { count.increment() }
        }
        try program.apply(Counting(count: count))
        try Locator(copying: Locator("child", parent: program)).apply(Counting(count: count))
        #expect(count.value == 1)
    }

    @Test func `The copy of a closed locator is empty`() async throws {
        await program.close()
        let copy = Locator(copying: program)
        #expect(copy.registrations.isEmpty)
        copy.register(.eager(7))
        #expect(try copy.resolve(Int.self) == 7)
    }

    // MARK: Arguments

    @Test func `A later registration in a copy answers requests with arguments, too`() throws {
        program.register(.volatile { (_, number: Int) in Ticket(text: "live \(number)") })
        program.register(.volatile { (_, number: Int) in Ticket(text: "night \(number)") }, key: "night")
        let copy = Locator(copying: program)
        #expect(try copy.resolve(Ticket.self, arguments: 1).text == "live 1")
        copy.register(.lazy { Ticket(text: "mock") })
        copy.register(.lazy { Ticket(text: "night mock") }, key: "night")
        #expect(try copy.resolve(Ticket.self, arguments: 1).text == "mock")
        #expect(try copy.resolve(Ticket.self, key: "night", arguments: 1).text == "night mock")
        #expect(try program.resolve(Ticket.self, arguments: 1).text == "live 1")
    }

    @Test func `A registration of a child hides the parent's for other arguments`() throws {
        program.register(.volatile { (_, number: Int) in Ticket(text: "live \(number)") })
        let child = Locator("child", parent: program)
        child.register(.lazy { Ticket(text: "child") })
        let copy = Locator(copying: child)
        #expect(try child.resolve(Ticket.self, arguments: 1).text == "child")
        #expect(try copy.resolve(Ticket.self, arguments: 1).text == "child")
    }
}
