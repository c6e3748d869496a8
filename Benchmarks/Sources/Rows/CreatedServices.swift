internal import Injectle

extension Row {
    /// Services that each resolve creates, and registrations.
    static let created: [Row] = [
        Row("7a resolve a volatile service", must: 4) {
            let locator = Locator { $0.register(.volatile(.anywhere) { makeStore() }, for: (any Store).self) }
            return ({ count in repeated(count) { $0 = makeStore() } }, storeLoop(locator))
        },
        Row("7b ten volatile services, each with the next", must: 4.5) {
            let locator = Locator { registerChain(in: $0) }
            return (
                { count in repeated(count) { makeChain(&$0) } },
                { count in try repeated(count) { try resolveChain(locator, &$0) } }
            )
        },
        Row("7c a volatile service of two singletons", must: 4) {
            let locator = try filledLocator()
            locator.register(
                .volatile(.anywhere) { try LiveReport(store: $0.resolve(), clock: $0.resolve()) },
                for: (any Report).self
            )
            return ({ count in repeated(count) { makeReport(&$0) } }, reportLoop(locator))
        },
        Row("7d the same by its initializer, over the closure", must: 2.5) {
            let (closure, initializer) = (try filledLocator(), try filledLocator())
            closure.register(.volatile(.anywhere) { try LiveReport(store: $0.resolve(), clock: $0.resolve()) })
            initializer.register(.initializer(.anywhere, LiveReport.init).lifetime(.volatile))
            return (liveReportLoop(closure), liveReportLoop(initializer))
        },
        Row("7e a new instance with an argument", must: 12) {
            let locator = Locator {
                $0.register(.volatile(.anywhere) { (_, _: Int) in makeStore() }, for: (any Store).self)
            }
            return (
                { count in repeated(count) { $0 = makeStore() } },
                { count in try repeated(count) { try resolveNew(locator, &$0) } }
            )
        },
        Row("8 register a type for the first time", must: 8) {
            ({ count in fillDictionaries(count) }, { count in fillLocators(count) })
        },
    ]
}

@inline(never)
private func makeReport(_ result: inout (any Report)?) {
    result = LiveReport(store: Singletons.store, clock: Singletons.clock)
}

private func reportLoop(_ locator: Locator) -> Loop {
    { count in try repeated(count) { (result: inout (any Report)?) in result = try locator.resolve((any Report).self) }
    }
}

private func liveReportLoop(_ locator: Locator) -> Loop {
    { count in try repeated(count) { (result: inout LiveReport?) in result = try locator.resolve(LiveReport.self) } }
}

@inline(never)
private func resolveNew(_ locator: Locator, _ result: inout (any Store)?) throws {
    result = try locator.resolve((any Store).self, arguments: 7)
}

// A chain of ten services.

protocol Link: Sendable {}
/// The number of a link, as a type.
protocol Position: SendableMetatype {}
enum Last: Position {}
enum Before<Next: Position>: Position {}

final class ChainLink<Number: Position>: Link {
    let next: (any Link)?
    init(_ next: (any Link)?) { self.next = next }
}

private typealias Second = Before<Before<Before<Before<Before<Before<Before<Before<Last>>>>>>>>
private typealias First = Before<Second>

private func registerChain(in locator: Locator) {
    locator.register(.volatile(.anywhere) { ChainLink<Last>(nil) })
    func register<Number: Position>(_: Number.Type) {
        locator.register(
            .volatile(.anywhere) { ChainLink<Before<Number>>(try $0.resolve(ChainLink<Number>.self)) }
        )
    }
    register(Last.self)
    register(Before<Last>.self)
    register(Before<Before<Last>>.self)
    register(Before<Before<Before<Last>>>.self)
    register(Before<Before<Before<Before<Last>>>>.self)
    register(Before<Before<Before<Before<Before<Last>>>>>.self)
    register(Before<Before<Before<Before<Before<Before<Last>>>>>>.self)
    register(Before<Before<Before<Before<Before<Before<Before<Last>>>>>>>.self)
    register(Second.self)
}

@inline(never)
private func resolveChain(_ locator: Locator, _ result: inout (any Link)?) throws {
    result = try locator.resolve(ChainLink<First>.self)
}

@inline(never)
private func makeChain(_ result: inout (any Link)?) {
    var link: any Link = ChainLink<Last>(nil)
    for _ in 1..<10 { link = ChainLink<First>(link) }
    result = link
}

// Ten types at a time: the locator does the work of a launch.

private func fillLocators(_ count: Int) -> Duration {
    repeated(max(1, count / 10)) { (result: inout Locator?) in
        let locator = Locator()
        registerChain(in: locator)
        result = locator
    }
}

private typealias Factories = [ObjectIdentifier: @Sendable () -> any Link]

@inline(never)
private func addFactory<Number: Position>(_: Number.Type, to factories: inout Factories) {
    factories[ObjectIdentifier(ChainLink<Number>.self)] = { ChainLink<Number>(nil) }
}

private func fillDictionaries(_ count: Int) -> Duration {
    repeated(max(1, count / 10)) { (result: inout Factories?) in
        var factories: Factories = [:]
        addFactory(Last.self, to: &factories)
        addFactory(Before<Last>.self, to: &factories)
        addFactory(Before<Before<Last>>.self, to: &factories)
        addFactory(Before<Before<Before<Last>>>.self, to: &factories)
        addFactory(Before<Before<Before<Before<Last>>>>.self, to: &factories)
        addFactory(Before<Before<Before<Before<Before<Last>>>>>.self, to: &factories)
        addFactory(Before<Before<Before<Before<Before<Before<Last>>>>>>.self, to: &factories)
        addFactory(Before<Before<Before<Before<Before<Before<Before<Last>>>>>>>.self, to: &factories)
        addFactory(Second.self, to: &factories)
        addFactory(First.self, to: &factories)
        result = factories
    }
}
