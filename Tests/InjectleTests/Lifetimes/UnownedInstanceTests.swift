import Injectle
import InjectleTestSupport
import Testing

private protocol Screen: AnyObject, Sendable {}

private final class Window: Screen {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// Eager instances that the locator does not retain.
@Suite struct UnownedInstanceTests {
    private let locator = Locator("unowned")
    private let log = Tracked.Log()

    @Test func `An unowned instance is returned while its owner retains it`() throws {
        do {
            let window = Window(log)
            locator.register(.eager(unowned: window))
            for _ in 0..<3 { #expect(try locator.resolve(Window.self) === window) }
            #expect(try locator.child().resolve(Window.self) === window)
        }
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A released unowned instance throws instanceReleased`() {
        do { locator.register(.eager(unowned: Window(log))) }
        #expect(log.alive == 0)
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Window.self) }
            #expect(error?.code == .instanceReleased)
            let text = error?.description ?? ""
            #expect(text.contains("Window was registered unowned, and its object has been released."))
            #expect(text.contains("InjectleTests/UnownedInstanceTests.swift:"))
            #expect(text.contains("hold a strong reference to the object, or register it by `.eager(…)`"))
        }
    }

    @Test func `A released unowned instance is registered and not missing`() {
        do { locator.register(.eager(unowned: Window(log))) }
        #expect(locator.isRegistered(Window.self))
        let error = #expect(throws: InjectleError.self) { try locator.resolveOptional(Window.self) }
        #expect(error?.code == .instanceReleased)
    }

    @Test func `A released unowned instance traps in an optional property`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            do { Locator.default.register(.eager(unowned: Window(Tracked.Log()))) }
            _ = Optject<Window>()()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Window was registered unowned, and its object has been released."))
        #expect(text.contains("@Optject in InjectleTests/UnownedInstanceTests.swift:"))
    }

    @Test func `Properties read an unowned instance`() {
        let window = Window(log)
        locator.register(.eager(unowned: window))
        let (property, optional) = Locator.$shared.withValue(locator) { (Inject<Window>(), Optject<Window>()) }
        for _ in 0..<3 {
            #expect(property() === window)
            #expect(optional() === window)
        }
    }

    @Test func `A property does not retain an unowned instance`() {
        let property = Locator.$shared.withValue(locator) { Inject<Window>() }
        do {
            let window = Window(log)
            locator.register(.eager(unowned: window))
            for _ in 0..<3 { #expect(property() === window) }
        }
        // A property that retained the instance would keep a window open.
        #expect(log.alive == 0)
        withExtendedLifetime(property) {}
    }

    @Test func `A class existential can be unowned`() throws {
        do {
            let screen: any Screen = Window(log)
            locator.register(.eager(unowned: screen))
            #expect(try locator.resolve((any Screen).self) === screen)
        }
        #expect(log.alive == 0)
        let error = #expect(throws: InjectleError.self) { try locator.resolve((any Screen).self) }
        #expect(error?.code == .instanceReleased)
    }

    @Test func `All identities return the unowned instance`() throws {
        do {
            let window = Window(log)
            locator.register(.eager(unowned: window).as((any Screen).self).asSelf(key: "main"))
            for _ in 0..<2 {
                #expect(try locator.resolve((any Screen).self) === window)
                #expect(try locator.resolve(Window.self, key: "main") === window)
            }
        }
        #expect(log.alive == 0)
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try locator.resolve((any Screen).self) }
            #expect(error?.code == .instanceReleased)
        }
    }

    @Test func `The hook of an unowned instance runs once at first use`() throws {
        let finished = Counter()
        let window = Window(log)
        locator.register(.eager(unowned: window).afterInit { _, _ in finished.increment() })
        #expect(finished.value == 0)
        for _ in 0..<3 { #expect(try locator.resolve(Window.self) === window) }
        let property = Locator.$shared.withValue(locator) { Inject<Window>() }
        #expect(property() === window)
        #expect(finished.value == 1)
    }

    @Test func `An unowned value type throws notAnObject`() {
        locator.register(.eager(unowned: 7))
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Int.self) }
        #expect(error?.code == .notAnObject)
        let text = error?.description ?? ""
        #expect(text.contains("Int is not an object"))
        #expect(text.contains(", eager, unowned"))
        #expect(text.contains("register it by `.eager(…)`"))
    }

    @Test func `A released unowned instance can be replaced`() throws {
        do { locator.register(.eager(unowned: Window(log))) }
        let window = Window(log)
        locator.register(.eager(unowned: window))
        #expect(try locator.resolve(Window.self) === window)
    }

    @Test func `An unowned instance cannot be reset`() throws {
        let window = Window(log)
        locator.register(.eager(unowned: window))
        let error = #expect(throws: InjectleError.self) { try locator.resetInstance(of: Window.self) }
        #expect(error?.code == .notResettable)
    }
}
