import Injectle
import InjectleTestSupport

/// Disposers that resolve the services that required theirs, or their own service elsewhere.
final class DisposerScene: Sendable {
    final class Page: Sendable {
        let locator: Locator.Resolver
        init(_ locator: Locator.Resolver) { self.locator = locator }
    }

    final class Session: Sendable {}

    private struct InScope: Locator.CustomLifetime {
        let scope: Locator.Scope
        func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
    }

    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    private func lifetime(_ scope: Locator.Scope, _ random: inout SplitMix64) -> Locator.Lifetime {
        let parts: [Locator.Lifetime] = [
            .perLocator, .custom(InScope(scope: scope)), .weak, .graph, .perArgument, .timeToLive(.seconds(60)),
        ]
        let (first, second) = (Int.random(in: 0..<6, using: &random), Int.random(in: 0..<6, using: &random))
        return first == second ? parts[first] : .composite(parts[first], parts[second])
    }

    func perform(_ random: inout SplitMix64) {
        let (app, scope) = (Locator("app"), Locator.Scope())
        let other = app.child("other")
        let isOutside = Bool.random(using: &random)
        // A disposer that creates its own service again has an end, too.
        let disposals = Counter()
        app.register(
            .lazy(.anywhere) { locator in Page(locator) }.lifetime(lifetime(scope, &random)).onDispose { page in
                if disposals.increment() > 5 { return }
                if isOutside { _ = try? page.locator.resolve(Session.self) }
                if !isOutside { _ = try? other.resolve(Page.self) }
            }
        )
        let outer: [Locator.Lifetime] = [.lazy, .perLocator, .volatile]
        app.register(
            .lazy(.anywhere) { locator in
                _ = try locator.resolve(Page.self)
                return Session()
            }
            .lifetime(outer[Int.random(in: 0..<3, using: &random)])
        )
        do {
            let child = app.child("child")
            _ = try child.resolve(Session.self)
            _ = try child.resolve(Page.self)
        } catch {
            violations.add("a service whose disposer resolves: \(error)")
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: scope.reset()
        case 1: app.unregister(Page.self)
        default: app.reset()
        }
    }
}
