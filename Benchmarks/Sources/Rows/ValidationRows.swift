internal import Injectle

extension Row {
    /// Row 20: validating 10,000 registrations with one dependency each. An operation is one registration. The floor is not
    /// code without the library, but registering the same.
    static let validation: [Row] = [
        Row("20-validate-registrations") {
            var registrars = DependingRegistrars()
            visitDistinctTypes(10_000, &registrars)
            let closures = registrars.closures
            let locator = Locator("validated")
            for register in closures { register(locator) }
            return (
                { count in
                    var sum = Duration.zero
                    for _ in 0..<max(1, count / closures.count) {
                        let other = Locator("registered")
                        let start = ContinuousClock.now
                        for register in closures { register(other) }
                        sum += start.duration(to: .now)
                    }
                    return sum
                },
                { count in
                    let start = ContinuousClock.now
                    for _ in 0..<max(1, count / closures.count) {
                        precondition(locator.validate().isEmpty, "The registrations have no faults.")
                    }
                    return start.duration(to: .now)
                }
            )
        }
    ]
}

/// Collects a closure for each type that registers it, with the type before as its dependency.
private struct DependingRegistrars: TypeVisitor {
    private(set) var closures: [(Locator) -> Void] = []
    private var previous: (any Makeable.Type)?

    mutating func visit<Visited: Makeable>(_ type: Visited.Type) {
        func registrar<Previous: Makeable>(_: Previous.Type) -> (Locator) -> Void {
            { locator in locator.register(.lazy(.anywhere) { _ in Visited() }.depending(on: Previous.self)) }
        }
        closures.append(
            previous.map { registrar($0) } ?? { locator in locator.register(.lazy(.anywhere) { Visited() }) }
        )
        previous = type
    }
}
