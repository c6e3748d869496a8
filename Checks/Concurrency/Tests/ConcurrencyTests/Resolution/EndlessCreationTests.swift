import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Page: Sendable {
    let locator: Locator.Resolver
    init(_ locator: Locator.Resolver) { self.locator = locator }
}

private final class Session: Sendable {}
private struct Endless: Error {}

private struct FixedScope: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Template: NSCopying, Sendable {
    func copy(with zone: NSZone? = nil) -> Any { Template() }
}

/// Requests that once did not return.
@Suite struct EndlessCreationTests {
    private let locator = Locator("endless")

    @Test func `The disposer of a graph service resolves the service that required it`() async {
        let locator = locator
        locator.register(
            .lazy(.anywhere) { locator in Page(locator) }.lifetime(.graph).onDispose { page in
                _ = try page.locator.resolve(Session.self)
            }
        )
        locator.register(
            .lazy(.anywhere) { locator in
                _ = try locator.resolve(Page.self)
                return Session()
            }
        )
        let session = await onAnotherThreadInTime { try? locator.resolve(Session.self) } ?? nil
        #expect(session != nil)
    }

    @Test func `A disposer resolves its service elsewhere while its scope is reset`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            let (locator, scope) = (Locator("endless"), Locator.Scope())
            let other = locator.child("other")
            locator.register(
                .lazy(.anywhere) { Session() }
                    .lifetime(.composite(.perLocator, .custom(FixedScope(scope: scope))))
                    .onDispose { _ in _ = try other.resolve(Session.self) }
            )
            do { _ = try locator.child("one").resolve(Session.self) }
            scope.reset()
        }
    }

    @Test func `A prototype and a service that require each other throw beside the main actor`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            await EndlessCreationTests.resolveBothEnds()
        }
    }

    @MainActor private static func resolveBothEnds() {
        let locator = Locator("endless", mainActorTimeout: .seconds(600))
        let (sessionBegun, templateBegun, ended) = (Signal(), Signal(), Signal())
        let error = Guarded<InjectleError?>(nil)
        func make() throws -> Template {
            templateBegun.set()
            _ = try locator.resolve(Session.self)
            return Template()
        }
        locator.register(.factory(try make()))
        locator.register(
            .lazy(.anywhere) { locator in
                sessionBegun.set()
                templateBegun.wait()
                _ = try locator.resolve(Template.self)
                return Session()
            }
        )
        Thread.detachNewThread {
            error.withLock { $0 = thrown { try locator.resolve(Session.self) } }
            ended.set()
        }
        sessionBegun.wait()
        let own = thrown { try locator.resolve(Template.self) }
        ended.wait()
        guard own == .circularDependency, error.value == .circularDependency else {
            fatalError("\(String(describing: own)), \(String(describing: error.value))")
        }
    }

    @Test func `A check that registers the same identity is repeated a few times only`() throws {
        let checks = Counter()
        locator.register(.eager(1), key: "key")
        try locator.register(
            .eager("text"),
            key: "key",
            and: { locator, key in
                // Without an end, the test would not return.
                if checks.increment() > 100 { throw Endless() }
                locator.register(.eager(2.5), key: key)
            }
        )
        #expect(try locator.resolve(String.self, key: "key") == "text")
    }
}
