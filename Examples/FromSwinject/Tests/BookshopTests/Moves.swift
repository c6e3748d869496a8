import Injectle

@testable import Bookshop

/// One or more registrations in the form of Injectle, which replace registrations of Swinject.
struct Move: CustomStringConvertible {
    let description: String
    /// The number of registrations: the services of a circle move together.
    var count = 1
    let register: (Locator) -> Void
}

/// A session's instances, until the scope is reset.
struct SessionLifetime: Locator.CustomLifetime {
    let services = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { services }
}

enum Moves {
    static func all(session: SessionLifetime) -> [Move] {
        platform + accounts(session) + catalog(session) + orders(session) + screens
    }

    private static var platform: [Move] {
        [
            Move("DateSource") { $0.register(.volatile { SystemDates() }, for: (any DateSource).self) },
            Move("Log") { $0.register(.lazy { Log() }.asSelf().as((any AuditTrail).self)) },
            Move("Settings, shop") { $0.register(.eager(Settings(currency: "EUR")), key: "shop") },
            Move("Settings, export") { $0.register(.eager(Settings(currency: "USD")), key: "export") },
            Move("HTTPClient") { $0.register(.lazy { StubHTTPClient() }, for: (any HTTPClient).self) },
            Move("APIClient") {
                $0.register(
                    .volatile { (locator, region: String) in APIClient(region: region, http: try locator.resolve()) }
                )
            },
            Move("JSONCoder") { $0.register(.volatile { JSONCoder() }) },
            Move("Database") { $0.register(.lazy { Database() }) },
            Move("ImageCache") { $0.register(.lazy { ImageCache() }.lifetime(.weak)) },
            Move("Keychain") {
                $0.register(.lazy { Keychain() }.asSelf().as((any SecretStore).self, key: "tokens"))
            },
            Move("IDGenerator") { $0.register(.lazy { IDGenerator() }) },
            Move("Retry") {
                $0.register(
                    .volatile { (_, attempts: Int, delay: Double) in Retry(attempts: attempts, delay: delay) }
                )
            },
        ]
    }

    private static func accounts(_ session: SessionLifetime) -> [Move] {
        [
            Move("TokenStore") {
                $0.register(.lazy { locator in TokenStore(secrets: try locator.resolve(key: "tokens")) })
            },
            Move("Session") { $0.register(.lazy { Session() }.lifetime(session)) },
            Move("AccountEvents") { $0.register(.lazy { AccountEvents() }) },
            Move("LoginService") { $0.register(.initializer(LoginService.init).lifetime(.volatile)) },
            Move("LogoutService") { $0.register(.initializer(LogoutService.init).lifetime(.volatile)) },
            Move("ProfileStore") { $0.register(.initializer(ProfileStore.init).lifetime(session)) },
            Move("AvatarLoader") { $0.register(.initializer(AvatarLoader.init).lifetime(.volatile)) },
            Move("PasswordRules") { $0.register(.volatile { PasswordRules() }) },
            Move("TwoFactor") {
                $0.register(
                    .volatile { locator in
                        let ids: Locator.Provider<IDGenerator> = try locator.resolve()
                        return TwoFactor { try! ids() }
                    }
                )
            },
            Move("BiometricGate") { $0.register(.initializer(BiometricGate.init).lifetime(.volatile)) },
            Move("ConsentStore") { $0.register(.lazy { ConsentStore() }) },
            Move("DeletionService") { $0.register(.initializer(DeletionService.init).lifetime(.volatile)) },
        ]
    }

    private static func catalog(_ session: SessionLifetime) -> [Move] {
        [
            Move("BookRepository") { $0.register(.initializer(BookStore.init), for: (any BookRepository).self) },
            Move("SearchIndex") { $0.register(.initializer(SearchIndex.init)) },
            Move("Recommendations") { $0.register(.initializer(Recommendations.init).lifetime(.volatile)) },
            Move("PriceFormatter") {
                $0.register(.volatile { locator in PriceFormatter(settings: try locator.resolve(key: "shop")) })
            },
            Move("CoverLoader") { $0.register(.initializer(CoverLoader.init).lifetime(.volatile)) },
            Move("Ratings") { $0.register(.lazy { Ratings() }) },
            Move("Wishlist") { $0.register(.lazy { Wishlist() }.lifetime(session)) },
            Move("Publisher, novels") { $0.register(.eager(Publisher(name: "Novels & Co")), key: "novels") },
            Move("Publisher, manuals") { $0.register(.eager(Publisher(name: "Manuals Ltd")), key: "manuals") },
            Move("Filter") {
                $0.register(.volatile { (locator, text: String) in Filter(text: text, index: try locator.resolve()) })
            },
            Move("Sorting") { $0.register(.volatile { Sorting() }) },
            Move("CatalogService") {
                $0.register(
                    .volatile { locator in
                        let recommendations: Locator.Lazy<Recommendations> = try locator.resolve()
                        return CatalogService(books: try locator.resolve(), ratings: try locator.resolve()) {
                            try! recommendations()
                        }
                    }
                )
            },
        ]
    }

    private static func orders(_ session: SessionLifetime) -> [Move] {
        [
            Move("Cart") { $0.register(.lazy { Cart() }.lifetime(session)) },
            Move("PaymentGateway, card") {
                $0.register(.volatile { CardGateway() }, for: (any PaymentGateway).self, key: "card")
            },
            Move("PaymentGateway, invoice") {
                $0.register(.volatile { InvoiceGateway() }, for: (any PaymentGateway).self, key: "invoice")
            },
            Move("Taxes") { $0.register(.lazy { Taxes() }) },
            Move("Shipping") { $0.register(.lazy { Shipping() }) },
            Move("Checkout") {
                $0.register(
                    .volatile { locator in
                        Checkout(
                            cart: try locator.resolve(),
                            gateway: try locator.resolve(key: "card"),
                            taxes: try locator.resolve(),
                            shipping: try locator.resolve()
                        )
                    }
                )
            },
            Move("Invoice") {
                $0.register(
                    .volatile { (locator, total: Int) in
                        Invoice(total: total, day: try locator.resolve((any DateSource).self).today)
                    }
                )
            },
            Move("OrderStore") { $0.register(.lazy { OrderStore() }) },
            Move("OrderEvents") { $0.register(.lazy { OrderEvents() }) },
            Move("Refunds") { $0.register(.initializer(Refunds.init).lifetime(.volatile)) },
            Move("OrderService and OrderMonitor", count: 2) {
                $0.register(.initializer(OrderService.init).injecting(\.monitor))
                $0.register(.initializer(OrderMonitor.init).injecting(\.service))
            },
        ]
    }

    private static var screens: [Move] {
        [
            Move("Theme") { $0.register(.lazy { Theme() }) },
            Move("Router and Coordinator", count: 2) {
                $0.register(.lazy { Router() })
                $0.register(
                    .initializer(Coordinator.init)
                        .afterInit { _, coordinator in coordinator.router.coordinator = coordinator }
                )
            },
            Move("CatalogModel") { $0.register(.initializer(CatalogModel.init).lifetime(.volatile)) },
            Move("BookModel") {
                $0.register(.volatile { (locator, id: Int) in BookModel(id: id, books: try locator.resolve()) })
            },
            Move("CartModel") { $0.register(.initializer(CartModel.init).lifetime(.volatile)) },
            Move("CheckoutModel") { $0.register(.initializer(CheckoutModel.init).lifetime(.volatile)) },
            Move("LoginModel") { $0.register(.initializer(LoginModel.init).lifetime(.volatile)) },
            Move("ProfileModel") { $0.register(.volatile { ProfileModel() }.injecting(\.store)) },
            Move("OrdersModel") { $0.register(.initializer(OrdersModel.init).lifetime(.volatile)) },
            Move("SettingsModel") { $0.register(.initializer(SettingsModel.init).lifetime(.volatile)) },
            Move("Storefront") { $0.register(.initializer(Storefront.init)) },
        ]
    }
}

extension Move {
    init(_ description: String, count: Int = 1, _ register: @escaping (Locator) -> Void) {
        (self.description, self.count, self.register) = (description, count, register)
    }
}
