internal import Injectle

extension Row {
    /// Rows 1 and 2: an existing lazy singleton, by its type.
    static let singletons: [Row] = [
        Row("1a-resolve-among-10-others") { try resolving(among: 10) },
        Row("1b-resolve-among-1000-others") { try resolving(among: 1000) },
        Row("1c-resolve-among-10000-others") { try resolving(among: 10_000) },
        Row("2a-resolve-through-shared-in-override") {
            let locator = try locatorWithSingleton(among: 10)
            return (
                singletonLoop,
                { count in
                    try Locator.$shared.withValue(locator) { try repeated(count) { try resolveShared(&$0) } }
                }
            )
        },
        Row("2b-resolve-by-locator-in-override") {
            let locator = try locatorWithSingleton(among: 10)
            return (
                singletonLoop,
                { count in
                    try Locator.$shared.withValue(locator) { try repeated(count) { try resolve(locator, &$0) } }
                }
            )
        },
    ]

    private static func resolving(among others: Int) throws -> (floor: Loop, work: Loop) {
        (singletonLoop, resolveLoop(try locatorWithSingleton(among: others)))
    }
}

/// The loop of row 1's work.
func resolveLoop(_ locator: Locator) -> Loop {
    { count in try repeated(count) { try resolve(locator, &$0) } }
}

@inline(never)
func resolve(_ locator: Locator, _ result: inout (any Service)?) throws {
    result = try locator.resolve((any Service).self)
}

@inline(never)
func resolveShared(_ result: inout (any Service)?) throws {
    result = try Locator.shared.resolve((any Service).self)
}
