internal import Injectle

/// The service of most rows, used as most programs use one: as `any Service`.
protocol Service: AnyObject, Sendable {
    var number: Int { get }
}

/// Its implementation.
final class Implementation: Service {
    let number = 1
}

/// Singletons as one has them without a locator.
enum Singletons {
    static let service: any Service = makeService()
}

/// A call, so that the compiler neither reads the type off the variable nor puts the object into the program's data,
/// where retaining it would cost less than it does in a program.
@inline(never)
func makeService() -> any Service { Implementation() }

/// The floor of many rows: the read of a `static let`, returned retained.
@inline(never)
func readSingleton(_ result: inout (any Service)?) {
    result = Singletons.service
}

/// The loop of that floor.
func singletonLoop(_ count: Int) -> Duration {
    repeated(count) { readSingleton(&$0) }
}

/// A locator with an existing lazy singleton, and others that are not created yet.
func locatorWithSingleton(among others: Int) throws -> Locator {
    let locator = Locator("benchmark")
    try fill(locator, among: others)
    return locator
}

/// Adds a lazy singleton, makes it, and adds others that are not made.
func fill(_ locator: Locator, among others: Int) throws {
    registerOthers(others, in: locator)
    locator.register(.lazy(.anywhere) { makeService() }, for: (any Service).self)
    _ = try locator.resolve((any Service).self)
}
