import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Reads of properties whose locator was closed.
@Suite struct LateReadTests {
    private final class Session: Sendable {
        let tracked: Tracked
        let peer = Inject<Peer>()
        init(_ log: Tracked.Log) { tracked = Tracked(log) }
    }

    private final class Peer: Sendable {
        let session = Inject<Session>()
    }

    private let log = Tracked.Log()
    private let parent = Locator("server")

    /// Reads a property in the override of a locator, closes the locator, and reads again.
    private func lateRead<Service>(
        of child: Locator,
        key: String? = nil
    ) async -> (first: Service, late: Service) {
        let property = Locator.$shared.withValue(child) { key.map { Inject<Service>($0) } ?? Inject<Service>() }
        let first = property()
        await child.close()
        return (first, property())
    }

    @Test(arguments: [Locator.Lifetime.lazy, .weak, .volatile, .perLocator, .perLocator(named: "request")])
    func `A property returns the last instance`(lifetime: Locator.Lifetime) async throws {
        let (log, child) = (log, parent.child("request"))
        child.register(.lazy { Tracked(log) }.lifetime(lifetime))
        let (first, late): (Tracked, Tracked) = await lateRead(of: child)
        #expect(first === late)
        #expect(log.created == 1)
    }

    @Test func `A property returns the instance that a closed child has of a parent's registration`() async throws {
        let (log, child) = (log, parent.child("request"))
        parent.register(.lazy { Tracked(log) }.lifetime(.perLocator))
        let (first, late): (Tracked, Tracked) = await lateRead(of: child)
        #expect(first === late)
    }

    enum Change: CaseIterable { case replaced, removed, reset, closed, resetAfterClose }

    @Test(arguments: Change.allCases)
    func `The instance of a closed child outlives its registration`(change: Change) async throws {
        let (log, child) = (log, parent.child("request"))
        parent.register(.lazy { Tracked(log) }.lifetime(.perLocator))
        let property = Locator.$shared.withValue(child) { Inject<Tracked>() }
        let first = property()
        await child.close()
        switch change {
        case .replaced: parent.register(.lazy { Tracked(log) }.lifetime(.perLocator))
        case .removed: parent.unregisterService(Tracked.self)
        case .reset: parent.reset()
        case .closed: await parent.close()
        case .resetAfterClose:
            await parent.close()
            parent.reset()
        }
        // More registrations use the memory of a freed one.
        for _ in 0..<100 { parent.register(.lazy { Tracked(log) }.lifetime(.perLocator)) }
        #expect(property() === first)
        #expect(log.created == 1)
    }

    @Test func `Keys, lists and optional services are found as before`() async throws {
        let child = parent.child("request")
        child.register(.eager("key"), key: "key")
        child.register(.eager(1).contributing(to: Int.self))
        child.register(.eager(2).contributing(to: Int.self))
        let (first, late): (String, String) = await lateRead(of: child, key: "key")
        #expect(first == late)
        let other = parent.child("request")
        other.register(.eager(1).contributing(to: Int.self))
        other.register(.eager(2).contributing(to: Int.self))
        let (_, list): ([Int], [Int]) = await lateRead(of: other)
        #expect(list == [1, 2])
        let optional = Locator.$shared.withValue(child) { Optject<Double>() }
        #expect(optional() == nil)
    }

    @Test func `A property returns a composite instance after its hooks`() async throws {
        let (log, child) = (log, parent.child("request"))
        child.register(
            .lazy(.anywhere) { Tracked(log) }.lifetime(.composite(.perLocator, .weak)).onDispose { _ in }
        )
        let (first, late): (Tracked, Tracked) = await lateRead(of: child)
        #expect(first === late)
    }

    @Test func `Contributions and services with arguments are not found as a service`() async throws {
        let child = parent.child("request")
        child.register(.eager(1).contributing(to: Int.self))
        child.register(.eager("Ada"))
        child.register(.lazy { (_, fraction: Int) in Double(fraction) })
        _ = try child.resolve(Double.self, arguments: 1)
        let (number, names, fraction) = Locator.$shared.withValue(child) {
            (Optject<Int>(), Optject<[String]>(), Optject<Double>())
        }
        await child.close()
        #expect(number() == nil)
        #expect(names() == nil)
        #expect(fraction() == nil)
    }

    @Test func `A property of an optional type returns the last instance or nil`() async throws {
        let child = parent.child("request")
        child.register(.eager(7))
        child.register(.lazy { 7.0 })
        let (number, fraction, text) = Locator.$shared.withValue(child) {
            (Inject<Int?>(), Inject<Double?>(), Inject<String?>())
        }
        await child.close()
        #expect(number() == 7)
        #expect(fraction() == nil)
        #expect(text() == nil)
        parent.register(.eager("server"))
        #expect(text() == "server")
    }

    /// A prototype that counts its copies.
    private final class Sheet: NSCopying, Sendable {
        let generation: Int
        init(_ generation: Int = 0) { self.generation = generation }
        func copy(with zone: NSZone? = nil) -> Any { Sheet(generation + 1) }
    }

    @Test(arguments: [false, true])
    func `A property returns its own copy of a prototype`(isOfParent: Bool) async throws {
        let child = parent.child("request")
        (isOfParent ? parent : child).register(.factory(Sheet()))
        let (first, late): (Sheet, Sheet) = await lateRead(of: child)
        #expect(first === late)
        #expect(late.generation == 1)
    }

    @Test(arguments: [Locator.Lifetime.weak, .volatile])
    func `A property returns its own instance of a parent's registration`(lifetime: Locator.Lifetime) async throws {
        let (log, child) = (log, parent.child("request"))
        parent.register(.lazy { Tracked(log) }.lifetime(lifetime))
        let (first, late): (Tracked, Tracked) = await lateRead(of: child)
        #expect(first === late)
        #expect(log.created == 1)
    }

    @Test func `A hidden instance is not the last one`() async throws {
        let (log, child) = (log, parent.child("request"))
        parent.register(.lazy { Tracked(log) }.lifetime(.perLocator))
        let hidden = try child.resolve(Tracked.self)
        child.register(.eager(Tracked(log)))
        let (first, late): (Tracked, Tracked) = await lateRead(of: child)
        #expect(first === late)
        #expect(hidden !== late)
        // Also not for an optional property, where the nearer service was not created.
        let other = parent.child("request")
        _ = try other.resolve(Tracked.self)
        other.register(.lazy { Tracked(log) })
        let property = Locator.$shared.withValue(other) { Optject<Tracked>() }
        await other.close()
        #expect(property() == nil)
    }

    @Test func `A property returns the weak instance that only a closed descendant retained`() async throws {
        let (log, child) = (log, parent.child("request"))
        child.register(.lazy { Tracked(log) }.lifetime(.composite(.perLocator(named: "part"), .weak)))
        let part = child.child("part")
        _ = try part.resolve(Tracked.self)
        // Hides the instance there.
        part.register(.lazy { Tracked(log) })
        let (first, late): (Tracked, Tracked) = await lateRead(of: child)
        #expect(first === late)
        #expect(log.created == 1)
    }

    @Test func `A property returns its own instance only in the locator that it was read in`() async throws {
        let (log, child, other) = (log, parent.child("request"), parent.child("other"))
        child.register(.volatile { Tracked(log) })
        other.register(.volatile { Tracked(log) })
        let property = Optject<Tracked>()
        #expect(Locator.$shared.withValue(child) { property() } != nil)
        await other.close()
        #expect(Locator.$shared.withValue(other) { property() } == nil)
    }

    @Test func `A resolve throws locatorClosed`() async throws {
        let child = parent.child("request")
        child.register(.eager("Ada"))
        child.register(.volatile { 7 })
        await child.close()
        #expect(thrown { try child.resolve(String.self) }?.code == .locatorClosed)
        #expect(thrown { try child.resolve(Int.self) }?.code == .locatorClosed)
        #expect(await thrown { try await child.resolveAsync(String.self) }?.code == .locatorClosed)
        #expect(thrown { try child.resolveAll(String.self) }?.code == .locatorClosed)
    }

    @Test func `Hooks run once, at the close`() async throws {
        let calls = CallLog()
        do {
            let child = parent.child("request")
            child.register(.lazy { LoggedService("session", calls) }.onDispose { $0.close() })
            let (_, _): (LoggedService, LoggedService) = await lateRead(of: child)
            #expect(calls.entries == ["+session", "-session"])
        }
        #expect(calls.entries == ["+session", "-session"])
    }

    @Test func `Behaviors get each late read with an error`() async throws {
        let events = EventCollector()
        let handle = parent.add(events)
        defer { handle.remove() }
        let child = parent.child("request")
        child.register(.eager("Ada"))
        parent.register(.eager(7))
        let (_, late): (String, String) = await lateRead(of: child)
        #expect(late == "Ada")
        let failures = events.events(.didResolve).map { ($0.failure as? InjectleError)?.code }
        #expect(failures == [nil, .locatorClosed])
        // A service of the parent is not closed.
        events.clear()
        let number = Locator.$shared.withValue(child) { Inject<Int>() }
        #expect(number() == 7)
        #expect(events.events(.didResolve).map { $0.failure == nil } == [true])
    }

    @Test func `Without behaviors, the first late read is printed`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let child = Locator("server").child("request")
            child.register(.eager("Ada"))
            child.register(.eager(7))
            let (name, number) = Locator.$shared.withValue(child) { (Inject<String>(), Inject<Int>()) }
            await child.close()
            for _ in 0..<3 { precondition(name() == "Ada" && number() == 7) }
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.components(separatedBy: "The read returned the last instance.").count == 2)
        #expect(text.contains("String was read from the locator \"request\", which is closed."))
        #expect(text.contains("requested by  @Inject in InjectleTests/LateReadTests.swift:"))
    }

    @Test func `A service that was not created before the close traps`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let child = Locator("server").child("request")
            child.register(.lazy { "Ada" })
            let property = Locator.$shared.withValue(child) { Inject<String>() }
            await child.close()
            _ = property()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("String was requested from the locator \"request\", which is closed."))
    }

    @Test func `A property returns the last instance after the parent has replaced its registration`() async throws {
        let (log, child) = (log, parent.child("request"))
        parent.register(.lazy { Tracked(log) }.lifetime(.perLocator))
        let property = Locator.$shared.withValue(child) { Inject<Tracked>() }
        let first = property()
        await child.close()
        parent.register(.lazy { Tracked(log) }.lifetime(.perLocator))
        #expect(property() === first)
        #expect(log.created == 1)
    }

    @Test func `A close releases a hidden instance and the closures of services that do not exist`() async throws {
        let (hidden, captured) = (Tracked.Log(), Tracked.Log())
        let child = parent.child("request")
        do {
            let capture = Tracked(captured)
            parent.register(.lazy { Tracked(hidden) }.lifetime(.perLocator))
            _ = try child.resolve(Tracked.self)
            child.register(.lazy { capture })
        }
        #expect((hidden.alive, captured.alive) == (1, 1))
        await child.close()
        #expect((hidden.alive, captured.alive) == (0, 0))
    }

    @Test func `A closed child lists no registrations and ignores new ones`() async {
        let child = parent.child("request")
        child.register(.eager("Ada"))
        await child.close()
        #expect(child.registrations.isEmpty)
        child.register(.eager(1))
        #expect(!child.isRegistered(Int.self))
        #expect(!child.isRegistered(String.self))
    }

    @Test func `A close releases an instance that no late read returns`() async throws {
        let (log, child) = (log, parent.child("request"))
        child.register(.lazy { (_, _: Int) in Tracked(log) })
        _ = try child.resolve(Tracked.self, arguments: 0)
        await child.close()
        awaitReaders()
        #expect(log.alive == 0)
    }

    @Test func `A locator that traps releases its instances at the close`() async throws {
        let (log, child) = (log, parent.child("request"))
        child.lateReads = .trap
        child.register(.lazy { Tracked(log) })
        _ = try child.resolve(Tracked.self)
        await child.close()
        #expect(log.alive == 0)
        await #expect(processExitsWith: .failure) {
            let child = Locator("server").child("request")
            child.lateReads = .trap
            child.register(.eager("Ada"))
            let property = Locator.$shared.withValue(child) { Inject<String>() }
            await child.close()
            _ = property()
        }
    }

    @Test func `A root traps and a child returns the last instance, if not set`() {
        #expect(parent.lateReads == .trap)
        #expect(parent.child().lateReads == .lastInstance)
        parent.lateReads = .lastInstance
        #expect(parent.lateReads == .lastInstance)
    }

    @Test func `The last reference to a closed locator releases its instances, also in a circle`() async throws {
        let log = log
        do {
            let child = parent.child("request")
            child.register(.lazy { Session(log) })
            child.register(.lazy { Peer() })
            let session = try child.resolve(Session.self)
            #expect(session.peer().session() === session)
            await child.close()
            #expect(session.peer().session() === session)
        }
        #expect(log.alive == 0)
    }

    @Test func `A reset of a closed locator releases its instances`() async throws {
        let (log, child) = (log, parent.child("request"))
        child.register(.lazy { Tracked(log) })
        _ = try child.resolve(Tracked.self)
        await child.close()
        #expect(log.alive == 1)
        child.reset()
        #expect(log.alive == 0)
    }

    @Test func `The close of a parent leaves closed children as they are`() async throws {
        let child = parent.child("request")
        child.register(.eager("Ada"))
        let property = Locator.$shared.withValue(child) { Inject<String>() }
        await parent.close()
        #expect(property() == "Ada")
        #expect(await child.close().isEmpty)
        #expect(property() == "Ada")
    }
}
