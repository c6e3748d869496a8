import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Shift: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? { throw WasCreated() }
}
private struct Season: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? { throw WasCreated() }
}

/// Faults of named, nested and limited lifetimes.
@Suite struct LifetimeCheckTests {
    private let locator = Locator("app")

    private func kinds(_ locator: Locator? = nil) -> [Locator.Finding.Kind] {
        (locator ?? self.locator).validate().map(\.kind)
    }

    // MARK: Names

    @Test func `A service of a session does not find one of a page`() throws {
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "page")))
        locator.register(.initializer(Office.init).lifetime(.perLocator(named: "session")))
        let page = locator.child("session").child("page")
        #expect(throws: InjectleError.locatorNotFound) { try page.resolve(Office.self) }
        let finding = try #require(page.validate().first)
        #expect(finding.kind == .locatorNotFound)
        #expect(
            finding.message.hasSuffix(
                "which is cached by a locator named \"page\", and the locator \"session\" is in none."
            )
        )
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "session")))
        #expect(kinds(page) == [])
    }

    @Test func `A misspelled name is a fault where a service or a root needs it, and else a note`() throws {
        struct Handler { @Inject var roster: Roster }
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "sesion")))
        try locator.check(.strict)
        let findings = locator.validate(as: "session")
        #expect(findings.map(\.kind) == [.unknownName])
        let fix =
            "\"session\" is similar to \"sesion\": `check(as: \"sesion\")`, "
            + "or name the locator \"session\" in its lifetime"
        #expect(findings.first?.fix == fix)
        for finding in [
            locator.validate(as: "session", given: [], roots: [Locator.Identity(Roster.self)]).first,
            locator.validate(as: "session") { Handler() }.first,
        ] {
            #expect(finding?.kind == .locatorNotFound)
            #expect(finding?.fix == fix)
        }
        locator.register(.initializer(Office.init).lifetime(.volatile))
        #expect(locator.validate(as: "session").map(\.kind) == [.unknownName, .locatorNotFound])
    }

    @Test func `A name that differs from another registration's is a note`() {
        for key in 0..<3 { locator.register(.lazy { Pool() }.lifetime(.perLocator(named: "session")), key: key) }
        #expect(kinds() == [])
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "Session")))
        #expect(kinds() == [.unknownName])
        #expect(locator.validate().first?.message.hasSuffix("named \"Session\", and there is \"session\".") == true)
        locator.register(.lazy { Roster() }.lifetime(.perLocator(named: "tab 1")))
        locator.register(.lazy { Disk() }.lifetime(.perLocator(named: "tab 2")))
        #expect(kinds() == [])
    }

    // MARK: Age and scopes

    @Test func `A service that lives for long keeps one that expires earlier`() {
        locator.register(.initializer(Office.init).lifetime(.timeToLive(.seconds(1_000))))
        locator.register(.lazy { Roster() }.lifetime(.timeToLive(.seconds(1))))
        #expect(kinds() == [.captive])
        locator.register(.initializer(Office.init).lifetime(.timeToLive(.milliseconds(500))))
        #expect(kinds() == [])
    }

    @Test func `A service of one scope that keeps one of another is a note`() throws {
        locator.register(.initializer(Office.init).lifetime(Shift()))
        locator.register(.lazy { Roster() }.lifetime(Season()))
        try locator.check()
        #expect(kinds() == [.unchecked])
        #expect(locator.validate().first?.message.contains("does not know which scope ends first") == true)
    }

    // MARK: Arguments

    @Test(
        arguments: [
            .timeToLive(.seconds(1)), .composite(.lazy, .graph), .composite(.volatile, .weak), .perLocator,
        ] as [Locator.Lifetime]
    )
    func `A cache that does not distinguish arguments ignores them`(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy { (_: Locator.Resolver, _: Int) in Disk() }.depending().lifetime(lifetime))
        #expect(kinds() == [.ignoredArguments])
    }

    @Test func `A composite with a part per argument ignores none, and a scope can depend on them`() {
        locator.register(
            .lazy { (_: Locator.Resolver, _: Int) in Disk() }.depending().lifetime(.composite(.perArgument, .weak))
        )
        locator.register(.lazy { (_: Locator.Resolver, _: Int) in Pool() }.depending().lifetime(Shift()))
        #expect(kinds() == [])
    }

    @Test func `A list without arguments does not get an element that declares some`() {
        final class Kit { init(stores: [any Store]) {} }
        locator.register(
            .volatile { (_: Locator.Resolver, _: Int) in Disk() }.depending().contributing(to: (any Store).self)
        )
        locator.register(.initializer(Kit.init))
        #expect(throws: InjectleError.wrongArguments) { try locator.resolve(Kit.self) }
        #expect(kinds() == [.missing])
    }

    // MARK: Async services

    @Test func `A property cannot read an async service that is created for each request`() throws {
        final class Page {
            @Inject var pool: Pool
            @Optject var other: Pool?
            let later: Locator.Provider<Pool>?
            init() { later = nil }
        }
        locator.register(.volatile { () async in Pool() })
        locator.register(.lazy { Page() })
        let findings = locator.validate()
        #expect(findings.map(\.kind) == [.requiresAsync, .requiresAsync])
        #expect(findings[0].message.hasPrefix("The property `pool` of"))
        #expect(locator.validate { Page() }.filter { $0.kind == .requiresAsync }.count >= 2)
        locator.register(.lazy { () async in Pool() })
        #expect(kinds() == [])
    }

    // MARK: Circles

    @Test(arguments: [false, true]) func `A circle is found in each order of hooks`(isSwapped: Bool) {
        final class A { var b: B?, c: C? }
        final class B { var a: A? }
        final class C { init(b: B) {} }
        let registration = Locator.Registration<A>.lazy { A() }
        locator.register(
            isSwapped ? registration.injecting(\.c).injecting(\.b) : registration.injecting(\.b).injecting(\.c)
        )
        locator.register(.lazy { B() }.injecting(\.a))
        locator.register(.initializer(C.init(b:)))
        #expect(throws: InjectleError.circularDependency) { try locator.resolve(C.self) }
        #expect(kinds() == [.cycle])
        #expect(locator.validate().first?.path.count == 4)
    }

    @Test func `Properties that may resolve at once can be a circle`() throws {
        final class Hen { @Injected(resolve: .lazy) var egg: Egg }
        final class Egg { @Injected(resolve: .lazy) var hen: Hen }
        locator.register(.lazy { Hen() })
        locator.register(.lazy { Egg() })
        try locator.check()
        #expect(kinds() == [.unchecked])
        #expect(
            locator.validate().first?.message.hasPrefix("Circular dependency if the `@Injected` properties are") == true
        )
    }
}
