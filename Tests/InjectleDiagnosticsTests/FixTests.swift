import Foundation
import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private struct Ticket: Sendable { let number: Int }
private final class Hen: Sendable { init(egg: HenEgg) {} }
private final class HenEgg: Sendable { init(hen: Hen) {} }
private final class LateEgg: Sendable { init(hen: Locator.Lazy<LateHen>) {} }
private final class LateHen: Sendable { init(egg: LateEgg) {} }

/// The fix of each error is code that makes its program run: the test runs the program with the fix, and searches the
/// code of the fix in the source of that program.
@Suite struct FixTests {
    private let locator = Locator("app")
    private let source: [Substring]

    init() throws {
        source = try String(contentsOfFile: #filePath, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
    }

    private func text(_ body: () throws -> Void) -> String {
        do { try body() } catch { return "\(error)" }
        return ""
    }

    /// - Parameters:
    ///   - text: The text of an error, or the fix of a finding.
    ///   - fix: The code in it, where `…` is left to the reader.
    ///   - program: The program with the fix.
    private func expect(_ text: String, has fix: String, line: Int = #line, program: () throws -> Void) throws {
        #expect(text.contains(fix), "\(text)")
        let code = source[line...].prefix { $0 != "    }" }.joined(separator: "\n")
        var rest = code[...]
        for part in fix.split(separator: "…") {
            let found = try #require(rest.range(of: part), "\(part) in \(code)")
            rest = rest[found.upperBound...]
        }
        try program()
    }

    // MARK: Errors of a resolve

    @Test func `missing`() throws {
        let text = text { _ = try locator.resolve(Disk.self, key: "archive") }
        try expect(
            text,
            has: "locator.register(.lazy { … }, for: InjectleDiagnosticsTests.Disk.self, key: \"archive\")"
        ) {
            locator.register(.lazy { Disk() }, for: InjectleDiagnosticsTests.Disk.self, key: "archive")
            _ = try locator.resolve(Disk.self, key: "archive")
        }
    }

    @Test func `missing under a protocol`() throws {
        locator.register(.lazy { Disk() })
        let text = text { _ = try locator.resolve((any Store).self) }
        try expect(text, has: ".as((any InjectleDiagnosticsTests.Store).self)") {
            locator.register(.lazy { Disk() }.as((any InjectleDiagnosticsTests.Store).self))
            _ = try locator.resolve((any Store).self)
        }
    }

    @Test func `missing in the singleton of a parent`() throws {
        locator.register(.initializer(Repository.init))
        let child = locator.child("request") { $0.register(.lazy { Disk() }) }
        let named = ".lifetime(.perLocator(named: \"request\"))"
        let text = text { _ = try child.resolve(Repository.self) }
        try expect(text, has: named) {
            locator.register(.initializer(Repository.init).lifetime(.perLocator(named: "request")))
            _ = try child.resolve(Repository.self)
        }
        try expect(text, has: ".lifetime(.volatile)") {
            locator.register(.initializer(Repository.init).lifetime(.volatile))
            _ = try child.resolve(Repository.self)
        }
        locator.register(.initializer(Repository.init))
        let finding = try #require(locator.validate(as: "request", given: Disk.self).first)
        #expect(finding.fix.contains("create InjectleDiagnosticsTests.Repository once per \"request\": `\(named)`"))
        let other = Locator("other") { $0.register(.initializer(Repository.init)) }
        let unnamed = try #require(other.validate(as: nil, given: Disk.self).first)
        #expect(unnamed.fix.contains("once per child: `.lifetime(.perLocator)`"), "\(unnamed.fix)")
    }

    @Test func `missing outside of a child`() throws {
        let child = locator.child("request")
        _ = locator.validate(as: "request", given: Disk.self)
        let text = text { _ = try locator.resolve(Disk.self) }
        try expect(text, has: "child.register(.lazy { … }, for: InjectleDiagnosticsTests.Disk.self)") {
            child.register(.lazy { Disk() }, for: InjectleDiagnosticsTests.Disk.self)
            _ = try child.resolve(Disk.self)
        }
    }

    @Test func `wrongType`() throws {
        locator.register(.lazy { Pool() }, key: "disk")
        let text = text { _ = try locator.resolve((any Store).self, key: "disk") }
        try expect(text, has: "resolve InjectleDiagnosticsTests.Pool.self".replacing("resolve ", with: "")) {
            _ = try locator.resolve(InjectleDiagnosticsTests.Pool.self, key: "disk")
        }
    }

    @Test func `wrongArguments`() throws {
        locator.register(.volatile { (_, number: Int) in Ticket(number: number) })
        let text = text { _ = try locator.resolve(Ticket.self) }.replacing("<Int>", with: "…").replacing(
            /InjectleDiagnosticsTests\.Ticket/,
            with: "Ticket"
        )
        try expect(text, has: "resolve(Ticket.self, arguments: …)") {
            _ = try locator.resolve(Ticket.self, arguments: 7)
        }
    }

    @Test func `wrongIsolation`() async throws {
        actor Owner { func register(in locator: Locator) { locator.register(.lazy { Disk() }) } }
        let owner = Owner()
        await owner.register(in: locator)
        try expect(text { _ = try locator.resolve(Disk.self) }, has: ".lazy(.anywhere) { … }") {
            locator.register(.lazy(.anywhere) { Disk() })
            _ = try locator.resolve(Disk.self)
        }
    }

    @Test func `requiresAsync`() async throws {
        locator.register(.lazy { () async in Pool() })
        let text = text { _ = try locator.resolve(Pool.self) }
        #expect(text.contains("try await locator.resolveAsync(InjectleDiagnosticsTests.Pool.self)"))
        _ = try await locator.resolveAsync(InjectleDiagnosticsTests.Pool.self)
        _ = try locator.resolve(Pool.self)
        #expect(text.contains("try await locator.start()"))
        try await locator.start()
    }

    @Test func `circularDependency`() throws {
        locator.register(.initializer(Hen.init))
        locator.register(.initializer(HenEgg.init))
        try expect(text { _ = try locator.resolve(Hen.self) }, has: "`Locator.Lazy`".replacing("`", with: "")) {
            func make(_ hen: Locator.Lazy<LateHen>) -> LateEgg { LateEgg(hen: hen) }
            locator.register(.initializer(make))
            locator.register(.initializer(LateHen.init))
            _ = try locator.resolve(LateHen.self)
        }
    }

    @Test func `forbiddenReassignment`() throws {
        locator.register(.eager(Disk()).final(), key: "archive")
        let text = text { try locator.register(.eager(Disk()), key: "archive", and: forbidReassignment) }
        try expect(text, has: "locator.unregister(InjectleDiagnosticsTests.Disk.self, key: \"archive\")") {
            locator.unregister(InjectleDiagnosticsTests.Disk.self, key: "archive")
            try locator.register(.eager(Disk()), key: "archive", and: forbidReassignment)
        }
    }

    @Test func `locatorNotFound`() throws {
        locator.register(.lazy { Disk() }.lifetime(.perLocator(named: "session")))
        try expect(text { _ = try locator.resolve(Disk.self) }, has: "locator.child(\"session\")") {
            _ = try locator.child("session").resolve(Disk.self)
        }
    }

    // MARK: Findings

    private func fix(_ kind: Locator.Finding.Kind) throws -> String {
        try #require((locator.validate().first { $0.kind == kind })?.fix)
    }

    @Test func `A missing parameter`() throws {
        locator.register(.initializer(Ticket.init).lifetime(.volatile))
        let fix = try fix(.missing)
        try expect(fix, has: ".arguments(Int.self)") {
            locator.register(.initializer(Ticket.init).arguments(Int.self).lifetime(.volatile))
            try locator.check(.strict)
        }
    }

    @Test func `unknownKey of a root and of a service`() throws {
        final class Page { @Inject("archive") var disk: Disk }
        locator.register(.lazy { Disk() }, key: "archive")
        let note = try #require(locator.validate(roots: Page.self).first).fix.replacing(
            /`check \{ .*\(…\) \}`/,
            with: "check { Page() }"
        )
        try expect(note, has: "check { Page() }") {
            try locator.check { Page() }
        }
        locator.register(.volatile { Page() })
        let fix = try fix(.unknownKey).replacing(/`check \{ .*\(…\) \}`/, with: "check(.strict) { Page() }")
        try expect(fix, has: "check(.strict) { Page() }") {
            try locator.check(.strict) { Page() }
        }
    }

    @Test func `unchecked`() throws {
        locator.register(.lazy { Disk() as any Store }, for: (any Store).self)
        let error = #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict) }
        let fix = try #require(error?.findings.first?.fix)
        try expect(fix, has: ".lazy { … }.as((any InjectleDiagnosticsTests.Store).self)") {
            locator.register(.lazy { Disk() }.as((any InjectleDiagnosticsTests.Store).self))
            try locator.check(.strict)
        }
    }

    @Test func `unchecked of the default of a key`() throws {
        let lazy = ServiceKey<any Store>("lazy", default: .lazy { Disk() })
        _ = try locator.resolve(lazy)
        let error = #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict) }
        let fix = try #require(error?.findings.first?.fix)
        try expect(fix, has: ".depending(on: …)") {
            let locator = Locator("app")
            let declared = ServiceKey<any Store>("declared", default: .lazy { Disk() }.depending(on: [Disk].self))
            _ = try locator.resolve(declared)
            _ = try locator.resolve(ServiceKey<any Store>("value", default: .eager(Disk())))
            try locator.check(.strict)
        }
    }

    @Test func `undeclared and dependenciesDiffer`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        let fix = try fix(.undeclared)
        try expect(fix, has: ".depending(on: …)") {
            locator.register(
                .lazy { locator in Repository(disk: try locator.resolve()) }.depending(on: Disk.self)
            )
            try locator.check(.strict)
        }
    }

    @Test func `A dependency that a closure resolves only at times`() async throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { _ in Office(roster: Roster()) }.depending(on: Disk.self))
        let error = await #expect(throws: Locator.CheckFailure.self) { try await locator.checkByCreating() }
        let fix = try #require(error?.findings.first?.fix)
        try expect(fix, has: "Locator.Lazy<InjectleDiagnosticsTests.Disk>") {
            locator.register(
                .lazy { _ in Office(roster: Roster()) }
                    .depending(on: Locator.Lazy<InjectleDiagnosticsTests.Disk>.self)
            )
            try locator.check(.strict)
        }
        try await locator.checkByCreating(.strict)
        locator.unregister(Disk.self)
        #expect(locator.validate().map(\.kind) == [.missing])
        let later = Locator.Lazy<Disk>.self
        locator.register(.lazy { _ in Office(roster: Roster()) }.depending(on: later, key: "archive"))
        #expect(locator.validate().map(\.dependency) == ["InjectleDiagnosticsTests.Disk under the key \"archive\""])
        locator.register(.lazy { Disk() }, key: "archive")
        try await locator.checkByCreating(.strict)
    }

    @Test func `An argument that is passed as a key`() throws {
        locator.register(.volatile { (_, number: Int) in Ticket(number: number) })
        let text = text { _ = try locator.resolve(Ticket.self, key: 7) }.replacing("<Int>", with: "…").replacing(
            /InjectleDiagnosticsTests\.Ticket/,
            with: "Ticket"
        )
        try expect(text, has: "resolve(Ticket.self, arguments: …)") {
            _ = try locator.resolve(Ticket.self, arguments: 7)
        }
    }

    @Test func `A closure that can return nil`() throws {
        func makeDisk() -> Disk? { nil }
        locator.register(.lazy { makeDisk() })
        let error = #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict) }
        #expect(error?.findings.map(\.kind) == [.wrongType])
        try locator.check()
        let fix = try #require(error?.findings.first?.fix)
        try expect(fix, has: "if let service { locator.register(.eager(service)) }") {
            locator.unregister(Disk.self)
            let service = makeDisk()
            if let service { locator.register(.eager(service)) }
            try locator.check(.strict)
            #expect(try locator.resolveOptional(Disk.self) == nil)
        }
    }

    @Test func `A parameter that callers pass`() throws {
        locator.register(.initializer(Ticket.init).lifetime(.volatile))
        try expect(text { _ = try locator.resolve(Ticket.self) }, has: ".arguments(Int.self)") {
            locator.register(.initializer(Ticket.init).arguments(Int.self).lifetime(.volatile))
            _ = try locator.resolve(Ticket.self, arguments: 7)
        }
    }

    @Test func `A closure that resolves from another locator`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Repository(disk: try Locator("other").resolve()) })
        let text = text { _ = try locator.resolve(Repository.self) }
        try expect(text, has: "{ locator in … try locator.resolve()") {
            locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
            _ = try locator.resolve(Repository.self)
        }
        #expect(
            text.contains(
                "note          the closure of InjectleDiagnosticsTests.Repository resolves from the locator \"other\", "
                    + "and not from the locator \"app\"\n  fix           resolve from the locator that the closure"
            ),
            "\(text)"
        )
    }

    @Test func `captive and requiresAsync`() throws {
        locator.register(.initializer(Office.init))
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        #expect(try fix(.captive).hasPrefix("give InjectleDiagnosticsTests.Office the lifetime of"))
        locator.register(.initializer(Office.init).lifetime(.perLocator))
        try locator.check(.strict)
        locator.register(.initializer(Query.init))
        locator.register(.volatile { () async in Pool() })
        let fix = try fix(.requiresAsync).replacing("`.lazy`", with: ".lazy")
        try expect(fix, has: ".lazy") {
            locator.register(.lazy { () async in Pool() })
            try locator.check(.strict)
        }
    }

    @Test func `ignoredArguments`() throws {
        locator.register(.lazy { (_, number: Int) in Ticket(number: number) }.depending())
        let fix = try fix(.ignoredArguments)
        try expect(fix, has: ".lifetime(.perArgument)") {
            locator.register(.lazy { (_, number: Int) in Ticket(number: number) }.depending().lifetime(.perArgument))
            try locator.check(.strict)
        }
    }

    @Test func `A name of no locator`() throws {
        locator.register(.lazy { Disk() }.lifetime(.perLocator(named: "session")))
        let roots = [Locator.Identity(Disk.self)]
        let fix = try #require(locator.validate(roots: roots).first).fix
        try expect(fix, has: "check(as: \"session\")") {
            try locator.check(as: "session")
        }
        try locator.check(as: "session", given: [], roots: roots)
    }

    @Test func `A name of no locator, for a child of a named locator`() throws {
        locator.register(.lazy { Disk() }.lifetime(.perLocator(named: "session")))
        locator.register(.initializer(Repository.init).lifetime(.perLocator(named: "page")))
        let roots = [Locator.Identity(Repository.self)]
        for name in ["page", "session"] as [Locator.Name] {
            let fix = try #require(locator.validate(as: name, given: [], roots: roots).first).fix
            try expect(fix, has: "locator.child(\"session\").check(as: \"page\")") {
                try locator.child("session").check(as: "page")
            }
        }
        try locator.child("session").check(.strict, as: "page", given: [], roots: roots)
    }

    @Test func `A given type that nothing needs`() throws {
        let fix = try #require(locator.validate(as: "request", given: Disk.self).first).fix
        try expect(fix, has: "roots: InjectleDiagnosticsTests.Disk.self") {
            try locator.check(.strict, as: "request", given: Disk.self, roots: InjectleDiagnosticsTests.Disk.self)
        }
    }
}
