internal import Injectle

/// An object of two services.
private final class Pair: Sendable {
    let service: any Service
    let other: Other

    init(service: any Service, other: Other) {
        self.service = service
        self.other = other
    }
}

private final class Other: Sendable {}

private enum Others {
    static let other = makeOther()
}

@inline(never)
private func makeOther() -> Other { Other() }

/// How the second service of a pair is registered.
private enum Second {
    case lazy, volatile, graph
}

extension Row {
    /// Row 17: services with dependencies, and calls that find nothing, several or a provider.
    static let dependencies: [Row] = [
        Row("17a-volatile-of-two-singletons-by-closure") {
            let locator = pairLocator { $0.register(closure) }
            return ({ repeated($0) { makePlainPair(&$0) } }, { try repeated($0) { try resolvePair(locator, &$0) } })
        },
        Row("17b-volatile-of-two-singletons-under-a-string-key") {
            let locator = pairLocator { $0.register(closure, key: "pair") }
            return (
                { repeated($0) { makePlainPair(&$0) } }, { try repeated($0) { try resolveKeyedPair(locator, &$0) } }
            )
        },
        Row("17c-initializer-to-closure") {
            let byClosure = pairLocator { $0.register(closure) }
            let byInitializer = pairLocator { $0.register(.initializer(.anywhere, Pair.init, .volatile)) }
            return (
                { try repeated($0) { try resolvePair(byClosure, &$0) } },
                { try repeated($0) { try resolvePair(byInitializer, &$0) } }
            )
        },
        Row("17d-graph-dependency-to-volatile-dependency") {
            let volatile = pairLocator(.volatile) { $0.register(closure) }
            let graph = pairLocator(.graph) { $0.register(closure) }
            return (
                { try repeated($0) { try resolvePair(volatile, &$0) } },
                { try repeated($0) { try resolvePair(graph, &$0) } }
            )
        },
        Row("17e-resolve-three-to-one") {
            let locator = try locatorWithSingleton(among: 10)
            for _ in 0..<3 { locator.register(.lazy(.anywhere) { makeOther() }.contributing(to: Other.self)) }
            _ = try locator.resolveAll(Other.self)
            return (resolveLoop(locator), { try repeated($0) { try resolveOthers(locator, &$0) } })
        },
        Row("17f-call-provider-to-resolve") {
            let locator = try locatorWithSingleton(among: 10)
            let provider = try locator.resolve(Locator.Provider<any Service>.self)
            return (
                resolveLoop(locator),
                // A provider does not retain its locator.
                { count in try withExtendedLifetime(locator) { try repeated(count) { try call(provider, &$0) } } }
            )
        },
        Row("17g-resolve-optional-of-nothing") {
            let locator = try locatorWithSingleton(among: 10)
            return (singletonLoop, { try repeated($0) { try resolveNothing(locator, &$0) } })
        },
        Row("17h-optional-property-of-nothing") {
            let holder = Locator.$shared.withValue(try locatorWithSingleton(among: 10)) { OptionalHolder() }
            return (singletonLoop, { repeated($0) { readNothing(holder, &$0) } })
        },
        Row("17i-resolve-of-nothing-throws") {
            let locator = try locatorWithSingleton(among: 10)
            return (singletonLoop, { repeated($0) { throwNothing(locator, &$0) } })
        },
        Row("17j-resolve-as-optional-to-resolve") {
            let locator = try locatorWithSingleton(among: 10)
            return (resolveLoop(locator), { try repeated($0) { try resolveAsOptional(locator, &$0) } })
        },
    ]
}

private final class OptionalHolder {
    @Optject var other: Other?
}

private var closure: Locator.Registration<Pair> {
    .volatile(.anywhere) { try Pair(service: $0.resolve(), other: $0.resolve()) }
}

private func pairLocator(_ second: Second = .lazy, _ register: (Locator) -> Void) -> Locator {
    Locator("benchmark") { locator in
        registerOthers(10, in: locator)
        locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self)
        switch second {
        case .lazy: locator.register(.lazy(.anywhere) { makeOther() })
        case .volatile: locator.register(.volatile(.anywhere) { makeOther() })
        case .graph: locator.register(.lazy(.anywhere) { makeOther() }.lifetime(.graph))
        }
        register(locator)
    }
}

@inline(never)
private func makePlainPair(_ result: inout Pair?) {
    result = Pair(service: Singletons.service, other: Others.other)
}

@inline(never)
private func resolvePair(_ locator: Locator, _ result: inout Pair?) throws {
    result = try locator.resolve(Pair.self)
}

@inline(never)
private func resolveKeyedPair(_ locator: Locator, _ result: inout Pair?) throws {
    result = try locator.resolve(Pair.self, key: "pair")
}

@inline(never)
private func resolveOthers(_ locator: Locator, _ result: inout [Other]?) throws {
    result = try locator.resolveAll(Other.self)
}

@inline(never)
private func call(_ provider: Locator.Provider<any Service>, _ result: inout (any Service)?) throws {
    result = try provider()
}

@inline(never)
private func resolveNothing(_ locator: Locator, _ result: inout Other?) throws {
    result = try locator.resolveOptional(Other.self)
}

@inline(never)
private func resolveAsOptional(_ locator: Locator, _ result: inout (any Service)?) throws {
    // The type is optional by its context alone.
    result = try locator.resolve()
}

@inline(never)
private func readNothing(_ holder: OptionalHolder, _ result: inout Other?) {
    result = holder.other
}

@inline(never)
private func throwNothing(_ locator: Locator, _ result: inout Other?) {
    result = try? locator.resolve(Other.self)
}
