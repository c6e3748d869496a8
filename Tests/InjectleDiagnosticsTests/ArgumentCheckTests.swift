import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private final class Item {
    @Inject var number: Int
    @Inject var roster: Roster
    init(number: Int, disk: Disk) {}
}

/// `.arguments(Int.self)`: what callers pass to an initializer.
@Suite struct ArgumentCheckTests {
    private let locator = Locator("app")

    init() {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Roster() })
    }

    @Test func `A parameter that callers pass is no missing service, and the fix says so`() throws {
        locator.register(.initializer(Item.init).lifetime(.volatile))
        let findings = locator.validate()
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings[0].fix.hasSuffix("if callers pass it, add `.arguments(Int.self)` to the registration"))
        locator.register(.initializer(Item.init).arguments(Int.self).lifetime(.volatile))
        try locator.check(.strict)
        _ = try locator.resolve(Item.self, arguments: 7)
    }

    @Test func `An argument takes the place of a protocol that it conforms to`() {
        final class Page { init(store: any Store, count: Int?) {} }
        locator.register(.initializer(Page.init).arguments(Disk.self).lifetime(.volatile))
        #expect(locator.validate() == [])
    }

    @Test func `A request without the arguments is a fault`() throws {
        final class List { @Inject var item: Item }
        final class Shop { init(items: Locator.Provider<Item>, item: Item) {} }
        locator.register(.initializer(Item.init).arguments(Int.self).lifetime(.volatile))
        #expect(locator.validate { List() }.filter { $0.kind != .unreachable }.map(\.kind) == [.missing])
        locator.register(.initializer(Shop.init))
        let findings = locator.validate()
        #expect(findings.map(\.message).map { $0.hasSuffix("which is registered for other arguments.") } == [true])
        #expect(
            findings.first?.fix
                == "pass its arguments: `resolve(InjectleDiagnosticsTests.Item.self, arguments: <Int>)`; or register it without"
        )
    }

    @Test func `The error of a resolve without the arguments names them`() {
        locator.register(.initializer(Item.init).arguments(Int.self).lifetime(.volatile))
        let error = thrown { try locator.resolve(Item.self) }
        #expect(error == .wrongArguments)
        #expect(error?.description.contains("resolve(InjectleDiagnosticsTests.Item.self, arguments: <Int>)") == true)
        #expect(thrown { try locator.resolve(Item.self, arguments: "seven") } == .wrongArguments)
    }

    @Test func `A shared service ignores later arguments of an initializer, too`() {
        locator.register(.initializer(Item.init).arguments(Int.self))
        #expect(locator.validate().map(\.kind) == [.ignoredArguments])
        locator.register(.initializer(Item.init).arguments(Int.self).lifetime(.perArgument))
        #expect(locator.validate() == [])
    }

    @Test func `A check that creates leaves out a service with arguments`() async throws {
        locator.register(.initializer(Item.init).arguments(Int.self).lifetime(.volatile))
        let summary = try await locator.checkByCreating(.strict)
        #expect(summary.created == 2 && summary.needingArguments == 1)
    }

    @Test func `A root without arguments reaches the registrations of its type for other arguments`() throws {
        struct Ticket: Sendable {}
        struct Printer: Sendable {}
        locator.register(.volatile { (_, _: Int) in Ticket() }.depending(on: Printer.self))
        locator.register(.volatile { (_, _: String) in Ticket() }.depending(on: Disk.self, Roster.self))
        locator.register(.lazy { Ticket() })
        locator.register(.lazy { Printer() })
        try locator.check(roots: Ticket.self)
        locator.register(.volatile { (_, _: Int) in Ticket() }.depending(), key: "other")
        #expect(locator.validate(roots: Ticket.self).map(\.kind) == [.unreachable])
    }
}
