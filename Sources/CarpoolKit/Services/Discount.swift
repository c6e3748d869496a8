/// A reduction of a fare. A town can have none.
protocol Discount: Sendable {
    func reduced(_ fare: Money, for car: Car) -> Money
}

/// Rewards those who leave no seat empty.
struct FullCarDiscount: Discount {
    let percent: Int

    func reduced(_ fare: Money, for car: Car) -> Money {
        car.heads == car.seats ? fare.reduced(byPercent: percent) : fare
    }
}
