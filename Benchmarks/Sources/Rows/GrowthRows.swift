internal import Injectle

extension Row {
    /// Rows of growth: the same work with much more around it, measured against itself with little.
    static let growth: [Row] = [
        Row("G1-resolve-10000-to-10-registrations") {
            (
                resolveLoop(try locatorWithSingleton(among: 10)),
                resolveLoop(try locatorWithSingleton(among: 10_000))
            )
        },
        Row("G2-read-property-10000-to-10-registrations") {
            (
                readLoop(holder(in: try locatorWithSingleton(among: 10))),
                readLoop(holder(in: try locatorWithSingleton(among: 10_000)))
            )
        },
        Row("G3-resolve-volatile-10000-to-10-registrations") {
            (
                resolveLoop(locatorWithVolatile(among: 10)),
                resolveLoop(locatorWithVolatile(among: 10_000))
            )
        },
        Row("G4-read-property-10000-holders-to-1") {
            let one = holder(in: try locatorWithSingleton(among: 10))
            let holders = readHolders(in: try locatorWithSingleton(among: 10))
            return (
                readLoop(one),
                { count in try withExtendedLifetime(holders) { try readLoop(holders[5000])(count) } }
            )
        },
        Row("G5-resolve-at-depth-8-to-1") {
            let root = try locatorWithSingleton(among: 10)
            var leaf = root
            for _ in 2...8 { leaf = leaf.child() }
            return (resolveLoop(root), resolveLoop(leaf))
        },
        Row("G6-resolve-10000-holders-to-1") {
            let crowded = try locatorWithSingleton(among: 10)
            let holders = readHolders(in: crowded)
            let work = resolveLoop(crowded)
            return (
                resolveLoop(try locatorWithSingleton(among: 10)),
                { count in try withExtendedLifetime(holders) { try work(count) } }
            )
        },
        Row("G7-resolve-volatile-10000-holders-to-1") {
            let crowded = locatorWithVolatile(among: 10)
            // Each has an instance of its own.
            let holders = readHolders(in: crowded)
            let work = resolveLoop(crowded)
            return (
                resolveLoop(locatorWithVolatile(among: 10)),
                { count in try withExtendedLifetime(holders) { try work(count) } }
            )
        },
    ]
}

/// Ten thousand objects whose properties look in a locator. They are known to it only once they have been read.
private func readHolders(in locator: Locator) -> [Holder] {
    let holders = (0..<10_000).map { _ in holder(in: locator) }
    for holder in holders { _ = holder.service }
    return holders
}
