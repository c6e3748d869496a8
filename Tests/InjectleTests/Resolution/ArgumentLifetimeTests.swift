import Injectle
import InjectleTestSupport
import Testing

/// Contains another instance of its type.
private final class Doll: Sendable {
    let inner: Doll?
    init(inner: Doll?) { self.inner = inner }
}

/// Arguments with each lifetime, and recursion over arguments.
@Suite struct ArgumentLifetimeTests {
    private let locator = Locator("arguments and lifetimes")
    private let created = Counter()

    @Test func `The first arguments determine a lazy instance`() throws {
        locator.register(
            .lazy { [created] (_, id: Int) in
                created.increment()
                return "\(id)"
            }
        )
        #expect(try locator.resolve(String.self, arguments: 7) == "7")
        #expect(try locator.resolve(String.self, arguments: 8) == "7")
        #expect(created.value == 1)
        #expect(thrown { _ = try locator.resolve(String.self, arguments: "nine") } == .wrongArguments)
    }

    private static let apart: [Locator.Lifetime] = [.volatile, .graph, .perArgument]

    @Test(arguments: apart) func `A recursion over arguments ends`(lifetime: Locator.Lifetime) throws {
        locator.register(
            .lazy { (locator, id: Int) in
                Doll(inner: id < 3 ? try locator.resolve(Doll.self, arguments: id + 1) : nil)
            }.lifetime(lifetime)
        )
        #expect(try locator.resolve(Doll.self, arguments: 1).inner?.inner?.inner == nil)
        #expect(try locator.resolve(Doll.self, arguments: 1).inner?.inner != nil)
    }

    @Test(arguments: apart) func `A recursion to equal arguments is a cycle`(lifetime: Locator.Lifetime) {
        locator.register(
            .lazy { (locator, id: Int) in
                Doll(inner: try locator.resolve(Doll.self, arguments: 3 - id))
            }.lifetime(lifetime)
        )
        let error = thrown { _ = try locator.resolve(Doll.self, arguments: 1) }
        #expect(error == .circularDependency)
        #expect(error?.path.count == 2)
    }

    @Test(arguments: apart) func `An endless recursion over arguments throws tooDeep`(lifetime: Locator.Lifetime) {
        locator.register(
            .lazy { (locator, id: Int) in
                Doll(inner: try locator.resolve(Doll.self, arguments: id + 1))
            }.lifetime(lifetime)
        )
        #expect(thrown { _ = try locator.resolve(Doll.self, arguments: 1) } == .circularDependency)
    }
}
