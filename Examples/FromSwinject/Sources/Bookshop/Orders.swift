import FromSwinject

final class Cart {
    var ids: [Int] = []
    var total: Int { ids.count * 1000 }
}
protocol PaymentGateway: AnyObject { var fee: Int { get } }
final class CardGateway: PaymentGateway { let fee = 30 }
final class InvoiceGateway: PaymentGateway { let fee = 0 }
final class Taxes { func tax(on cents: Int) -> Int { cents / 10 } }
final class Shipping { let cost = 500 }
final class Checkout {
    let cart: Cart
    private let gateway: any PaymentGateway
    private let taxes: Taxes
    private let shipping: Shipping
    init(cart: Cart, gateway: any PaymentGateway, taxes: Taxes, shipping: Shipping) {
        (self.cart, self.gateway, self.taxes, self.shipping) = (cart, gateway, taxes, shipping)
    }
    var total: Int { cart.total + taxes.tax(on: cart.total) + shipping.cost + gateway.fee }
}
struct Invoice {
    let total: Int
    let day: Int
}
final class OrderStore { var orders: [Int] = [] }
final class OrderEvents { var count = 0 }
final class Refunds {
    let store: OrderStore
    init(store: OrderStore) { self.store = store }
}
/// The service and its monitor refer to each other.
final class OrderService {
    let store: OrderStore
    var monitor: OrderMonitor?
    init(store: OrderStore) { self.store = store }
}
final class OrderMonitor {
    let events: OrderEvents
    weak var service: OrderService?
    init(events: OrderEvents) { self.events = events }
}

/// 12 registrations.
struct OrderAssembly: Assembly {
    func assemble(container: Container) {
        container.register(Cart.self) { _ in Cart() }.inObjectScope(.session)
        container.register((any PaymentGateway).self, name: "card") { _ in CardGateway() }
        container.register((any PaymentGateway).self, name: "invoice") { _ in InvoiceGateway() }
        container.register(Taxes.self) { _ in Taxes() }.inObjectScope(.container)
        container.register(Shipping.self) { _ in Shipping() }.inObjectScope(.container)
        container.register(Checkout.self) { r in
            Checkout(
                cart: r.resolve(Cart.self)!,
                gateway: r.resolve((any PaymentGateway).self, name: "card")!,
                taxes: r.resolve(Taxes.self)!,
                shipping: r.resolve(Shipping.self)!
            )
        }
        container.register(Invoice.self) { r, total in
            Invoice(total: total, day: r.resolve((any DateSource).self)!.today)
        }.inObjectScope(.transient)
        container.register(OrderStore.self) { _ in OrderStore() }.inObjectScope(.container)
        container.register(OrderEvents.self) { _ in OrderEvents() }.inObjectScope(.container)
        container.register(Refunds.self) { r in Refunds(store: r.resolve(OrderStore.self)!) }
        container.register(OrderService.self) { r in OrderService(store: r.resolve(OrderStore.self)!) }
            .initCompleted { r, service in service.monitor = r.resolve(OrderMonitor.self) }
            .inObjectScope(.container)
        container.register(OrderMonitor.self) { r in OrderMonitor(events: r.resolve(OrderEvents.self)!) }
            .initCompleted { r, monitor in monitor.service = r.resolve(OrderService.self) }
            .inObjectScope(.container)
    }
}
