internal import Injectle

extension Row {
    /// Rows of growth: the same work with much more around it, measured against itself with little.
    static let growth: [Row] = [
        Row("G1-resolve-nine-services-10000-to-10-registrations") {
            (
                resolveLeavesLoop(try locatorWithLeaves(.lazy, among: 10)),
                resolveLeavesLoop(try locatorWithLeaves(.lazy, among: 10_000))
            )
        },
        Row("G2-read-property-10000-to-10-registrations") {
            (
                readLoop(holder(in: try locatorWithSingleton(among: 10))),
                readLoop(holder(in: try locatorWithSingleton(among: 10_000)))
            )
        },
        Row("G3-resolve-nine-volatiles-10000-to-10-registrations") {
            (
                resolveLeavesLoop(try locatorWithLeaves(.volatile, among: 10)),
                resolveLeavesLoop(try locatorWithLeaves(.volatile, among: 10_000))
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

/// A locator with nine services, registered between others. How long a table is searched for one of them depends on when it
/// was registered, and on the address of its type, which differs from process to process.
private func locatorWithLeaves(_ lifetime: Locator.Lifetime, among others: Int) throws -> Locator {
    let locator = Locator("benchmark")
    let registerLeaves: [(Locator) -> Void] = [
        { $0.register(.lazy(.anywhere) { Leaf1() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf2() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf3() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf4() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf5() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf6() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf7() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf8() }.lifetime(lifetime)) },
        { $0.register(.lazy(.anywhere) { Leaf9() }.lifetime(lifetime)) },
    ]
    for (position, register) in Registrars(others).closures.enumerated() {
        if position % (others / 10) == 0, position / (others / 10) < registerLeaves.count {
            registerLeaves[position / (others / 10)](locator)
        }
        register(locator)
    }
    var leaf: AnyObject?
    try resolveLeaves(locator, &leaf)
    return locator
}

private func resolveLeavesLoop(_ locator: Locator) -> Loop {
    { count in try repeated(count) { try resolveLeaves(locator, &$0) } }
}

@inline(never)
private func resolveLeaves(_ locator: Locator, _ result: inout AnyObject?) throws {
    result = try locator.resolve(Leaf1.self)
    result = try locator.resolve(Leaf2.self)
    result = try locator.resolve(Leaf3.self)
    result = try locator.resolve(Leaf4.self)
    result = try locator.resolve(Leaf5.self)
    result = try locator.resolve(Leaf6.self)
    result = try locator.resolve(Leaf7.self)
    result = try locator.resolve(Leaf8.self)
    result = try locator.resolve(Leaf9.self)
}

/// Ten thousand objects whose properties look in a locator. They are known to it only once they have been read.
private func readHolders(in locator: Locator) -> [Holder] {
    let holders = (0..<10_000).map { _ in holder(in: locator) }
    for holder in holders { _ = holder.service }
    return holders
}
