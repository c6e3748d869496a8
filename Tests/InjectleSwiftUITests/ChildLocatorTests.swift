import Injectle
import InjectleTestSupport
import Testing

@testable import InjectleSwiftUI

/// The child locator that a view creates.
@MainActor @Suite struct ChildLocatorTests {
    final class Model {
        @Inject var number: Int
    }

    @Test func `A model that a view registers in its child resolves from the child`() throws {
        let locator = Locator("view") { $0.register(.eager(7)) }
        let window = try ResolvedState<Locator>().service(from: locator) { parent in
            parent.child("window") { child in
                child.register(.eager(8))
                child.register(.eager(Model()))
            }
        }
        #expect(try window.resolve(Model.self).number == 8)
    }
}
