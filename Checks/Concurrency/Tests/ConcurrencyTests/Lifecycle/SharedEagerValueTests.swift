import Injectle
import InjectleTestSupport
import Testing

private final class Connection: Sendable {
    let isOpen = Guarded(true)
    let disposals = Counter()

    func close() {
        isOpen.withLock { $0 = false }
        disposals.increment()
    }
}

/// An eager value that several locators have registered is disposed of with the last of them. The default of a key
/// belongs to the program, which has it in all locators, and is never disposed of.
@Suite struct SharedEagerValueTests {
    private let connection = Connection()
    private let first = Locator("first")
    private let second = Locator("second")

    private enum Sharing: CaseIterable {
        case keyDefault, registration

        /// The number of disposals once both locators have ended.
        var disposals: Int { self == .registration ? 1 : 0 }
    }

    /// Lets both locators have the connection, and returns closures that resolve it.
    private func share(_ sharing: Sharing) -> [@Sendable () throws -> Connection] {
        let connection = connection
        switch sharing {
        case .keyDefault:
            let key = ServiceKey("connection", default: .eager(connection).onDispose { $0.close() })
            return [{ [first] in try first.resolve(key) }, { [second] in try second.resolve(key) }]
        case .registration:
            let registration = Locator.Registration.eager(connection).onDispose { $0.close() }
            first.register(registration)
            second.register(registration)
            return [{ [first] in try first.resolve() }, { [second] in try second.resolve() }]
        }
    }

    @Test(arguments: Sharing.allCases)
    private func `The second locator gets no value that the first has disposed of`(_ sharing: Sharing) async throws {
        let reads = share(sharing)
        #expect(try reads[0]() === connection)
        #expect(try reads[1]() === connection)
        await first.close()
        #expect(try reads[1]().isOpen.value)
        await second.close()
        #expect(connection.disposals.value == sharing.disposals)
    }

    @Test func `A locator that has never resolved a default gets no value that another has disposed of`() async throws {
        let reads = share(.keyDefault)
        _ = try reads[0]()
        await first.close()
        #expect(try reads[1]().isOpen.value)
    }

    @Test(arguments: Sharing.allCases)
    private func `Locators that end at once dispose of a registered value once`(_ sharing: Sharing) async throws {
        for _ in 0..<Stress.rounds(200) {
            let (connection, locators) = (Connection(), [Locator("first"), Locator("second")])
            let key = ServiceKey("connection", default: .eager(connection).onDispose { $0.close() })
            let registration = Locator.Registration.eager(connection).onDispose { $0.close() }
            for locator in locators {
                if sharing == .registration { locator.register(registration) } else { _ = try locator.resolve(key) }
            }
            await onThreadsAsync(2) { index in locators[index].reset() }
            #expect(connection.disposals.value == sharing.disposals)
        }
    }

    @Test(arguments: [true, false])
    func `The disposers of the registration that ends last run`(isFirstLast: Bool) {
        let callLog = CallLog()
        let given = Locator.Registration.eager(connection)
        first.register(given.onDispose { _ in callLog.record("first") })
        second.register(given.onDispose { _ in callLog.record("second") })
        let ended = isFirstLast ? [second, first] : [first, second]
        ended[0].reset()
        #expect(callLog.drain() == [])
        ended[1].reset()
        #expect(callLog.drain() == [isFirstLast ? "first" : "second"])
    }

    @Test func `Hooks of a value run for each locator that has it`() throws {
        let resolved = Guarded<[String]>([])
        let registration = Locator.Registration.eager(connection).afterInit { locator, _ in
            let name: String = try locator.resolve()
            resolved.withLock { $0.append(name) }
        }
        for (locator, name) in [(first, "first"), (second, "second")] {
            locator.register(.eager(name))
            locator.register(registration)
        }
        _ = try (first.resolve(Connection.self), second.resolve(Connection.self))
        #expect(resolved.value == ["first", "second"])
    }
}
