import Injectle
import InjectleTestSupport

/// Locators that end in several ways at once, with disposers that resolve what their services use.
final class EndingScene: Sendable {
    final class Base: Sendable {
        let isOpen = Guarded(true)
    }

    /// A service of the parent, which only disposers read.
    final class Log: Sendable {}

    final class User: Sendable {
        let locator: Locator.Resolver
        let base: Base
        init(_ locator: Locator.Resolver) throws {
            self.locator = locator
            base = try locator.resolve()
        }
    }

    private let root: Locator
    private let violations: Violations
    private let users = Guarded(0)

    init(in root: Locator, _ violations: Violations) { (self.root, self.violations) = (root, violations) }

    /// - Parameter isOpen: Whether the parent stays open, so that disposers can read its services.
    private func fill(_ locator: Locator, _ ending: Int, isOpen: Bool) {
        let (users, violations) = (users, violations)
        @Sendable func create(_ locator: Locator.Resolver) throws -> User {
            let user = try User(locator)
            users.withLock { $0 += 1 }
            return user
        }
        @Sendable func check(_ user: User, _ name: String) {
            users.withLock { $0 -= 1 }
            violations.require(user.base.isOpen.value, "\(name): its base has been disposed of before")
            do {
                if isOpen { _ = try user.locator.resolve(Log.self) }
                violations.require(try user.locator.resolve(Base.self) === user.base, "\(name): it finds another base")
            } catch {
                violations.add("\(name): \(error)")
            }
        }
        locator.register(
            .lazy(.anywhere) { Base() }.onDispose { base in base.isOpen.withLock { $0 = false } }
        )
        for key in ["first", "last"] {
            locator.register(
                .lazy(.anywhere) { locator in try create(locator) }.onDispose {
                    check($0, "a disposer, ending \(ending)")
                },
                key: key
            )
        }
        locator.register(
            .lazy(.anywhere) { locator in try create(locator) }.onDispose { user async in
                await Task.yield()
                check(user, "an async disposer, ending \(ending)")
            },
            key: "async"
        )
    }

    func perform(_ random: inout SplitMix64) async {
        let parent = root.child("ending")
        var child: Locator? = parent.child("ended")
        let ending = Int.random(in: 0...6, using: &random)
        parent.register(.lazy(.anywhere) { Log() })
        // Often, disposers read a service of a parent that stays open.
        let isOpen = ![2, 4, 6].contains(ending) && Bool.random(using: &random)
        if let child { fill(child, ending, isOpen: isOpen) }
        if ending == 6 {
            parent.register(
                .eager(1).onDispose { _ async throws in
                    for _ in 0..<5 { await Task.yield() }
                    throw Failed()
                }
            )
        }
        let isAsync = Bool.random(using: &random)
        do {
            for key in isAsync ? ["first", "async", "last"] : ["first", "last"] {
                _ = try child?.resolve(User.self, key: key)
            }
        } catch {
            violations.add("a child that is open: \(error)")
        }
        switch ending {
        case 0: await child?.close()
        case 1: child?.reset()
        case 2:
            let closing = Task { await parent.close() }
            child = nil
            _ = await closing.value
        case 3:
            let closing = Task { [child] in await child?.close() }
            child?.reset()
            _ = await closing.value
        case 4:
            let closing = Task { await parent.close() }
            await child?.close()
            _ = await closing.value
        case 6:
            let closing = Task { await parent.close() }
            await Task.yield()
            var reported: [InjectleError] = []
            await parent.withChild("request") {
                reported += $0
            } _: { _ in
            }
            violations.require(reported.isEmpty, "a child reports errors of its parent: \(reported)")
            _ = await closing.value
        default: break
        }
        child = nil
    }

    func end() async {
        if await waitUntil({ users.value == 0 }) { return }
        violations.add("\(users.value) services of ended locators have not been disposed of")
    }
}
