import Injectle
import InjectleTestSupport

/// Programs that start and end: services that read others only when they end, and runs that fail or are closed
/// elsewhere.
final class StartScene: Sendable {
    final class Store: Sendable {
        let isOpen = Guarded(true)
    }

    final class Cache: Sendable {
        private let store = Inject<Store>()
        var isStoreOpen: Bool { store().isOpen.value }
    }

    final class Journal: Sendable {
        private let store: Locator.Lazy<Store>
        init(_ store: Locator.Lazy<Store>) { self.store = store }
        var isStoreOpen: Bool { (try? store().isOpen.value) ?? false }
    }

    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) async {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: await runFailing(&random)
        case 1: await runClosed()
        default: await startAndClose(&random)
        }
    }

    private func startAndClose(_ random: inout SplitMix64) async {
        let (locator, violations) = (Locator("program"), violations)
        // Before or behind the services that read it.
        let isFirst = Bool.random(using: &random)
        func registerStore() {
            locator.register(.lazy(.anywhere) { Store() }.onDispose { store in store.isOpen.withLock { $0 = false } })
        }
        if isFirst { registerStore() }
        locator.register(
            .lazy(.anywhere) { Cache() }.atStart().onDispose {
                violations.require($0.isStoreOpen, "a service of the start ends after what its property shows")
            }
        )
        locator.register(
            .lazy(.anywhere) { locator in Journal(try locator.resolve()) }.depending(on: Store.self).atStart().onDispose
            {
                violations.require($0.isStoreOpen, "a service of the start ends after what its registration declares")
            }
        )
        if !isFirst { registerStore() }
        do {
            try await locator.start()
            if Bool.random(using: &random) { _ = try locator.resolve(Store.self) }
        } catch {
            violations.add("a program that starts: \(error)")
        }
        for error in await locator.close() { violations.add("a program that ends: \(error)") }
    }

    private func runFailing(_ random: inout SplitMix64) async {
        let locator = Locator("program")
        locator.register(.lazy(.anywhere) { () async throws -> Store in throw Failed() })
        let session = Bool.random(using: &random) ? locator.child("session") : nil
        let ended = await inTime {
            do { try await locator.run(gracePeriod: .seconds(600)) } catch {
                return error as? InjectleError == .factoryFailed
            }
            return false
        }
        violations.require(ended == true, "a run whose start fails, with a child \(session != nil): \(ended as Any)")
    }

    private func runClosed() async {
        let (locator, started) = (Locator("program"), Signal())
        locator.register(
            .lazy(.anywhere) { () async in
                started.set()
                return Store()
            }
        )
        let running = Task { try await locator.run() }
        await started.reached()
        await locator.close()
        violations.require(await inTime { _ = await running.result } != nil, "a run goes on after a close elsewhere")
        running.cancel()
    }
}
