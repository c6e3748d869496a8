import Injectle
import InjectleTestSupport
import Testing

private struct Missing: Sendable {}

/// A long chain of locators needs no long stack.
@Suite struct DeepLocatorTests {
    #if os(macOS) || os(Linux)
    private enum Lookup: CaseIterable {
        case type, key, keyAlone, optional, list, arguments, isRegistered
    }

    @Test func `A missing service is looked up in a chain of locators on a small stack`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            let found = await onAnotherThread(stackSize: 512 << 10) {
                var locator = Locator("root")
                for _ in 0..<20_000 { locator = locator.child() }
                return Lookup.allCases.filter { DeepLocatorTests.find($0, in: locator) }
            }
            guard found.isEmpty else { fatalError("Found by: \(found)") }
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
    #endif
}
