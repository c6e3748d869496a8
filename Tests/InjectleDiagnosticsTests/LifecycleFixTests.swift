import Foundation
import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private final class Account: Sendable {}
private final class Inbox: Sendable {
    let account = Inject<Account>()
}
private final class Draft {}
private final class Fox: Sendable { init(hare: Hare) {} }
private final class Hare: Sendable { init(fox: Fox) {} }
private final class LateFox: Sendable { init(hare: LateHare) {} }
private final class LateHare: Sendable { init(fox: Locator.Lazy<LateFox>) {} }

/// The fixes of errors of starts and closes, and of findings, each with the program that it is for: see `FixTests`.
@Suite struct LifecycleFixTests {
    private let locator = Locator("app")
    private let source: [Substring]

    init() throws {
        source = try String(contentsOfFile: #filePath, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
    }

    private func text(_ body: () async throws -> Void) async -> String {
        do { try await body() } catch { return "\(error)" }
        return ""
    }

    /// - Parameter fix: The code in the text, where `…` is left to the reader.
    private func expect(
        _ text: String,
        has fix: String,
        line: Int = #line,
        program: () async throws -> Void
    ) async throws {
        #expect(text.contains(fix), "\(text)")
        let code = source[line...].prefix { $0 != "    }" }.joined(separator: "\n")
        var rest = code[...]
        for part in fix.split(separator: "…") {
            let found = try #require(rest.range(of: part), "\(part) in \(code)")
            rest = rest[found.upperBound...]
        }
        try await program()
    }

    // MARK: Errors of starts and closes

    @Test func `locatorClosed in work that outlives a request`() async throws {
        locator.register(.lazy { Account() }.lifetime(.perLocator))
        let request = locator.child("request")
        await request.close()
        let text = await text { _ = try request.resolve(Account.self) }
        try await expect(text, has: "let hold = locator.hold()") {
            let locator = locator.child("request")
            let hold = locator.hold()
            async let closing = locator.close()
            // The next fix of the text.
            #expect(text.contains("`try await hold.run { locator in … }`"))
            try await hold.run { request in _ = try request.resolve(Account.self) }
            _ = await closing
        }
    }

    @Test func `locatorClosed in a property`() async throws {
        let request = locator.child("request") { $0.register(.eager(Account())) }
        locator.register(.lazy { Inbox() }.lifetime(.perLocator))
        let inbox = try request.resolve(Inbox.self)
        await request.close()
        let text = await text { _ = try inbox.account.resolve() }
        #expect(text.contains("`try $property.resolve()`"))
        try await expect(text, has: "@Injected(resolve: .eager)") {
            final class Kept { @Injected(resolve: .eager) var account: Account }
            let request = locator.child("request") { $0.register(.eager(Account())) }
            let kept = Locator.$shared.withValue(request) { Kept() }
            await request.close()
            _ = kept.account
        }
    }

    /// A hook that waits for `signal`.
    private func register(in locator: Locator, waitingFor signal: Signal) {
        locator.register(.eager(1).onDispose { _ async in await signal.reached() })
    }

    @Test func `disposalFailed of a hook that exceeds the grace period`() async throws {
        let hasEnded = Signal()
        register(in: locator, waitingFor: hasEnded)
        let text = await text { try await locator.run(gracePeriod: .milliseconds(1)) {} }
        hasEnded.set()
        try await expect(
            text.replacing(".milliseconds(2)", with: "…"),
            has: "gracePeriod: "
        ) {
            let locator = Locator("app")
            register(in: locator, waitingFor: hasEnded)
            try await locator.run(gracePeriod: .seconds(600)) {}
        }
    }

    @Test func `disposalFailed of a hold`() async throws {
        let forgotten = locator.hold()
        let text = await text { try await locator.run(gracePeriod: .milliseconds(1)) {} }
        #expect(text.contains("call `hold.release()`"))
        #expect(text.contains("if it ends: `gracePeriod: .milliseconds(2)`"))
        try await expect(text, has: "try await hold.run { locator in … }") {
            let locator = Locator("app")
            try await locator.run(gracePeriod: .seconds(600)) {
                let hold = locator.hold()
                Task { try await hold.run { locator in _ = try locator.resolveOptional(Account.self) } }
            }
        }
        forgotten.release()
    }

    @Test func `startTimedOut`() async throws {
        let isOpen = Signal()
        func register(in locator: Locator) {
            locator.register(
                .lazy { () async -> Account in
                    await isOpen.reached()
                    return Account()
                }
            )
        }
        register(in: locator)
        let text = await text { try await locator.start(timeout: .milliseconds(1)) }
        isOpen.set()
        try await expect(text.replacing(".milliseconds(2)", with: "…"), has: "timeout: ") {
            let locator = Locator("app")
            register(in: locator)
            try await locator.start(timeout: .seconds(600))
        }
    }

    // MARK: Findings

    private func fix(_ kind: Locator.Finding.Kind, in locator: Locator, roots: Any.Type...) throws -> String {
        let findings = locator.validate(roots: roots.map { Locator.Identity($0) })
        return try #require(findings.first { $0.kind == kind }).fix
    }

    @Test func `cycle`() async throws {
        locator.register(.initializer(Fox.init))
        locator.register(.initializer(Hare.init))
        let fix = try fix(.cycle, in: locator)
        try await expect(fix, has: "Locator.Lazy") {
            func make(_ fox: Locator.Lazy<LateFox>) -> LateHare { LateHare(fox: fox) }
            let locator = Locator("app")
            locator.register(.initializer(LateFox.init))
            locator.register(.initializer(make))
            try locator.check(.strict)
            _ = try locator.resolve(LateFox.self)
        }
    }

    @Test func `unreachable`() async throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Roster() })
        let fix = try fix(.unreachable, in: locator, roots: Disk.self)
        #expect(fix == "remove the registration, add a root, or declare the dependency that leads to it")
        try locator.check(.strict, roots: Disk.self, Roster.self)
        locator.register(.lazy { Disk() }.depending(on: Roster.self))
        try locator.check(.strict, roots: Disk.self)
        locator.unregister(Roster.self)
        locator.register(.lazy { Disk() })
        try locator.check(.strict, roots: Disk.self)
    }

    @Test func `finalReplaced`() async throws {
        locator.register(.lazy { Disk() }.final())
        let child = locator.child("request") { $0.register(.lazy { Disk() }) }
        let fix = try fix(.finalReplaced, in: child)
        #expect(fix == "use another key or type, or remove `.final()`")
        let other = locator.child("request") { $0.register(.lazy { Disk() }, key: "own") }
        try other.check(.strict)
        locator.unregister(Disk.self)
        locator.register(.lazy { Disk() })
        try child.check(.strict)
    }

    @Test func `notSendable`() async throws {
        locator.register(.lazy { Draft() })
        let error = #expect(throws: Locator.CheckFailure.self) { try locator.check(.strict) }
        let fix = try #require(error?.findings.first).fix
        #expect(fix.hasSuffix("Draft Sendable, an actor or a type of the main actor"), "\(fix)")
        final class SendableDraft: Sendable {}
        actor DraftActor {}
        @MainActor final class DraftModel { nonisolated init() {} }
        let other = Locator("app")
        other.register(.lazy { SendableDraft() })
        other.register(.lazy { DraftActor() })
        other.register(.lazy { DraftModel() })
        try other.check(.strict)
    }

    @Test func `creationFailed of a root`() async throws {
        locator.register(.lazy { () throws -> Disk in Disk() })
        final class Page {
            let disk: Disk
            init() throws { disk = try Locator.shared.resolve() }
        }
        let fix = try #require(Locator("empty").validate { try Page() }.first { $0.kind == .creationFailed }).fix
        try await expect(fix, has: "checkByCreating") {
            _ = try await locator.checkByCreating { try Page() }
        }
    }

    @Test func `creationFailed of a service that lacks a dependency`() async throws {
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) }.lifetime(.volatile))
        let failure = await #expect(throws: Locator.CheckFailure.self) { try await locator.checkByCreating() }
        let fix = try #require(failure?.findings.first { $0.kind == .creationFailed }).fix
        try await expect(fix, has: "locator.child(…) { … }.checkByCreating()") {
            try await locator.child("request") { $0.register(.eager(Disk())) }.checkByCreating()
        }
    }

    @Test func `creationFailed of a service`() async throws {
        locator.register(.lazy { () throws -> Disk in throw WasCreated() })
        let failure = await #expect(throws: Locator.CheckFailure.self) { try await locator.checkByCreating() }
        let fix = try #require(failure?.findings.first { $0.kind == .creationFailed }).fix
        #expect(fix == "correct its closure or initializer; or leave it out by `.skippingCheck()`")
        try await expect(fix, has: ".skippingCheck()") {
            locator.register(.lazy { () throws -> Disk in throw WasCreated() }.skippingCheck())
            try await locator.checkByCreating()
        }
    }
}
