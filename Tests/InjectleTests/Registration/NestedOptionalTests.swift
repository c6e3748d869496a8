import Injectle
import InjectleTestSupport
import Testing

private final class Connection: Sendable {}

/// What is missing is nil, in an optional of any depth.
@Suite struct NestedOptionalTests {
    private let locator = Locator("optionals")

    @Test func `A missing service is nil as an optional of an optional`() throws {
        #expect(try locator.resolve(Connection?.self) == nil)
        #expect(try locator.resolve(Connection??.self) == nil)
        #expect(try locator.resolve(Connection???.self) == nil)
        #expect(try locator.resolveOptional(Connection?.self) == nil)
    }

    @Test func `A missing async service is nil as an optional of an optional`() async throws {
        #expect(try await locator.resolveAsync(Connection??.self) == nil)
        #expect(try await locator.resolveOptionalAsync(Connection?.self) == nil)
    }

    @Test func `A missing optional property of an optional is nil`() {
        let (optject, inject) = Locator.$shared.withValue(locator) { (Optject<Connection?>(), Inject<Connection??>()) }
        #expect(optject() == nil)
        #expect(inject() == nil)
    }

    @Test func `A missing parameter of an optional of an optional is nil`() throws {
        struct Page { let isMissing: Bool }
        func make(_ connection: Connection??) -> Page { Page(isMissing: connection == nil) }
        locator.register(.initializer(make).lifetime(.volatile))
        #expect(try locator.resolve(Page.self).isMissing)
    }

    @Test func `A service is found as an optional of an optional`() throws {
        let connection = Connection()
        locator.register(.eager(connection))
        let found = try [
            locator.resolve(Connection??.self), Locator.$shared.withValue(locator) { Optject<Connection?>() }(),
        ]
        for case let service?? in found { #expect(service === connection) }
    }
}
