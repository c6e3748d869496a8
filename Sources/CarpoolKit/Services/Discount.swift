/// What is taken off a fare. A town need not have one.
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
