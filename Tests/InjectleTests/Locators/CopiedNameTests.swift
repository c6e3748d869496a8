import Injectle
import InjectleTestSupport
import Testing

private final class Connection: Sendable {}
private struct Logo: Sendable { let number: Int }

/// Copies of copies.
@Suite struct CopiedNameTests {
    @Test func `The copy of a copy has the names of the first original`() throws {
        let session = Locator("session")
        session.register(.lazy { Connection() }.lifetime(.perLocator(named: "session")))
        let first = Locator(copying: session)
        let second = Locator(copying: first)
        let third = Locator(copying: second.child("page"), "third")
        for locator in [session, first, second, third] { _ = try locator.resolve(Connection.self) }
        #expect(try second.resolve(Connection.self) !== first.resolve(Connection.self))
    }

    /// A copy of a child that decorates a service of its parent. The child has been released.
    private static func copy(of app: Locator) -> Locator {
        let child = app.child("request")
        child.decorate(Logo.self, isolation: nil) { Logo(number: $0.number + 1) }
        return Locator(copying: child)
    }

    private static let lifetimes: [Locator.Lifetime] = [.volatile, .lazy, .perLocator, .graph]

    @Test(arguments: lifetimes)
    func `A child of a copy finds what a decorator wraps`(_ lifetime: Locator.Lifetime) throws {
        let app = Locator("app")
        app.register(.lazy(.anywhere) { Logo(number: 1) }.lifetime(lifetime))
        let copy = CopiedNameTests.copy(of: app)
        // One of them has the address of the released child.
        let pages = (0..<20).map { _ in copy.child("page") }
        for page in pages { #expect(try page.resolve(Logo.self).number == 2) }
    }

    #if os(macOS) || os(Linux)
    @Test func `A child of a copy with a decorator is copied and reset`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            let app = Locator("app")
            app.register(.lazy(.anywhere) { Logo(number: 1) }.lifetime(.volatile))
            let copy = CopiedNameTests.copy(of: app)
            for _ in 0..<10 {
                let page = copy.child("page")
                guard try Locator(copying: page).resolve(Logo.self).number == 2 else { fatalError("wrong logo") }
                try page.resetInstance(of: Logo.self)
            }
        }
    }
    #endif
}
