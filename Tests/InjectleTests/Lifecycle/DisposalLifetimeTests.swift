import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Whoever asks is given what one scope keeps.
private struct Kept: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Session: Sendable {
    @TaskLocal static var current: Session?
    let scope = Locator.Scope()
}

/// Whoever asks is given what the session of its task keeps.
private struct OfSession: Locator.CustomLifetime {
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { Session.current?.scope }
}

private final class Page: NSObject, NSCopying {
    let name: String
    let diary: Diary
    init(_ name: String, _ diary: Diary) {
        self.name = name
        self.diary = diary
    }
    func copy(with zone: NSZone? = nil) -> Any { Page("copy", diary) }
    func close() { diary.note("-\(name)") }
}

private final class Reader {
    @Inject var page: Page
    init() {}
}

/// Who keeps an instance, and so when it is disposed of, in each lifetime.
@Suite struct DisposalLifetimeTests {
    private let locator = Locator("lifetimes")
    private let diary = Diary()

    private func part(_ name: String, _ lifetime: Locator.Lifetime) -> Locator.Registration<Part> {
        .lazy(.anywhere) { [diary] in Part(name, diary) }.lifetime(lifetime).onDispose { $0.close() }
    }

    // MARK: Locators and children that are let go of

    @Test func `Releasing a locator disposes in reverse order of creation`() throws {
        do {
            let locator = Locator()
            for name in ["a", "b", "c"] { locator.register(part(name, .lazy), key: name) }
            for key in ["c", "a", "b"] { _ = try locator.resolve(Part.self, key: key) }
        }
        #expect(diary.take() == ["+c", "+a", "+b", "-b", "-a", "-c"])
    }

    @Test func `Releasing a child disposes its own instances`() throws {
        locator.register(part("per locator", .perLocator))
        locator.register(part("parent's", .lazy), key: "lazy")
        do {
            let child = locator.child()
            child.register(part("child's", .lazy), key: "own")
            _ = try child.resolve(Part.self, key: "own")
            _ = try child.resolve(Part.self)
            _ = try child.resolve(Part.self, key: "lazy")
            _ = diary.take()
        }
        #expect(Set(diary.take()) == ["-per locator", "-child's"])
        locator.reset()
        #expect(diary.take() == ["-parent's"])
    }

    enum Ending: CaseIterable { case reset, letGo, close }

    @Test(arguments: Ending.allCases) func `A perLocator instance is disposed before its dependency in the child`(
        by ending: Ending
    ) async throws {
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                _ = try locator.resolve(Part.self, key: "own")
                return Part("per locator", diary)
            }.lifetime(.perLocator).onDispose { $0.close() }
        )
        do {
            let child = locator.child()
            child.register(part("own", .lazy), key: "own")
            _ = try child.resolve(Part.self)
            switch ending {
            case .reset: child.reset()
            case .close: await child.close()
            case .letGo: break
            }
        }
        #expect(diary.take() == ["+own", "+per locator", "-per locator", "-own"])
    }

    @Test func `A named ancestor disposes its instance when it is released`() throws {
        locator.register(part("window", .perLocator(named: "window")))
        var window: Locator? = locator.child("window")
        do {
            let view = try #require(window).child()
            _ = try view.resolve(Part.self)
        }
        #expect(diary.take() == ["+window"])
        window = nil
        #expect(diary.take() == ["-window"])
    }

    @Test func `Unregistering disposes the instances of all locators`() throws {
        locator.register(part("a", .perLocator))
        let children = [locator.child(), locator.child()]
        for child in children { _ = try child.resolve(Part.self) }
        locator.unregisterService(Part.self)
        #expect(diary.take() == ["+a", "+a", "-a", "-a"])
    }

    // MARK: Arguments

    @Test func `perArgument instances are disposed individually`() throws {
        let registration: Locator.Registration<Part> = .lazy(.anywhere) {
            [diary] (_: Locator.Resolver, name: String) in Part(name, diary)
        }.lifetime(.perArgument)
        locator.register(registration.onDispose { $0.close() })
        for name in ["x", "y", "x"] { _ = try locator.resolve(Part.self, arguments: name) }
        try locator.resetInstance(of: Part.self, arguments: "x")
        #expect(diary.take() == ["+x", "+y", "-x"])
        locator.unregister(Part.self, key: nil)
        #expect(diary.take() == ["-y"])
    }

    // MARK: Keepers

    @Test func `Resetting a scope disposes in reverse order of creation`() throws {
        let scope = Locator.Scope()
        for name in ["a", "b"] { locator.register(part(name, .custom(Kept(scope: scope))), key: name) }
        _ = try locator.resolve(Part.self, key: "a")
        _ = try locator.resolve(Part.self, key: "b")
        scope.reset()
        #expect(diary.take() == ["+a", "+b", "-b", "-a"])
    }

    @Test func `Releasing a scope disposes its instances`() throws {
        locator.register(part("a", .custom(OfSession())))
        do {
            let session = Session()
            try Session.$current.withValue(session) { _ = try locator.resolve(Part.self) }
            #expect(diary.take() == ["+a"])
        }
        #expect(diary.take() == ["-a"])
    }

    @Test func `A composite instance is disposed by its last cache`() throws {
        let scope = Locator.Scope()
        locator.register(part("a", .composite(.custom(Kept(scope: scope)), .perLocator)))
        let child = locator.child()
        _ = try child.resolve(Part.self)
        scope.reset()
        #expect(diary.take() == ["+a"])
        child.reset()
        locator.reset()
        #expect(diary.take() == ["-a"])
    }

    // MARK: One resolve

    @Test func `Graph instances are disposed in reverse order after the resolve`() throws {
        locator.register(part("a", .graph), for: "a")
        let registration: Locator.Registration<Part> = .lazy(.anywhere) { [diary] locator in
            _ = try locator.resolve(Part.self, key: "a")
            return Part("b", diary)
        }.lifetime(.graph)
        locator.register(registration.onDispose { $0.close() }, key: "b")
        locator.register(
            .volatile(.anywhere) { [diary] locator in
                _ = try locator.resolve(Part.self, key: "b")
                _ = try locator.resolve(Part.self, key: "a")
                diary.note("made")
                return 1
            }
        )
        for _ in 0..<2 {
            _ = try locator.resolve(Int.self)
            #expect(diary.take() == ["+a", "+b", "made", "-b", "-a"])
        }
    }

    @Test func `Graph instances of an async resolve are disposed after it`() async throws {
        locator.register(part("a", .graph))
        locator.register(
            .volatile(.anywhere) { [diary] locator in
                _ = try await locator.resolveAsync(Part.self)
                await Task.yield()
                diary.note("made")
                return 1
            }
        )
        _ = try await locator.resolveAsync(Int.self)
        #expect(diary.take() == ["+a", "made", "-a"])
    }

    // MARK: What nobody keeps

    @Test(arguments: [Locator.Lifetime.volatile, .weak, .graph])
    func `Uncached and weak instances are never disposed`(_ lifetime: Locator.Lifetime) async throws {
        locator.register(part("a", lifetime))
        var service: Part? = try locator.resolve(Part.self)
        #expect(service?.name == "a")
        service = nil
        locator.register(part("b", lifetime), key: "b")
        service = try locator.resolve(Part.self, key: "b")
        locator.unregisterService(withKey: "b")
        await locator.close()
        #expect(diary.take() == ["+a", "+b"])
    }

    @Test func `A factory disposes its prototype and no copy`() throws {
        locator.register(.factory(Page("prototype", diary)).onDispose { $0.close() })
        do {
            let reader = Locator.$shared.withValue(locator) { Reader() }
            #expect(reader.page.name == "copy")
            #expect(try locator.resolve(Page.self).name == "copy")
        }
        #expect(diary.take() == [])
        locator.unregisterService(Page.self)
        #expect(diary.take() == ["-prototype"])
    }

    @Test func `A composite with a weak cache is disposed by the other`() throws {
        let scope = Locator.Scope()
        locator.register(part("a", .composite(.custom(Kept(scope: scope)), .weak)))
        let service = try locator.resolve(Part.self)
        scope.reset()
        #expect(diary.take() == ["+a", "-a"])
        #expect(service.name == "a")
    }
}
