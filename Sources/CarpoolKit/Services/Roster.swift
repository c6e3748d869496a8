/// The cars that are out on one day.
///
/// It is registered per locator, and each day has a locator of its own: so the planner and the report of a day have the
/// same roster, and each day begins with the first car.
final class Roster {
    private var taken: [CarKind: Int] = [:]

    /// Takes out another car of a kind, and returns its number.
    func takeOut(_ kind: CarKind) -> Int {
        taken[kind, default: 0] += 1
        return count(of: kind)
    }

    func count(of kind: CarKind) -> Int { taken[kind] ?? 0 }
}
