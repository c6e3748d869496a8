import Injectle
import InjectleTestSupport
import Testing

private struct User: Equatable, Sendable { var name = "Ada" }
private final class Store: Sendable {}
private final class Cart: Sendable {}

private final class Page: Sendable {
    let store = Inject<Store>()
    let keyed = Inject<Store>("archive")
    let user = Inject<User>()
    let cart = Inject<Cart>()
    let optionalUser = Optject<User>()
    let optionalType = Inject<User?>()
    let optionalStore = Optject<Store>()
    let kept = Injected<User?>(resolve: .lazy)
    let stores = Inject<[Store]>()
    let carts = Inject<[Cart]>()
}

private enum End: CaseIterable { case close, release }

/// Reads of properties whose locator has ended.
@Suite struct EndedLocatorTests {
    private let app = Locator("app")

    init() {
        app.register(.lazy { Store() }.contributing(to: Store.self).asSelf())
        app.register(.lazy { Store() }, for: Store.self, key: "archive")
        app.register(.lazy { Page() }.lifetime(.volatile))
    }

    /// A page of a session, once the session has ended.
    private func page(after end: End, _ build: (Locator) -> Void = { _ in }, read: (Page) -> Void = { _ in })
        async throws -> Page
    {
        let session = app.child("session", build)
        let page = try session.resolve(Page.self)
        read(page)
        switch end {
        case .close: await session.close()
        case .release: break
        }
        return page
    }

    // MARK: What an ancestor has

    @Test(arguments: End.allCases)
    private func `A property reads a singleton of the parent`(end: End) async throws {
        let page = try await page(after: end)
        let store: Store = try app.resolve()
        #expect(page.store() === store)
        #expect(page.optionalStore() === store)
        #expect(try page.keyed() === app.resolve(Store.self, key: "archive"))
        #expect(page.stores().count == 1)
    }

    @Test(arguments: End.allCases)
    private func `A property creates a singleton of the parent`(end: End) async throws {
        let page = try await page(after: end)
        let store = page.store()
        #expect(try app.resolve(Store.self) === store)
    }

    @Test func `A property reads through several locators that have ended`() async throws {
        let session = app.child("session")
        let page = try session.child("screen").child("row").resolve(Page.self)
        await session.close()
        #expect(try page.store() === app.resolve(Store.self))
    }

    @Test func `A property follows the registrations of the parent`() async throws {
        let page = try await page(after: .close)
        app.register(.eager(User(name: "Ben")))
        #expect(page.user() == User(name: "Ben"))
        #expect(page.kept() == User(name: "Ben"))
        app.unregisterService(User.self)
        #expect(page.optionalUser() == nil)
    }

    @Test func `A property of an override that was closed reads the parent`() async throws {
        let session = app.child("session")
        let page = Locator.$shared.withValue(session) { Page() }
        await session.close()
        #expect(try page.store() === app.resolve(Store.self))
    }

    @Test func `A property keeps its own instance of a volatile service`() async throws {
        app.register(.volatile { Cart() })
        let read = Guarded<Cart?>(nil)
        let page = try await page(after: .close) { _ in
        } read: { page in
            read.withLock { $0 = page.cart() }
        }
        #expect(page.cart() === read.value)
    }

    @Test func `A resolve still throws`() async throws {
        let session = app.child("session")
        await session.close()
        #expect(throws: InjectleError.locatorClosed) { try session.resolve(Store.self) }
        #expect(throws: InjectleError.locatorClosed) { try session.resolveOptional(Store.self) }
    }

    // MARK: What the locator had itself

    @Test(arguments: End.allCases)
    private func `A property that can be nil is nil`(end: End) async throws {
        let page = try await page(after: end) {
            $0.register(.eager(User()))
        } read: {
            #expect($0.optionalUser() == User())
        }
        #expect(page.optionalUser() == nil)
        #expect(page.optionalType() == nil)
        #expect(page.kept() == nil)
        #expect(try page.optionalUser.resolve() == nil)
    }

    @Test func `A property that can be nil is nil without a parent`() async throws {
        let page = try app.resolve(Page.self)
        await app.close()
        #expect(page.optionalStore() == nil)
        #expect(page.optionalType() == nil)
    }

    @Test func `A property that can be nil is nil where the parent's service is async or fails`() async throws {
        app.register(.lazy { () async in Cart() })
        app.register(.lazy { () throws -> User in throw CancellationError() })
        let session = app.child("session")
        let cart = Locator.$shared.withValue(session) { Optject<Cart>() }
        let page = try session.resolve(Page.self)
        await session.close()
        #expect(cart() == nil)
        #expect(page.optionalUser() == nil)
        #expect(page.optionalType() == nil)
        #expect(throws: InjectleError.requiresAsync) { try page.cart.resolve() }
        let created = try await app.resolveAsync(Cart.self)
        #expect(cart() === created)
    }

    @Test(arguments: End.allCases)
    private func `A value of the session is gone`(end: End) async throws {
        let page = try await page(after: end) { $0.register(.eager(User())) }
        let error = try #require(throws: InjectleError.locatorClosed) { try page.user.resolve() }
        #expect("\(error)".contains("User was requested from the locator \"session\""))
        #expect(
            "\(error)".contains(
                "keep it: `@Injected(resolve: .eager)`; or let the read throw: `try $property.resolve()`"
            )
        )
    }

    @Test(arguments: [Locator.Lifetime.perLocator, .perLocator(named: "session"), .composite(.perLocator, .weak)])
    private func `An instance of the session is gone, and the parent gets none`(lifetime: Locator.Lifetime) async throws
    {
        let created = Counter()
        app.register(
            .lazy {
                created.increment()
                return Cart()
            }.lifetime(lifetime).contributing(to: Cart.self).asSelf()
        )
        let page = try await page(after: .close) { _ in
        } read: {
            _ = $0.cart()
        }
        #expect(throws: InjectleError.locatorClosed) { try page.cart.resolve() }
        #expect(throws: InjectleError.locatorClosed) { try page.carts.resolve() }
        #expect(created.value == 1)
    }

    @Test func `An instance of a named ancestor stays`() async throws {
        app.register(.lazy { Cart() }.lifetime(.perLocator(named: "app")))
        let page = try await page(after: .close)
        #expect(try page.cart() === app.resolve(Cart.self))
    }

    @Test func `A service of the parent that needs a value of the session is gone`() async throws {
        app.register(
            .volatile { locator in
                _ = try locator.resolve(User.self)
                return Cart()
            }
        )
        let page = try await page(after: .close) { $0.register(.eager(User())) }
        #expect(throws: InjectleError.locatorClosed) { try page.cart.resolve() }
    }

    @Test func `An optional property of a session's service is nil before the login`() throws {
        app.register(.lazy { User() }.lifetime(.perLocator(named: "session")))
        let page = Locator.$shared.withValue(app) { Page() }
        #expect(page.optionalUser() == nil)
        #expect(page.optionalType() == nil)
        #expect(page.kept() == nil)
        #expect(throws: InjectleError.locatorNotFound) { try page.user.resolve() }
        #expect(throws: InjectleError.locatorNotFound) { try app.resolveOptional(User.self) }
        // The service of the app is there, and its dependency is not.
        app.register(
            .lazy { locator in
                _ = try locator.resolve(User.self)
                return Cart()
            }
        )
        let cart = Locator.$shared.withValue(app) { Optject<Cart>() }
        #expect(throws: InjectleError.locatorNotFound) { try cart.resolve() }
    }

    // MARK: Eager properties

    @Test func `An eager property that found nil stays nil`() async {
        let session = app.child("session")
        let (optional, user) = Locator.$shared.withValue(session) {
            (Injected<Cart?>(resolve: .eager), Injected<User?>(resolve: .eager))
        }
        session.register(.eager(User()))
        #expect(user() == nil)
        await session.close()
        #expect(optional() == nil)
        #expect(user() == nil)
    }

    @Test func `An eager property of a locator that was closed is nil`() async {
        await app.close()
        #expect(Locator.$shared.withValue(app) { Injected<User?>(resolve: .eager) }() == nil)
    }

    // MARK: Reads that throw

    private actor Session {
        @Inject private var user: User
        func name() throws -> String { try $user.resolve().name }
    }

    private struct Screen {
        @Inject var user: User
        @Optject var cart: Cart?
        @Injected(resolve: .lazy) var store: Store
    }

    private final class Model {
        @Inject("archive") var store: Store
        @Optject var user: User?
        func archive() throws -> Store { try $store.resolve() }
    }

    @Test func `A projected value resolves`() async throws {
        let (screen, model, session) = Locator.$shared.withValue(app) { (Screen(), Model(), Session()) }
        #expect(throws: InjectleError.missing) { try screen.$user.resolve() }
        await #expect(throws: InjectleError.missing) { try await session.name() }
        #expect(try screen.$cart.resolve() == nil)
        #expect(try screen.$store.resolve() === app.resolve(Store.self))
        #expect(try model.archive() === app.resolve(Store.self, key: "archive"))
        app.register(.eager(User()))
        #expect(try screen.$user.resolve() == User())
        #expect(try model.$user.resolve() == User())
        #expect(try await session.name() == "Ada")
    }

    @Test func `A read throws the error of the closure`() {
        struct Unreachable: Error {}
        app.register(.lazy { throw Unreachable() }, for: User.self)
        let page = Locator.$shared.withValue(app) { Page() }
        #expect(throws: InjectleError.factoryFailed) { try page.user.resolve() }
        #expect(throws: InjectleError.factoryFailed) { try page.optionalUser.resolve() }
        #expect(throws: InjectleError.factoryFailed) { try page.kept.resolve() }
    }
}
