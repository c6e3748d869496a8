import Injectle
import InjectleTestSupport

/// A creation starts a task that requires what it creates, and does not await the task.
final class TaskScene: Sendable {
    final class Server: Sendable {}
    final class Router: Sendable {}

    private let root: Locator
    private let violations: Violations
    private let turns = Turns()
    private let running = Guarded(0)

    init(in root: Locator, _ violations: Violations) {
        (self.root, self.violations) = (root, violations)
        let running = running
        root.register(
            .lazy(.anywhere) { (locator, number: Int) async in
                running.withLock { $0 += 1 }
                Task {
                    defer { running.withLock { $0 -= 1 } }
                    do {
                        _ = try await locator.resolveAsync(Router.self, arguments: number)
                    } catch {
                        violations.add("a task that a creation started: \(error)")
                    }
                }
                for _ in 0..<5 { await Task.yield() }
                return Server()
            }
            .lifetime(.perArgument)
        )
        root.register(
            .lazy(.anywhere) { (locator, number: Int) async throws in
                for _ in 0..<5 { await Task.yield() }
                _ = try await locator.resolveAsync(Server.self, arguments: number)
                return Router()
            }
            .lifetime(.perArgument)
        )
    }

    func perform(_ random: inout SplitMix64) async {
        let (number, isServer) = (turns.next(), Bool.random(using: &random))
        do {
            if isServer { _ = try await root.resolveAsync(Server.self, arguments: number) }
            if !isServer { _ = try await root.resolveAsync(Router.self, arguments: number) }
        } catch {
            violations.add("a service whose creation starts a task: \(error)")
        }
    }

    func end() async {
        if await waitUntil({ running.value == 0 }) { return }
        violations.add("\(running.value) tasks that creations started do not end")
    }
}
