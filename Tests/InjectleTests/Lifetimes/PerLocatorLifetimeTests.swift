import Injectle
import InjectleTestSupport
import Testing

private struct Config: Sendable {
    let name: String
}

private protocol Writer: Sendable {}

private final class Log: Writer {
    let name: String
    let tracked: Tracked

    init(_ name: String, _ log: Tracked.Log) {
        self.name = name
        tracked = Tracked(log)
    }
}

/// Refers to its locator through its properties.
private final class Circular: Sendable {
    let tracked: Tracked
    let own = Inject<Circular>()
    let resolver = Inject<Locator.Resolver>()

    init(_ log: Tracked.Log) { tracked = Tracked(log) }
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
        (parent ?? self.parent).child(name) { $0.register(.eager(Config(name: name))) }
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

    @Test func `A locator has one instance each of many services`() throws {
        for number in 0..<20 {
            parent.register(.lazy { [tracked] in Log("\(number)", tracked) }.lifetime(.perLocator), key: number)
        }
        let child = parent.child()
        let logs = try (0..<20).map { try child.resolve(Log.self, key: $0) }
        for (number, log) in logs.enumerated() {
            #expect(log.name == "\(number)")
            #expect(try child.resolve(Log.self, key: number) === log)
        }
        #expect(tracked.created == 20)
        for number in stride(from: 0, to: 20, by: 3) { try child.resetInstance(of: Log.self, key: number) }
        for (number, log) in logs.enumerated() {
            #expect(try (child.resolve(Log.self, key: number) === log) == !number.isMultiple(of: 3))
        }
        #expect(tracked.created == 27)
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

    @Test func `A failed creation runs again`() throws {
        struct Failure: Error {}
        let attempts = Counter()
        parent.register(
            .lazy(.anywhere) { [tracked] in
                if attempts.increment() == 1 { throw Failure() }
                return Tracked(tracked)
            }.lifetime(.perLocator)
        )
        let child = parent.child()
        let error = #expect(throws: InjectleError.self) { try child.resolve(Tracked.self) }
        #expect(error == .factoryFailed)
        #expect(try child.resolve(Tracked.self) === child.resolve(Tracked.self))
        #expect(tracked.created == 1)
    }

    @Test func `A grandchild has its own instance`() throws {
        register(.perLocator)
        let child = child("child")
        let grandchild = child.child()
        #expect(try grandchild.resolve(Log.self) !== child.resolve(Log.self))
        #expect(try grandchild.resolve(Log.self).name == "child")
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

    @Test func `The instance is freed with its locator`() throws {
        register(.perLocator)
        _ = try parent.resolve(Log.self)
        do {
            let child = child("child")
            _ = try child.resolve(Log.self)
            #expect(tracked.alive == 2)
        }
        #expect(tracked.alive == 1)
    }

    enum Ending: CaseIterable { case replaced, unregistered, reset }

    // Readers find an instance without the lock from the third request on.
    @Test(arguments: Ending.allCases, 1...4)
    func `Removing the registration frees the instances of all locators`(by ending: Ending, after requests: Int) throws
    {
        register(.perLocator)
        let children = [child("first"), child("second")]
        for locator in children + [parent] {
            let log = try locator.resolve(Log.self)
            for _ in 1..<requests { #expect(try locator.resolve(Log.self) === log) }
        }
        #expect(tracked.alive == 3)
        switch ending {
        case .replaced: parent.register(.eager(Log("new", Tracked.Log())))
        case .unregistered: parent.unregisterService(Log.self)
        case .reset: parent.reset()
        }
        #expect(tracked.alive == 0)
        #expect(try children[0].resolveOptional(Log.self)?.name == (ending == .replaced ? "new" : nil))
    }

    @Test(arguments: 1...4)
    func `Each request after a replacement in the locator itself gets the new service`(after requests: Int) throws {
        register(.perLocator)
        let child = child("child")
        for _ in 1...requests { #expect(try child.resolve(Log.self).name == "child") }
        let registration = child.register(.eager(Log("new", tracked)))
        for _ in 0..<4 { #expect(try child.resolve(Log.self).name == "new") }
        registration.remove()
        for _ in 0..<4 { #expect(try child.resolve(Log.self).name == "child") }
    }

    @Test(arguments: 1...4)
    func `Resetting an instance creates another`(after requests: Int) throws {
        register(.perLocator)
        let child = child("child")
        let logs = try (1...requests).map { _ in try child.resolve(Log.self) }
        #expect(logs.allSatisfy { $0 === logs[0] })
        try child.resetInstance(of: Log.self)
        let next = try child.resolve(Log.self)
        #expect(next !== logs[0])
        for _ in 0..<4 { #expect(try child.resolve(Log.self) === next) }
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

    @Test func `Concurrent callers of a child share one instance`() async {
        register(.perLocator)
        for round in 1...50 {
            let child = child("child")
            let logs = Guarded<[Log?]>([])
            await onThreadsAsync(8) { _ in
                let log = try? child.resolve(Log.self)
                logs.withLock { $0.append(log) }
            }
            #expect(Set(logs.value.map { $0.map(ObjectIdentifier.init) }).count == 1)
            #expect(logs.value.first.flatMap(\.self)?.name == "child")
            #expect(tracked.created == round)
        }
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

    @Test func `A reference to the own locator does not retain it`() throws {
        parent.register(.lazy { [tracked] in Circular(tracked) }.lifetime(.perLocator))
        weak var weakly: Locator?
        do {
            let child = child("child")
            weakly = child
            let circular = try child.resolve(Circular.self)
            #expect(circular.own() === circular)
            #expect(circular.resolver().isValid)
        }
        #expect(weakly == nil)
        #expect(tracked.created == 1)
        #expect(tracked.alive == 0)
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

    @Test func `All identities share one instance per locator`() throws {
        parent.register(.lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator).asSelf().asSelf(key: "key"))
        let child = child("child")
        let log = try child.resolve(Log.self, key: "key")
        #expect(try child.resolve(Log.self) === log)
        parent.unregisterService(Log.self)
        #expect(try child.resolve(Log.self, key: "key") === log)
        #expect(tracked.created == 1)
    }

    enum Asked: CaseIterable { case asItself, asAnother }

    @Test(arguments: Asked.allCases, Ending.allCases)
    func `A keyed instance is freed after any number of resolves`(as asked: Asked, when ending: Ending) throws {
        parent.register(.lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator), key: "key")
        let child = parent.child()
        // The key alone finds the service as a protocol as well.
        for _ in 0..<3 {
            switch asked {
            case .asItself: _ = try child.resolve(Log.self, key: "key")
            case .asAnother: _ = try child.resolve((any Writer).self, key: "key")
            }
        }
        #expect(tracked.alive == 1)
        switch ending {
        case .replaced: parent.register(.lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator), key: "key")
        case .unregistered: parent.unregister(Log.self, key: "key")
        case .reset: parent.reset()
        }
        #expect(tracked.created == 1)
        #expect(tracked.alive == 0)
    }

    @Test func `A registration is listed as created where it was created`() throws {
        register(.perLocator)
        #expect(parent.registrations.map(\.isCreated) == [true, false])
        _ = try child("child").resolve(Log.self)
        #expect(parent.registrations.map(\.isCreated) == [true, false])
        _ = try parent.resolve(Log.self)
        #expect(parent.registrations.map(\.isCreated) == [true, true])
    }

    @Test func `A locator reset during creation does not cache the instance`() async throws {
        let (begun, goOn) = (Signal(), Signal())
        let child = parent.child()
        parent.register(
            .lazy(.anywhere) { [tracked] in
                begun.set()
                goOn.wait()
                return Log("", tracked)
            }.lifetime(.perLocator)
        )
        async let asked = onAnotherThread { (try? child.resolve(Log.self)) != nil }
        await begun.reached()
        child.reset()
        goOn.set()
        #expect(await asked)
        #expect(tracked.created == 1)
        #expect(tracked.alive == 0)
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

    @Test(arguments: Ending.allCases)
    func `Removing the registration frees the named locator's instance`(by ending: Ending) throws {
        register(.perLocator(named: "session"))
        let session = child("session")
        _ = try session.child().resolve(Log.self)
        #expect(tracked.alive == 1)
        switch ending {
        case .replaced: register(.perLocator)
        case .unregistered: parent.unregisterService(Log.self)
        case .reset: session.reset()
        }
        #expect(tracked.alive == 0)
    }

    @Test func `Properties of children read the named locator's instance`() throws {
        register(.perLocator(named: "session"))
        let session = child("session")
        let screen = child("screen", of: session)
        let property = Locator.$shared.withValue(screen) { Inject<Log>() }
        for _ in 0..<3 { #expect(try property() === session.resolve(Log.self)) }
    }

    @Test func `A named locator that was released throws locatorReleased`() throws {
        let child = try childOfOneThatHasEnded()
        child.register(.lazy { [tracked] in Log("", tracked) }.lifetime(.perLocator(named: "ended")))
        let error = #expect(throws: InjectleError.self) { try child.resolve(Log.self) }
        #expect(error == .locatorClosed)
    }

    @Test(arguments: [1, 2, 5]) func `A removed registration is freed while children exist`(requests: Int) async throws
    {
        let captured = Tracked.Log()
        let parent = Locator("server")
        do {
            let capture = Tracked(captured)
            parent.register(
                .lazy { [tracked] in withExtendedLifetime(capture) { Log("", tracked) } }.lifetime(.perLocator)
            )
        }
        let children = [parent.child(), parent.child()]
        for child in children {
            for _ in 0..<requests { _ = try child.resolve(Log.self) }
        }
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

    @Test
    func `A composite part of a released locator throws locatorReleased`() throws {
        let child = try childOfOneThatHasEnded()
        child.register(
            .lazy { [tracked] in Log("", tracked) }.lifetime(.composite(.perLocator(named: "ended"), .lazy))
        )
        let error = #expect(throws: InjectleError.self) { try child.resolve(Log.self) }
        #expect(error == .locatorClosed)
    }
}
