internal import Foundation
internal import Injectle

extension Row {
    /// Row 13: existing instances of the lifetimes that keep more than one, and services that are created
    /// with arguments or by a wired initializer.
    static let lifetimes: [Row] = [
        Row("13a-resolve-per-locator-from-child") {
            let locator = Locator("benchmark")
            locator.register(.lazy(.anywhere) { makeService() }.lifetime(.perLocator), for: (any Service).self)
            return (singletonLoop, resolveLoop(locator.child()))
        },
        Row("13b-resolve-weak") {
            let locator = Locator("benchmark")
            locator.register(.lazy(.anywhere) { makeService() }.lifetime(.weak), for: (any Service).self)
            let held = try locator.resolve((any Service).self)
            let noted = Noted(held)
            return (
                { count in repeated(count) { load(noted, &$0) } },
                { count in try withExtendedLifetime(held) { try resolveLoop(locator)(count) } }
            )
        },
        Row("13c-resolve-per-argument") {
            let locator = Locator("benchmark")
            locator.register(
                .lazy(.anywhere) { (_, _: String) in makeService() }.lifetime(.perArgument),
                for: (any Service).self
            )
            for city in cities { _ = try locator.resolve((any Service).self, arguments: city) }
            let known = Known(cities)
            return (
                { count in repeated(count) { find(known, cities[7], &$0) } },
                { count in try repeated(count) { try resolve(locator, cities[7], &$0) } }
            )
        },
        Row("13d-make-of-an-argument") {
            let locator = Locator("benchmark")
            locator.register(.volatile(.anywhere) { (_, number: Int) in Ticket(number) })
            return (
                { count in repeated(count) { make(count, &$0) } },
                { count in try repeated(count) { try resolve(locator, count, &$0) } }
            )
        },
        Row("13e-make-by-initializer-of-two") {
            let locator = Locator("benchmark")
            locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self)
            locator.register(.lazy(.anywhere) { Ticket(1) }.lifetime(.graph))
            locator.register(.initializer(.anywhere, Pair.init, .volatile))
            return (
                { count in repeated(count) { makePair(&$0) } },
                { count in try repeated(count) { try resolvePair(locator, &$0) } }
            )
        },
    ]

    private static let cities = (0..<100).map { "the city of number \($0)" }
}

private final class Ticket: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

private final class Pair: Sendable {
    let service: any Service
    let ticket: Ticket

    init(service: any Service, ticket: Ticket) {
        self.service = service
        self.ticket = ticket
    }
}

/// A weak reference as one has it without a locator.
private final class Noted {
    weak var service: (any Service)?
    init(_ service: any Service) { self.service = service }
}

/// A dictionary behind a lock, as one has it without a locator.
private final class Known {
    private let lock = NSLock()
    private let services: [String: any Service]
    init(_ names: [String]) { services = Dictionary(uniqueKeysWithValues: names.map { ($0, makeService()) }) }
    func service(_ name: String) -> (any Service)? { lock.withLock { services[name] } }
}

@inline(never)
private func load(_ noted: Noted, _ result: inout (any Service)?) {
    result = noted.service
}

@inline(never)
private func find(_ known: Known, _ name: String, _ result: inout (any Service)?) {
    result = known.service(name)
}

@inline(never)
private func resolve(_ locator: Locator, _ name: String, _ result: inout (any Service)?) throws {
    result = try locator.resolve((any Service).self, arguments: name)
}

@inline(never)
private func make(_ number: Int, _ result: inout Ticket?) {
    result = Ticket(number)
}

@inline(never)
private func resolve(_ locator: Locator, _ number: Int, _ result: inout Ticket?) throws {
    result = try locator.resolve(Ticket.self, arguments: number)
}

@inline(never)
private func makePair(_ result: inout Pair?) {
    result = Pair(service: Singletons.service, ticket: Ticket(1))
}

@inline(never)
private func resolvePair(_ locator: Locator, _ result: inout Pair?) throws {
    result = try locator.resolve(Pair.self)
}
