import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

private protocol API: Sendable {}
private struct LiveAPI: API {}
private struct CachedAPI: API {
    let api: any API
    let roster: Roster
}
private struct Account: Sendable {}

/// Programs that fail at run time, and whose check was once without a finding.
@Suite struct TrappingProgramTests {
    private let app = Locator("app")

    @Test func `A model that the app creates before the login does not find the user of the session`() throws {
        final class AppModel { @Inject var account: Account }
        try app.check(as: "session", given: Account.self) { AppModel() }
        let findings = app.validate { AppModel() }
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.first?.fix.contains("resolve from a child that has") == true)
    }

    @Test func `A decorator that resolves what nobody registers is a note`() throws {
        app.register(.lazy { LiveAPI() }.as((any API).self))
        try app.check(.strict)
        app.decorate((any API).self) { locator, api in CachedAPI(api: api, roster: try locator.resolve()) }
        #expect(throws: InjectleError.missing) { try app.resolve((any API).self) }
        let error = #expect(throws: Locator.CheckFailure.self) { try app.check(.strict) }
        #expect(error?.findings.contains { $0.kind == .undeclared } == true)
    }

    @Test func `A model with an argument is created by callers that pass it`() throws {
        final class ItemModel { init(number: Int, roster: Roster) {} }
        final class ListModel { @Inject var item: ItemModel }
        app.register(.lazy { Roster() })
        app.register(.initializer(ItemModel.init).lifetime(.volatile))
        _ = try app.resolve(ItemModel.self, arguments: 7)
        #expect(app.validate().first?.fix.contains("`.arguments(Int.self)`") == true)
        app.register(.initializer(ItemModel.init).arguments(Int.self).lifetime(.volatile))
        try app.check(.strict)
        let finding = app.validate { ListModel() }.first { $0.kind == .missing }
        #expect(finding?.message.hasPrefix("The property `item` of ") == true)
        #expect(finding?.message.hasSuffix("which is registered for other arguments.") == true)
    }

    @Test func `A service that each child has is missing in the singleton that all share`() throws {
        final class Importer { init(account: Account) {} }
        app.register(.initializer(Importer.init))
        let error = #expect(throws: Locator.CheckFailure.self) { try app.check(as: "request", given: Account.self) }
        #expect(error?.findings.map(\.kind) == [.missing])
        #expect(error?.findings.first?.fix.hasPrefix("create InjectleDiagnosticsTests.TrappingProgramTests") == true)
    }
}
