import Injectle
import InjectleTestSupport
import Testing

private struct Missing: Sendable {}

/// A long chain of locators needs no long stack.
@Suite struct DeepLocatorTests {
    enum Lookup: String, Codable, CaseIterable, Sendable {
        case type, key, keyAlone, optional, list, arguments, isRegistered
    }

    @Test(arguments: Lookup.allCases)
    func `A missing service is looked up in a chain of locators on a small stack`(_ lookup: Lookup) async {
        await #expect(processExitsWith: .success) { [lookup] in
            failAfterTimeLimit()
            let isFound = await onAnotherThread(stackSize: 512 << 10) {
                var locator = Locator("root")
                for _ in 0..<20_000 { locator = locator.child() }
                return DeepLocatorTests.find(lookup, in: locator)
            }
            guard !isFound else { fatalError("It is found.") }
        }
    }

    private static func find(_ lookup: Lookup, in locator: Locator) -> Bool {
        switch lookup {
        case .type: (try? locator.resolve(Missing.self)) != nil
        case .key: (try? locator.resolve(Missing.self, key: "key")) != nil
        case .keyAlone: (try? locator.resolve(Any.self, key: "key")) != nil
        case .optional: (try? locator.resolveOptional(Missing.self) ?? nil) != nil
        case .list: (try? locator.resolveAll(Missing.self))?.isEmpty == false
        case .arguments: (try? locator.resolve(Missing.self, arguments: 7)) != nil
        case .isRegistered: locator.isRegistered(Missing.self)
        }
    }
}
