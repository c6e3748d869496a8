import FromSwinject

final class Theme { let name = "paper" }
/// The router needs the coordinator whose initializer gets the router.
final class Router { weak var coordinator: Coordinator? }
final class Coordinator {
    let router: Router
    let theme: Theme
    init(router: Router, theme: Theme) { (self.router, self.theme) = (router, theme) }
}
final class CatalogModel {
    let service: CatalogService
    let covers: CoverLoader
    let avatars: AvatarLoader
    init(service: CatalogService, covers: CoverLoader, avatars: AvatarLoader) {
        (self.service, self.covers, self.avatars) = (service, covers, avatars)
    }
}
final class BookModel {
    let id: Int
    let title: String
    init(id: Int, books: any BookRepository) { (self.id, title) = (id, books.title(of: id)) }
}
final class CartModel {
    let cart: Cart
    let formatter: PriceFormatter
    init(cart: Cart, formatter: PriceFormatter) { (self.cart, self.formatter) = (cart, formatter) }
}
final class CheckoutModel {
    let checkout: Checkout
    let formatter: PriceFormatter
    init(checkout: Checkout, formatter: PriceFormatter) { (self.checkout, self.formatter) = (checkout, formatter) }
}
final class LoginModel {
    let login: LoginService
    let rules: PasswordRules
    init(login: LoginService, rules: PasswordRules) { (self.login, self.rules) = (login, rules) }
}
final class ProfileModel { var store: ProfileStore! }
final class OrdersModel {
    let orders: OrderService
    let refunds: Refunds
    init(orders: OrderService, refunds: Refunds) { (self.orders, self.refunds) = (orders, refunds) }
}
final class SettingsModel {
    let gate: BiometricGate
    let deletion: DeletionService
    init(gate: BiometricGate, deletion: DeletionService) { (self.gate, self.deletion) = (gate, deletion) }
}
final class Storefront {
    let coordinator: Coordinator
    let audit: any AuditTrail
    init(coordinator: Coordinator, audit: any AuditTrail) { (self.coordinator, self.audit) = (coordinator, audit) }
}

/// 12 registrations.
struct ScreenAssembly: Assembly {
    func assemble(container: Container) {
        container.register(Theme.self) { _ in Theme() }.inObjectScope(.container)
        container.register(Router.self) { _ in Router() }
            .initCompleted { r, router in router.coordinator = r.resolve(Coordinator.self) }
            .inObjectScope(.container)
        container.register(Coordinator.self) { r in
            Coordinator(router: r.resolve(Router.self)!, theme: r.resolve(Theme.self)!)
        }.inObjectScope(.container)
        container.register(CatalogModel.self) { r in
            CatalogModel(
                service: r.resolve(CatalogService.self)!,
                covers: r.resolve(CoverLoader.self)!,
                avatars: r.resolve(AvatarLoader.self)!
            )
        }
        container.register(BookModel.self) { r, id in
            BookModel(id: id, books: r.resolve((any BookRepository).self)!)
        }
        container.register(CartModel.self) { r in
            CartModel(cart: r.resolve(Cart.self)!, formatter: r.resolve(PriceFormatter.self)!)
        }
        container.register(CheckoutModel.self) { r in
            CheckoutModel(checkout: r.resolve(Checkout.self)!, formatter: r.resolve(PriceFormatter.self)!)
        }
        container.register(LoginModel.self) { r in
            LoginModel(login: r.resolve(LoginService.self)!, rules: r.resolve(PasswordRules.self)!)
        }
        container.register(ProfileModel.self) { _ in ProfileModel() }
            .initCompleted { r, model in model.store = r.resolve(ProfileStore.self) }
        container.register(OrdersModel.self) { r in
            OrdersModel(orders: r.resolve(OrderService.self)!, refunds: r.resolve(Refunds.self)!)
        }
        container.register(SettingsModel.self) { r in
            SettingsModel(gate: r.resolve(BiometricGate.self)!, deletion: r.resolve(DeletionService.self)!)
        }
        container.register(Storefront.self) { r in
            Storefront(coordinator: r.resolve(Coordinator.self)!, audit: r.resolve((any AuditTrail).self)!)
        }.inObjectScope(.container)
    }
}
