internal import Injectle

/// A key that is hard to misspell.
enum Fleet: Hashable, Sendable { case day, night }

extension Row {
    /// Row 7: existing lazy singletons, by type and key, among 10,000 others.
    static let keys: [Row] = [
        Row("7a-resolve-by-string-key") { (singletonLoop, resolveByStringLoop(try locatorWithKeys())) },
        Row("7b-resolve-by-enum-key") { (singletonLoop, resolveByEnumLoop(try locatorWithKeys())) },
        Row("7c-resolve-by-long-string-key") {
            let locator = try locatorWithKeys(longKey: longKey(0))
            // Equal to the registered string, but another object.
            let key = longKey(0)
            return (singletonLoop, { count in try repeated(count) { try resolveByLongString(locator, key, &$0) } })
        },
        Row("7d-resolve-by-other-long-string") {
            let locator = try locatorWithKeys(longKey: longKey(0))
            _ = try locator.resolve((any Service).self, key: longKey(0))
            // Another object than in the first request.
            let key = longKey(0)
            return (singletonLoop, { count in try repeated(count) { try resolveByLongString(locator, key, &$0) } })
        },
    ]
}

/// The loop of row 7a's work.
func resolveByStringLoop(_ locator: Locator) -> Loop {
    { count in try repeated(count) { try resolveByString(locator, &$0) } }
}

/// The loop of row 7b's work.
func resolveByEnumLoop(_ locator: Locator) -> Loop {
    { count in try repeated(count) { try resolveByEnum(locator, &$0) } }
}

/// A locator with a service under several keys, each made already, among 10,000 that are not.
func locatorWithKeys(longKey: String? = nil) throws -> Locator {
    let locator = Locator("benchmark")
    for number in 0..<10_000 {
        locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self, key: "key-\(number)")
    }
    var keys: [AnyHashable] = ["bmw-m2", Fleet.day, Fleet.night]
    if let longKey { keys.append(longKey) }
    for key in keys {
        locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self, key: key)
        _ = try locator.resolve((any Service).self, key: key)
    }
    return locator
}

/// A string that is too long to be stored without an allocation, and that the compiler cannot put together.
@inline(never)
private func longKey(_ number: Int) -> String {
    "the garage behind the house, place \(number)"
}

@inline(never)
private func resolveByString(_ locator: Locator, _ result: inout (any Service)?) throws {
    result = try locator.resolve((any Service).self, key: "bmw-m2")
}

@inline(never)
private func resolveByEnum(_ locator: Locator, _ result: inout (any Service)?) throws {
    result = try locator.resolve((any Service).self, key: Fleet.night)
}

@inline(never)
private func resolveByLongString(_ locator: Locator, _ key: String, _ result: inout (any Service)?) throws {
    result = try locator.resolve((any Service).self, key: key)
}
