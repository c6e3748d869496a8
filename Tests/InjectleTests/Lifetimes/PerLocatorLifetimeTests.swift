import Injectle
import InjectleTestSupport
import Testing

private struct Config: Sendable {
    let name: String
}

private final class Log: Sendable {
    let name: String
    let tracked: Tracked

    init(_ name: String, _ log: Tracked.Log) {
        self.name = name
        tracked = Tracked(log)
    }
}

/// One instance per requesting locator, or per nearest ancestor of a name.
@Suite(.timeLimit(.minutes(10))) struct PerLocatorLifetimeTests {
    private let parent = Locator("parent")
    private let tracked = Tracked.Log()

    init() { parent.register(.eager(Config(name: "parent"))) }

    private func register(_ lifetime: Locator.Lifetime) {
        parent.register(.lazy { [tracked] in Log(try $0.resolve(Config.self).name, tracked) }.lifetime(lifetime))
    }

    private func child(_ name: String, of parent: Locator? = nil) -> Locator {
        (parent ?? self.parent).child(Locator.Name(rawValue: name)) { $0.register(.eager(Config(name: name))) }
    }

    // MARK: Per locator

    @Test func `Each locator has its own instance and dependencies`() throws {
        register(.perLocator)
        let (first, second) = (child("first"), child("second"))
        let logs = try [parent, first, second].map { try $0.resolve(Log.self) }
        #expect(logs.map(\.name) == ["parent", "first", "second"])
        for (locator, log) in zip([parent, first, second], logs) {
            for _ in 0..<2 { #expect(try locator.resolve(Log.self) === log) }
        }
        #expect(tracked.created == 3)
    }

    @Test func `A removed registration is not created in any descendant`() throws {
        register(.perLocator)
        let (first, second) = (child("first"), child("second"))
        _ = try first.resolve(Log.self)
        parent.unregister(Log.self)
        for locator in [first, second, first.child()] {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Log.self) }
            #expect(error == .missing)
        }
        #expect(tracked.alive == 0)
    }

    @Test func `Properties read the instance of their locator`() throws {
        register(.perLocator)
        let child = child("child")
        let (first, second) = Locator.$shared.withValue(child) { (Inject<Log>(), Injected<Log>(resolve: .lazy)) }
        let elsewhere = Locator.$shared.withValue(parent) { Inject<Log>() }
        let log = try child.resolve(Log.self)
        for _ in 0..<3 {
            #expect(first() === log)
            #expect(second() === log)
            #expect(elsewhere().name == "parent")
        }
        #expect(tracked.created == 2)
    }

    @Test func `A wrapper in a service reads the instance of its locator`() throws {
        final class Reader: Sendable { let log = Inject<Log>() }
        register(.perLocator)
        parent.register(.volatile { Reader() })
        let child = child("child")
        #expect(try child.resolve(Reader.self).log().name == "child")
        #expect(try parent.resolve(Reader.self).log().name == "parent")
    }

    @Test func `Each request after a replacement in the locator itself gets the new service`() throws {
        register(.perLocator)
        let child = child("child")
        #expect(try child.resolve(Log.self).name == "child")
        let registration = child.register(.eager(Log("new", tracked)))
        #expect(try child.resolve(Log.self).name == "new")
        registration.remove()
        #expect(try child.resolve(Log.self).name == "child")
    }

    @Test func `Resetting a child releases its own instance only`() throws {
        register(.perLocator)
        let child = child("child")
        let kept = try parent.resolve(Log.self)
        _ = try child.resolve(Log.self)
        child.reset()
        #expect(tracked.alive == 1)
        #expect(try parent.resolve(Log.self) === kept)
        // The child's own registrations were removed as well.
        #expect(try child.resolve(Log.self).name == "parent")
        #expect(tracked.alive == 2)
    }

    @Test func `A service that decorates the parent's instance is not a cycle`() throws {
        parent.register(
            .lazy { [parent, tracked] resolver in
                let name = try resolver.resolve(Config.self).name
                return name == "parent"
                    ? Log(name, tracked) : Log("\(try parent.resolve(Log.self).name), \(name)", tracked)
            }.lifetime(.perLocator)
        )
        #expect(try child("child").resolve(Log.self).name == "parent, child")
        #expect(tracked.created == 2)
        parent.unregisterService(Log.self)
        parent.register(.lazy { try $0.resolve(Log.self) }.lifetime(.perLocator))
        let error = #expect(throws: InjectleError.self) { try child("child").resolve(Log.self) }
        #expect(error == .circularDependency)
    }

    @Test func `A hook runs once per locator`() throws {
        let finished = Counter()
        parent.register(
            .lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator)
                .afterInit { locator, log in
                    finished.increment()
                    log = Log(try locator.resolve(Config.self).name, Tracked.Log())
                }
        )
        let child = child("child")
        for _ in 0..<2 {
            #expect(try child.resolve(Log.self).name == "child")
            #expect(try parent.resolve(Log.self).name == "parent")
        }
        #expect(finished.value == 2)
    }

    @Test func `A registration is listed as created where it was created`() throws {
        register(.perLocator)
        #expect(parent.registrations.map(\.isCreated) == [true, false])
        _ = try child("child").resolve(Log.self)
        #expect(parent.registrations.map(\.isCreated) == [true, false])
        _ = try parent.resolve(Log.self)
        #expect(parent.registrations.map(\.isCreated) == [true, true])
    }

    // MARK: Named locators

    @Test func `The nearest named locator shares its instance with children`() throws {
        register(.perLocator(named: "session"))
        let session = child("session")
        let screens = [child("screen", of: session), child("other screen", of: session).child()]
        let log = try screens[0].resolve(Log.self)
        #expect(log.name == "session")
        for locator in screens + [session] { #expect(try locator.resolve(Log.self) === log) }
        #expect(tracked.created == 1)
        #expect(try child("session").resolve(Log.self) !== log)
    }

    @Test func `A nested locator of the same name has its own instance`() throws {
        register(.perLocator(named: "session"))
        let outer = child("session")
        let inner = child("session", of: child("between", of: outer))
        #expect(try inner.child().resolve(Log.self) === inner.resolve(Log.self))
        #expect(try inner.resolve(Log.self) !== outer.resolve(Log.self))
        #expect(tracked.created == 2)
    }

    @Test func `The registering locator may have the name`() throws {
        register(.perLocator(named: "parent"))
        #expect(try child("child").resolve(Log.self) === parent.resolve(Log.self))
        #expect(try parent.resolve(Log.self).name == "parent")
    }

    @Test func `A missing name throws locatorNotFound with the searched locators`() {
        register(.perLocator(named: "session"))
        let screen = child("screen", of: child("window"))
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try screen.resolve(Log.self) }
            #expect(error == .locatorNotFound)
            let text = error?.description ?? ""
            #expect(text.contains("Log is cached by a locator named \"session\", and no such locator was found."))
            #expect(text.contains("searched      the locator \"screen\""))
            #expect(text.contains("and in        the locator \"window\""))
            #expect(text.contains("and in        the locator \"parent\""))
            #expect(text.contains("InjectleTests/PerLocatorLifetimeTests.swift:"))
            #expect(text.contains("child(\"session\")"))
        }
        #expect(throws: InjectleError.self) { try screen.resolveOptional(Log.self) }
        #expect(tracked.created == 0)
    }

    @Test func `The instance is freed with the named locator`() throws {
        register(.perLocator(named: "session"))
        do {
            let session = child("session")
            do { _ = try child("screen", of: session).resolve(Log.self) }
            #expect(tracked.alive == 1)
            _ = try session.resolve(Log.self)
            #expect(tracked.created == 1)
        }
        #expect(tracked.alive == 0)
    }

    @Test(arguments: [false, true])
    func `The instance of a named ancestor ends with its registration below`(isReleased: Bool) throws {
        let session = child("session")
        var screen: Locator? = child("screen", of: session)
        screen?.register(.lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator(named: "session")))
        for _ in 0..<3 { _ = try #require(screen).child().resolve(Log.self) }
        for _ in 0..<3 { _ = try screen?.resolve(Log.self) }
        #expect(tracked.created == 1)
        #expect(try session.resolveOptional(Log.self) == nil)
        if isReleased { screen = nil } else { screen?.unregisterService(Log.self) }
        #expect(tracked.alive == 0)
    }

    @Test func `A named locator that was released throws locatorReleased`() throws {
        let child = try childOfOneThatHasEnded()
        child.register(.lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator(named: "ended")))
        let error = #expect(throws: InjectleError.self) { try child.resolve(Log.self) }
        #expect(error == .locatorClosed)
    }

    @Test func `A removed registration is freed while children exist`() async throws {
        let captured = Tracked.Log()
        let parent = Locator("server")
        do {
            let capture = Tracked(captured)
            parent.register(
                .lazy { [tracked] in withExtendedLifetime(capture) { Log("", tracked) } }.lifetime(.perLocator)
            )
        }
        let children = [parent.child(), parent.child()]
        for child in children { _ = try child.resolve(Log.self) }
        #expect(captured.alive == 1)
        parent.unregisterService(Log.self)
        #expect(await captured.becomesEmpty())
        #expect(tracked.alive == 0)
        withExtendedLifetime(children) {}
    }

    /// Returns a child whose parent is released: a child of a resolver does not retain the locator.
    private func childOfOneThatHasEnded() throws -> Locator {
        let ending = Locator("ended")
        ending.register(.volatile { $0.child("child") })
        return try ending.resolve(Locator.self)
    }
}
