import Injectle
import InjectleTestSupport
import Testing

@Suite struct RegisterIfAbsentTests {
    private let locator = Locator("app")

    @Test func `An absent service is registered`() throws {
        let handle = locator.registerIfAbsent(.eager("first"))
        #expect(try locator.resolve(String.self) == "first")
        handle?.remove()
        #expect(!locator.isRegistered(String.self))
    }

    @Test func `The type and the key decide together`() throws {
        locator.register(.eager("first"), key: 1)
        locator.register(.eager(7), key: 2)
        #expect(locator.registerIfAbsent(.eager("second"), key: 1) == nil)
        #expect(locator.registerIfAbsent(.eager("second"), key: 2) != nil)
        #expect(locator.registerIfAbsent(.eager("third")) != nil)
        #expect(locator.registrations.count == 4)
    }

    @Test func `One taken identity prevents all`() {
        locator.register(.eager("first"))
        #expect(locator.registerIfAbsent(.eager("second").asSelf().asSelf(key: "other")) == nil)
        #expect(!locator.isRegistered(String.self, key: "other"))
    }

    @Test func `A final registration stays`() throws {
        locator.register(.eager("first").final())
        #expect(locator.registerIfAbsent(.eager("second")) == nil)
    }

    @Test func `A registration for other arguments does not count`() throws {
        locator.register(.volatile { (_, number: Int) in "\(number)" })
        #expect(locator.registerIfAbsent(.eager("plain")) != nil)
        #expect(locator.registerIfAbsent(.volatile { (_, number: Int) in "no \(number)" }) == nil)
        #expect(try locator.resolve(String.self, arguments: 7) == "7")
    }

    @Test func `A registration of the parent does not count`() throws {
        locator.register(.eager("parent"))
        let child = locator.child()
        #expect(child.registerIfAbsent(.eager("child")) != nil)
        #expect(try child.resolve(String.self) == "child")
    }

    @Test func `Elements of a list are always registered`() throws {
        for name in ["first", "second"] {
            #expect(locator.registerIfAbsent(.eager(name).contributing(to: String.self)) != nil)
        }
        #expect(try locator.resolveAll(String.self) == ["first", "second"])
    }

    @Test func `One of many threads registers`() {
        for _ in 0..<Stress.rounds(200) {
            let (locator, registered) = (Locator(), Counter())
            onThreads(4) { thread in
                if locator.registerIfAbsent(.eager(thread), key: "number") != nil { registered.increment() }
            }
            #expect(registered.value == 1)
            #expect(locator.registrations.count == 1)
        }
    }
}
