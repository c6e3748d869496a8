import Injectle
import InjectleTestSupport
import Testing

/// Locators, their parents and overrides.
@Suite struct LocatorTests {
    @Test func `A failing build closure leaves no locator`() {
        struct Unbuildable: Error {}
        let log = Tracked.Log()
        #expect(throws: Unbuildable.self) {
            _ = try Locator("unbuildable") { locator in
                locator.register(.eager(Tracked(log)))
                throw Unbuildable()
            }
        }
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A child inherits and overrides registrations`() throws {
        let parent = Locator("parent") {
            $0.register(.eager(1))
            $0.register(.eager("parent"))
        }
        let child = parent.child("child") { $0.register(.eager("child")) }
        #expect(try child.resolve(Int.self) == 1)
        #expect(try child.resolve(String.self) == "child")
        #expect(try parent.resolve(String.self) == "parent")
        child.unregisterService(String.self)
        #expect(try child.resolve(String.self) == "parent")
    }

    @Test func `A child retains the services of its parent`() throws {
        var parent: Locator? = Locator("parent") { $0.register(.lazy { 1 }) }
        let child = try #require(parent?.child())
        parent = nil
        #expect(try child.resolve(Int.self) == 1)
    }

    @Test func `A child finds registrations that its parent adds later`() throws {
        let parent = Locator()
        let grandchild = parent.child().child()
        #expect(try grandchild.resolveOptional(Int.self) == nil)
        parent.register(.eager(1))
        #expect(try grandchild.resolve(Int.self) == 1)
    }

    @Test func `reset empties the locator in place`() throws {
        let locator = Locator { $0.register(.eager(1)) }
        let reference = locator
        locator.reset()
        #expect(reference.registrations.isEmpty)
        #expect(try reference.resolveOptional(Int.self) == nil)
        reference.register(.eager(2))
        #expect(try locator.resolve(Int.self) == 2)
    }

    @Test func `unregister removes one identity`() throws {
        let locator = Locator {
            $0.register(.eager(1))
            $0.register(.eager(2), key: "key")
        }
        locator.unregisterService(Int.self)
        #expect(try locator.resolveOptional(Int.self) == nil)
        #expect(try locator.resolve(Int.self, key: "key") == 2)
        locator.unregister(Int.self, key: "key")
        #expect(locator.registrations.isEmpty)
        locator.unregister(Int.self, key: "never registered")
    }

    // MARK: Overrides

    @Test func `An override applies to its task and child tasks`() async {
        let mocks = Locator("mocks") { $0.register(.eager(1)) }
        await Locator.$shared.withValue(mocks) {
            #expect(Locator.shared === mocks)
            await Task { #expect(Locator.shared === mocks) }.value
            async let child = Locator.shared
            #expect(await child === mocks)
            await Task.detached { #expect(Locator.shared !== mocks) }.value
        }
        #expect(Locator.shared !== mocks)
    }

    @Test(.processWide) func `The shared locator is the test locator between testUp and testDown`() throws {
        Injectle[.default].register(.eager("default"))
        Injectle[.test].register(.eager("test"))
        #expect(try Locator.shared.resolve(String.self) == "default")
        Injectle.testUp()
        #expect(try Locator.shared.resolve(String.self) == "test")
        Locator.shared.register(.eager(1))
        Injectle.testDown()
        #expect(try Locator.shared.resolve(String.self) == "default")
        #expect(Locator.test.isRegistered(Int.self))
        #expect(!Locator.default.isRegistered(Int.self))
    }

    @Test(.processWide) func `An override precedes the test locator`() throws {
        Injectle[.test].register(.eager("test"))
        Injectle.testUp()
        let override = Locator { $0.register(.eager("override")) }
        try Locator.$shared.withValue(override) { () throws in
            #expect(try Locator.shared.resolve(String.self) == "override")
            #expect(Inject<String>()() == "override")
        }
    }

    @Test func `A type that a resolve composes is not registered`() throws {
        let locator = Locator("composed")
        locator.register(.eager(1).contributing(to: Int.self))
        #expect(!locator.isRegistered([Int].self))
        #expect(try locator.resolve([Int].self) == [1])
        #expect(!locator.isRegistered(Locator.Resolver.self))
        #expect(thrown { try locator.resolve(Locator.Resolver.self) } == nil)
    }
}
