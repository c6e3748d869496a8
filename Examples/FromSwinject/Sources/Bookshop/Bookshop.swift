import FromSwinject

/// A shop whose 60 services are registered with Swinject. Only the import differs from a program that uses Swinject.
struct Bookshop {
    static var assemblies: [any Assembly] {
        [PlatformAssembly(), AccountAssembly(), CatalogAssembly(), OrderAssembly(), ScreenAssembly()]
    }

    let container: Container
    /// Ends the services of the session.
    var endSession: () -> Void

    /// A visit from login to logout, as the lines of a report.
    func visit() -> [String] { openShop() + logIn() + browse() + buy() + work() + logOut() }

    private func openShop() -> [String] {
        let storefront = get(Storefront.self)
        storefront.audit.record("open")
        let isSame = storefront === get(Storefront.self)
        let knowsCoordinator = get(Router.self).coordinator === storefront.coordinator
        return [
            "one storefront: \(isSame), theme \(storefront.coordinator.theme.name)",
            "router and coordinator: \(knowsCoordinator), \(storefront.coordinator.router === get(Router.self))",
            "log: \(get(Log.self).lines)",
        ]
    }

    private func logIn() -> [String] {
        let model = get(LoginModel.self)
        model.login.logIn("Ada")
        let profile = get(ProfileModel.self)
        let settings = get(SettingsModel.self)
        let token = container.resolve((any SecretStore).self, name: "tokens")!
        return [
            "password: \(model.rules.length) letters, token: \(token.secret ?? "none")",
            "profile of \(profile.store.session.user ?? "nobody"), keychain: \(token === get(Keychain.self))",
            "biometrics: \(settings.gate.biometrics != nil), consent: \(settings.deletion.consent.isGiven)",
            "new model each time: \(model !== get(LoginModel.self))",
        ]
    }

    private func browse() -> [String] {
        get(Database.self).rows["book 7"] = "Swift"
        let model = get(CatalogModel.self)
        let recommended = model.service.recommendations
        get(Ratings.self).stars[7] = 5
        get(Wishlist.self).ids.append(7)
        return [
            "one cache while it is used: \(model.covers.cache === model.avatars.cache)",
            "book: \(container.resolve(BookModel.self, argument: 7)!.title), \(model.service.books.title(of: 1))",
            "recommended: \(recommended.index.first()), one index: \(recommended.index === get(SearchIndex.self))",
            "filter: \(container.resolve(Filter.self, argument: "swift")!.text), \(get(Sorting.self).isAscending)",
            "stars: \(model.service.ratings.stars), wishes: \(get(Wishlist.self).ids)",
            "publishers: \(["novels", "manuals"].map { container.resolve(Publisher.self, name: $0)!.name })",
        ]
    }

    private func buy() -> [String] {
        get(CartModel.self).cart.ids = [7, 8]
        let model = get(CheckoutModel.self)
        let invoice = container.resolve((any PaymentGateway).self, name: "invoice")!
        let child = Container(parent: container)
        child.register((any DateSource).self) { _ in FixedDates(today: 31) }
        let days = [container, child].map { $0.resolve(Invoice.self, argument: model.checkout.total)!.day }
        return [
            "total: \(model.formatter.format(model.checkout.total)), fee of an invoice: \(invoice.fee)",
            "days of the invoices: \(days)",
            "export: \(container.resolve(Settings.self, name: "export")!.currency)",
        ]
    }

    private func work() -> [String] {
        let model = get(OrdersModel.self)
        model.orders.store.orders.append(model.orders.store.orders.count + 1)
        model.orders.monitor?.events.count += 1
        let api = container.resolve(APIClient.self, argument: "eu")!
        let retry = container.resolve(Retry.self, arguments: 3, 0.5)!
        return [
            "orders: \(model.refunds.store.orders), events: \(get(OrderEvents.self).count)",
            "monitor: \(get(OrderMonitor.self).service === model.orders)",
            "\(api.get("books")), \(get(JSONCoder.self).encode("7")), retry \(retry.attempts) times",
            "codes: \(get(TwoFactor.self).code()), \(get(TwoFactor.self).code()), \(get(IDGenerator.self).next())",
        ]
    }

    private func logOut() -> [String] {
        let session = get(Session.self)
        get(LogoutService.self).logOut()
        endSession()
        let user = get(Session.self).user ?? "nobody"
        return [
            "another session: \(session !== get(Session.self)), user: \(user), cart: \(get(Cart.self).ids)",
            "token: \(container.resolve((any SecretStore).self, name: "tokens")!.secret ?? "none")",
            "logins: \(get(AccountEvents.self).logins)",
            "tax: \(get(Taxes.self).tax(on: 100)), shipping: \(get(Shipping.self).cost)",
        ]
    }

    private func get<Service>(_ type: Service.Type) -> Service { container.resolve(type)! }
}
