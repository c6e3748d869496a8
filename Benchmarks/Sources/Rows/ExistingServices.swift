internal import Injectle

extension Row {
    /// Services that exist already, and services that are missing.
    static let existing: [Row] = [
        Row("1a resolve an existing service", must: 4) { (storeLoop, storeLoop(try filledLocator())) },
        Row("1b the same among 10,000 others", must: 4) { (storeLoop, storeLoop(try filledLocator(among: 10_000))) },
        Row("1c the same through eight parents", must: 4) {
            let root = try filledLocator()
            return (storeLoop, storeLoop((0..<8).reduce(root) { parent, _ in parent.child() }))
        },
        Row("2a read an injected property again", must: 3.5) {
            let (plain, injected) = (
                PlainReader(makeStore()), Locator.$shared.withValue(try filledLocator()) { Reader() }
            )
            return (
                { count in repeated(count) { plain.read(&$0) } }, { count in repeated(count) { injected.read(&$0) } }
            )
        },
        Row("2b create an object with a property and read it", must: 4) {
            let locator = try filledLocator()
            Locator.default.register(.eager(try locator.resolve((any Store).self)), for: (any Store).self)
            return (
                { count in repeated(count) { readNewPlain(&$0) } }, { count in repeated(count) { readNew(&$0) } }
            )
        },
        Row("3a resolve through the shared locator", must: 5) {
            Locator.default.register(.eager(makeStore()), for: (any Store).self)
            return (storeLoop, { count in try repeated(count) { try resolveShared(&$0) } })
        },
        Row("3b the same in an override", must: 5) {
            let locator = try filledLocator()
            return (
                storeLoop,
                { count in try Locator.$shared.withValue(locator) { try repeated(count) { try resolveShared(&$0) } } }
            )
        },
        Row("4a resolve by a string key", must: 15) {
            let locator = try keyedLocator()
            return (storeLoop, { count in try repeated(count) { try resolveReplica(locator, &$0) } })
        },
        Row("4b resolve by an enum key", must: 15) {
            let locator = try keyedLocator()
            return (storeLoop, { count in try repeated(count) { try resolveRegion(locator, &$0) } })
        },
        Row("5a resolve a weak service", must: 10) {
            let locator = Locator()
            locator.register(.lazy(.anywhere) { makeStore() }.lifetime(.weak), for: (any Store).self)
            let store: any Store = try locator.resolve()
            return (storeLoop, { count in try withExtendedLifetime(store) { try storeLoop(locator)(count) } })
        },
        Row("5b resolve a service per argument", must: 40) {
            let locator = Locator()
            locator.register(
                .lazy(.anywhere) { (_, _: Int) in makeStore() }.lifetime(.perArgument),
                for: (any Store).self
            )
            return (storeLoop, { count in try repeated(count) { try resolveSeventh(locator, &$0) } })
        },
        Row("6a resolve a missing service as an optional", must: 5) {
            let locator = Locator()
            return (storeLoop, { count in try repeated(count) { try resolveOptional(locator, &$0) } })
        },
        Row("6b catch the error of a missing service", must: 70) {
            let locator = Locator()
            return (storeLoop, { count in repeated(count) { catchMissing(locator, &$0) } })
        },
    ]
}

private enum Region: Hashable, Sendable { case europe, asia }

private func keyedLocator() throws -> Locator {
    let locator = try filledLocator(among: 10_000)
    locator.register(.eager(makeStore()), for: (any Store).self, key: "replica")
    locator.register(.eager(makeStore()), for: (any Store).self, key: Region.asia)
    return locator
}

private final class Reader: Sendable {
    let injected = Inject<any Store>()

    @inline(never)
    func read(_ result: inout (any Store)?) { result = injected() }
}

private final class PlainReader: Sendable {
    let store: any Store

    init(_ store: any Store) { self.store = store }

    @inline(never)
    func read(_ result: inout (any Store)?) { result = store }
}

@inline(never)
private func readNew(_ result: inout (any Store)?) { Reader().read(&result) }

@inline(never)
private func readNewPlain(_ result: inout (any Store)?) { PlainReader(Singletons.store).read(&result) }

@inline(never)
private func resolveShared(_ result: inout (any Store)?) throws {
    result = try Locator.shared.resolve((any Store).self)
}

@inline(never)
private func resolveReplica(_ locator: Locator, _ result: inout (any Store)?) throws {
    result = try locator.resolve((any Store).self, key: "replica")
}

@inline(never)
private func resolveRegion(_ locator: Locator, _ result: inout (any Store)?) throws {
    result = try locator.resolve((any Store).self, key: Region.asia)
}

@inline(never)
private func resolveSeventh(_ locator: Locator, _ result: inout (any Store)?) throws {
    result = try locator.resolve((any Store).self, arguments: 7)
}

@inline(never)
private func resolveOptional(_ locator: Locator, _ result: inout (any Store)?) throws {
    result = try locator.resolveOptional((any Store).self)
}

@inline(never)
private func catchMissing(_ locator: Locator, _ result: inout InjectleError?) {
    do { _ = try locator.resolve((any Store).self) } catch { result = error }
}
