import Injectle
import InjectleTestSupport
import Testing

/// With `validation: .scopes`, a captive dependency is an error at the resolve that creates it.
@Suite struct ScopeValidationTests {
    private let locator = Locator("app", validation: .scopes)

    private func register(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        locator.register(.lazy { locator in Office(roster: try locator.resolve()) }.lifetime(lifetime))
    }

    @Test func `A singleton cannot keep a service per locator`() {
        register(.lazy)
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Office.self) }
        #expect(error?.code == .captive)
        #expect(error?.identity == Locator.Identity(Roster.self))
        #expect(error?.description.contains("kept by") == true)
        #expect(error?.description.contains("lazy holds per locator") == true)
    }

    @Test func `A singleton cannot keep a service per locator that exists`() throws {
        register(.lazy)
        _ = try locator.resolve(Roster.self)
        _ = try locator.resolve(Roster.self)
        let error = #expect(throws: InjectleError.self) { try locator.child("request").resolve(Office.self) }
        #expect(error?.code == .captive)
    }

    @Test func `A singleton cannot keep a service per locator through a volatile one`() {
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        locator.register(.initializer(Badge.init, .volatile))
        locator.register(.lazy { locator in [try locator.resolve(Badge.self)] })
        let error = #expect(throws: InjectleError.self) { try locator.resolve([Badge].self) }
        #expect(error?.code == .captive)
        #expect(error?.path.count == 2)
    }

    @Test func `An async singleton cannot keep a service per locator`() async {
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        locator.register(.lazy { locator async throws in Office(roster: try await locator.resolveAsync()) })
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Office.self) }
        #expect(error?.code == .captive)
    }

    @Test func `A list does not hide a captive dependency`() {
        locator.register(.lazy { Roster() }.lifetime(.perLocator).contributing(to: Roster.self))
        locator.register(.lazy { locator in Office(roster: try locator.resolveAll()[0]) })
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Office.self) }
        #expect(error?.code == .captive)
    }

    @Test func `Services per locator keep each other`() throws {
        register(.perLocator)
        _ = try locator.resolve(Office.self)
        _ = try locator.child("request").resolve(Office.self)
    }

    @Test func `A singleton of a child keeps the child's service per locator, unless a descendant requests it`() throws
    {
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        let request = locator.child("request")
        request.register(.lazy { locator in Office(roster: try locator.resolve()) })
        _ = try request.resolve(Office.self)
        let other = locator.child("other")
        other.register(.lazy { locator in Office(roster: try locator.resolve()) })
        let page = other.child("page")
        page.register(
            .lazy { locator in Badge(roster: try locator.resolve(Office.self) as AnyObject as? Roster ?? Roster()) }
        )
        let error = #expect(throws: InjectleError.self) { try page.resolve(Badge.self) }
        #expect(error?.code == .captive)
    }

    @Test func `A scope that a custom lifetime determines is not kept by the service that it is determined for`() throws
    {
        struct Shift: Locator.CustomLifetime {
            let scope = Locator.Scope()
            func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? {
                _ = try resolver.resolve(Roster.self)
                return scope
            }
        }
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        locator.register(.lazy { Disk() }.lifetime(Shift()))
        locator.register(.volatile { locator in Repository(disk: try locator.resolve()) })
        _ = try locator.resolve(Repository.self)
    }

    @Test func `A provider, a property and code outside of a creation keep no service`() throws {
        final class Page: Sendable {
            let roster = Inject<Roster>()
            let provider: Locator.Provider<Roster>
            init(provider: Locator.Provider<Roster>) { self.provider = provider }
        }
        locator.register(.lazy { Roster() }.lifetime(.perLocator))
        locator.register(.initializer(Page.init))
        let page = try locator.resolve(Page.self)
        #expect(try page.provider() === locator.resolve(Roster.self))
        #expect(page.roster() === (try locator.resolve(Roster.self)))
    }

    @Test func `A child has the validation of its parent`() {
        #expect(locator.validation == .scopes)
        #expect(locator.child().validation == .scopes)
        #expect(Locator("other").validation == .none)
        #expect(Locator("other", parent: locator, validation: Locator.Validation.none).validation == .none)
    }

    @Test func `Without validation, a singleton gets the service of its own locator`() throws {
        locator.validation = .none
        register(.lazy)
        _ = try locator.child("request").resolve(Office.self)
        #expect(locator.validate().filter { !$0.isNote } == [])
    }
}
