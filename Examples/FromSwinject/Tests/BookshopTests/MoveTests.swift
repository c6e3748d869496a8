import FromSwinject
import Injectle
import InjectleDiagnostics
import Testing

@testable import Bookshop

/// The program runs with registrations of Swinject, of Injectle, and of both at each step between.
@Suite struct MoveTests {
    static let report = """
        one storefront: true, theme paper
        router and coordinator: true, true
        log: ["open"]
        password: 12 letters, token: token of Ada
        profile of Ada, keychain: true
        biometrics: false, consent: false
        new model each time: true
        one cache while it is used: true
        book: Swift, Book 1
        recommended: Book 1, one index: true
        filter: swift, true
        stars: [7: 5], wishes: [7]
        publishers: ["Novels & Co", "Manuals Ltd"]
        total: 27 EUR, fee of an invoice: 0
        days of the invoices: [20, 31]
        export: USD
        orders: [1], events: 1
        monitor: true
        GET eu/books, {7}, retry 3 times
        codes: 1, 2, 3
        another session: true, user: nobody, cart: []
        token: none
        logins: 1
        tax: 10, shipping: 500
        """

    static let steps = Moves.all(session: SessionLifetime()).count

    /// Returns the report of a visit.
    ///
    /// - Parameter choice: The moves to apply, of all in order.
    func report(moving choice: ([Move]) -> some Sequence<Move>, assemblies: [any Assembly] = Bookshop.assemblies)
        -> String
    {
        let session = SessionLifetime()
        let container = Container(locator: Locator("shop"))
        _ = Assembler(assemblies, container: container)
        for move in choice(Moves.all(session: session)) { move.register(container.locator) }
        let shop = Bookshop(container: container) {
            container.resetObjectScope(.session)
            session.services.reset()
        }
        return shop.visit().joined(separator: "\n")
    }

    @Test func `The program has 60 registrations of Swinject`() {
        let counter = RegistrationCounter()
        _ = Assembler(Bookshop.assemblies, container: Container(behaviors: [counter]))
        #expect(counter.names.count == 60)
        #expect(Moves.all(session: SessionLifetime()).map(\.count).reduce(0, +) == 60)
    }

    @Test(arguments: 0...MoveTests.steps)
    func `The program runs after each step from the first registration on`(step: Int) {
        #expect(report { $0.prefix(step) } == MoveTests.report)
    }

    @Test(arguments: 0...MoveTests.steps)
    func `The program runs after each step from the last registration on`(step: Int) {
        #expect(report { $0.suffix(step) } == MoveTests.report)
    }

    @Test(arguments: 0..<MoveTests.steps)
    func `The program runs with one registration moved`(index: Int) {
        #expect(report { [$0[index]] } == MoveTests.report)
    }

    @Test(arguments: 0..<MoveTests.steps)
    func `The program runs with all but one registration moved`(index: Int) {
        #expect(report { moves in moves.indices.filter { $0 != index }.map { moves[$0] } } == MoveTests.report)
    }

    @Test func `Each move replaces its registrations, and adds none`() {
        let container = Container()
        _ = Assembler(Bookshop.assemblies, container: container)
        let before = container.locator.registrations.map(\.identity)
        for move in Moves.all(session: SessionLifetime()) { move.register(container.locator) }
        #expect(Set(container.locator.registrations.map(\.identity)) == Set(before))
        #expect(container.locator.registrations.count == before.count)
    }

    @Test func `The program runs without the assemblies`() {
        #expect(report(moving: { $0 }, assemblies: []) == MoveTests.report)
    }

    @Test func `The moved registrations can be checked and read without a container`() throws {
        let locator = Locator("shop") { locator in
            for move in Moves.all(session: SessionLifetime()) { move.register(locator) }
        }
        try locator.check()
        #expect(try locator.resolve(Storefront.self).coordinator.router.coordinator != nil)
        #expect(try locator.resolve(BookModel.self, arguments: 3).title == "Book 3")
    }
}

/// Counts registrations, without the types that they implement.
private final class RegistrationCounter: Behavior {
    private(set) var names: [String] = []

    func container<T, S>(_: Container, didRegisterType: T.Type, toService: ServiceEntry<S>, withName name: String?) {
        if T.self == S.self { names.append("\(T.self) \(name ?? "")") }
    }
}
