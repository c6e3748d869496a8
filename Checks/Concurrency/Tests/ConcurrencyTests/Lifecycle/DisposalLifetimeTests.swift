import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Uses one scope.
private struct FixedScopeLifetime: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Session: Sendable {
    @TaskLocal static var current: Session?
    let scope = Locator.Scope()
}

/// Uses the scope of the task's session.
private struct SessionLifetime: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { Session.current?.scope }
}

private final class Page: NSObject, NSCopying {
    let name: String
    let callLog: CallLog
    init(_ name: String, _ callLog: CallLog) {
        self.name = name
        self.callLog = callLog
    }
    func copy(with zone: NSZone? = nil) -> Any { Page("copy", callLog) }
    func close() { callLog.record("-\(name)") }
}

private final class Reader {
    @Inject var page: Page
    init() {}
}

/// When each lifetime disposes its instances.
@Suite struct DisposalLifetimeTests {
    private let locator = Locator("lifetimes")
    private let callLog = CallLog()

    private func loggedService(_ name: String, _ lifetime: Locator.Lifetime) -> Locator.Registration<LoggedService> {
        .lazy(.anywhere) { [callLog] in LoggedService(name, callLog) }.lifetime(lifetime).onDispose { $0.close() }
    }

    // MARK: Released locators and children

    @Test func `Releasing a child disposes its own instances`() throws {
        locator.register(loggedService("per locator", .perLocator))
        locator.register(loggedService("parent's", .lazy), key: "lazy")
        do {
            let child = locator.child()
            child.register(loggedService("child's", .lazy), key: "own")
            _ = try child.resolve(LoggedService.self, key: "own")
            _ = try child.resolve(LoggedService.self)
            _ = try child.resolve(LoggedService.self, key: "lazy")
            _ = callLog.drain()
        }
        #expect(Set(callLog.drain()) == ["-per locator", "-child's"])
        locator.reset()
        #expect(callLog.drain() == ["-parent's"])
    }

    enum Ending: CaseIterable { case reset, released, close }

    @Test(arguments: Ending.allCases) func `A perLocator instance is disposed before its dependency in the child`(
        by ending: Ending
    ) async throws {
        locator.register(
            .lazy(.anywhere) { [callLog] locator in
                _ = try locator.resolve(LoggedService.self, key: "own")
                return LoggedService("per locator", callLog)
            }.lifetime(.perLocator).onDispose { $0.close() }
        )
        do {
            let child = locator.child()
            child.register(loggedService("own", .lazy), key: "own")
            _ = try child.resolve(LoggedService.self)
            switch ending {
            case .reset: child.reset()
            case .close: await child.close()
            case .released: break
            }
        }
        #expect(callLog.drain() == ["+own", "+per locator", "-per locator", "-own"])
    }

    @Test func `Unregistering disposes the instances of all locators`() throws {
        locator.register(loggedService("a", .perLocator))
        let children = [locator.child(), locator.child()]
        for child in children { _ = try child.resolve(LoggedService.self) }
        locator.unregisterService(LoggedService.self)
        #expect(callLog.drain() == ["+a", "+a", "-a", "-a"])
    }

    // MARK: Arguments

    @Test func `perArgument instances are disposed individually`() throws {
        let registration: Locator.Registration<LoggedService> = .lazy(.anywhere) {
            [callLog] (_: Locator.Resolver, name: String) in LoggedService(name, callLog)
        }.lifetime(.perArgument)
        locator.register(registration.onDispose { $0.close() })
        for name in ["x", "y", "x"] { _ = try locator.resolve(LoggedService.self, arguments: name) }
        try locator.resetInstance(of: LoggedService.self, arguments: "x")
        #expect(callLog.drain() == ["+x", "+y", "-x"])
        locator.unregister(LoggedService.self)
        #expect(callLog.drain() == ["-y"])
    }

    // MARK: Scopes

    @Test func `Resetting a scope disposes in reverse order of creation`() throws {
        let scope = Locator.Scope()
        for name in ["a", "b"] {
            locator.register(loggedService(name, .custom(FixedScopeLifetime(scope: scope))), key: name)
        }
        _ = try locator.resolve(LoggedService.self, key: "a")
        _ = try locator.resolve(LoggedService.self, key: "b")
        scope.reset()
        #expect(callLog.drain() == ["+a", "+b", "-b", "-a"])
    }

    @Test func `Releasing a scope disposes its instances`() throws {
        locator.register(loggedService("a", .custom(SessionLifetime())))
        do {
            let session = Session()
            try Session.$current.withValue(session) { _ = try locator.resolve(LoggedService.self) }
            #expect(callLog.drain() == ["+a"])
        }
        #expect(callLog.drain() == ["-a"])
    }

    // MARK: One resolve

    @Test func `Graph instances are disposed in reverse order after the resolve`() throws {
        locator.register(loggedService("a", .graph), key: "a")
        let registration: Locator.Registration<LoggedService> = .lazy(.anywhere) { [callLog] locator in
            _ = try locator.resolve(LoggedService.self, key: "a")
            return LoggedService("b", callLog)
        }.lifetime(.graph)
        locator.register(registration.onDispose { $0.close() }, key: "b")
        locator.register(
            .volatile(.anywhere) { [callLog] locator in
                _ = try locator.resolve(LoggedService.self, key: "b")
                _ = try locator.resolve(LoggedService.self, key: "a")
                callLog.record("made")
                return 1
            }
        )
        for _ in 0..<2 {
            _ = try locator.resolve(Int.self)
            #expect(callLog.drain() == ["+a", "+b", "made", "-b", "-a"])
        }
    }

    @Test func `Graph instances of an async resolve are disposed after it`() async throws {
        locator.register(loggedService("a", .graph))
        locator.register(
            .volatile(.anywhere) { [callLog] locator in
                _ = try await locator.resolveAsync(LoggedService.self)
                await Task.yield()
                callLog.record("made")
                return 1
            }
        )
        _ = try await locator.resolveAsync(Int.self)
        #expect(callLog.drain() == ["+a", "made", "-a"])
    }

    @Test func `Resetting a list disposes of its services in reverse order`() throws {
        for name in ["a", "b", "c"] {
            locator.register(loggedService(name, .lazy).contributing(to: LoggedService.self))
        }
        _ = try locator.resolveAll(LoggedService.self)
        try locator.resetInstance(of: LoggedService.self)
        #expect(callLog.drain() == ["+a", "+b", "+c", "-c", "-b", "-a"])
    }

    @Test(arguments: [["a", "b", "c"], ["b", "a", "c"], ["c", "b", "a"]])
    func `Graph services of two locators are disposed of in reverse order`(_ names: [String]) throws {
        let (locator, child) = (locator, locator.child("child"))
        for name in ["a", "c"] { locator.register(loggedService(name, .graph), key: name) }
        child.register(loggedService("b", .graph), key: "b")
        child.register(
            .volatile(.anywhere) {
                for name in names {
                    _ = try (name == "b" ? child : locator).resolve(LoggedService.self, key: name)
                }
                return 1
            }
        )
        _ = try child.resolve(Int.self)
        #expect(callLog.drain() == names.map { "+\($0)" } + names.reversed().map { "-\($0)" })
    }

    // MARK: Uncached instances

    @Test(arguments: [Locator.Lifetime.volatile, .weak, .graph])
    func `Uncached and weak instances are never disposed`(_ lifetime: Locator.Lifetime) async throws {
        locator.register(loggedService("a", lifetime))
        var service: LoggedService? = try locator.resolve(LoggedService.self)
        #expect(service?.name == "a")
        service = nil
        locator.register(loggedService("b", lifetime), key: "b")
        service = try locator.resolve(LoggedService.self, key: "b")
        locator.unregisterService(withKey: "b")
        await locator.close()
        #expect(callLog.drain() == ["+a", "+b"])
    }

    @Test func `A factory disposes its prototype and no copy`() throws {
        locator.register(.factory(Page("prototype", callLog)).onDispose { $0.close() })
        do {
            let reader = Locator.$shared.withValue(locator) { Reader() }
            #expect(reader.page.name == "copy")
            #expect(try locator.resolve(Page.self).name == "copy")
        }
        #expect(callLog.drain() == [])
        locator.unregisterService(Page.self)
        #expect(callLog.drain() == ["-prototype"])
    }
}
