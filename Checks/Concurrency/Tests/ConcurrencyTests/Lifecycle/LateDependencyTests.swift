import Injectle
import InjectleTestSupport
import Testing

private final class Store: Sendable {
    private let callLog: CallLog
    init(_ callLog: CallLog) { self.callLog = callLog }
    func write(_ line: String) { callLog.record(line) }
}

/// Reads its store only when it ends.
private final class Cache: Sendable {
    private let store = Inject<Store>()
    func flush() { store().write("flush") }
}

/// Reads its store only when it ends, by a property that shows this.
private final class PropertyCache: Sendable {
    let store: @Sendable () -> Store
    init(_ store: @escaping @Sendable () -> Store) { self.store = store }
}

/// Reads a store under a key, which the type of the property does not show.
private final class KeyedCache {
    @Inject("disk") private var store: Store
}

private final class WrappedCache {
    @Inject private var store: Store
    func flush() { store.write("flush") }
}

/// `start()` creates what a service reads later before the service, and so it ends after it.
@Suite struct LateDependencyTests {
    private let locator = Locator("late")
    private let callLog = CallLog()

    private func registerStore() {
        locator.register(
            .lazy(.anywhere) { [callLog] in Store(callLog) }.onDispose { $0.write("close") }
        )
    }

    /// Starts, resolves the store, and closes.
    private func run() async throws -> [String] {
        try await locator.start()
        _ = try locator.resolve(Store.self)
        #expect(await locator.close() == [])
        return callLog.entries
    }

    @Test func `A declared dependency of a started service ends after it`() async throws {
        locator.register(.lazy(.anywhere) { Cache() }.depending(on: Store.self).atStart().onDispose { $0.flush() })
        registerStore()
        #expect(try await run() == ["flush", "close"])
    }

    @Test func `A dependency that a property of a started service shows ends after it`() async throws {
        locator.register(.lazy(.anywhere) { Cache() }.atStart().onDispose { $0.flush() })
        registerStore()
        #expect(try await run() == ["flush", "close"])
    }

    @Test func `A dependency that a wrapped property of a started service shows ends after it`() async throws {
        locator.register(.lazy(.anywhere) { WrappedCache() }.atStart().onDispose { $0.flush() })
        registerStore()
        #expect(try await run() == ["flush", "close"])
    }

    @Test func `A start creates no service of a property that can have another key`() async throws {
        locator.register(.lazy(.anywhere) { KeyedCache() }.atStart())
        registerStore()
        locator.register(.lazy(.anywhere) { [callLog] in Store(callLog) }, key: "disk")
        try await locator.start()
        #expect(locator.registrations.filter(\.isCreated).map(\.identity.type).count == 1)
    }

    @Test func `A declared dependency under a key ends after the service`() async throws {
        locator.register(
            .lazy(.anywhere) { locator in PropertyCache { try! locator.resolve(Store.self, key: "disk") } }
                .depending(on: Store.self, key: "disk").atStart()
                .onDispose { $0.store().write("flush") }
        )
        locator.register(.lazy(.anywhere) { [callLog] in Store(callLog) }.onDispose { $0.write("close") }, key: "disk")
        try await locator.start()
        _ = try locator.resolve(Store.self, key: "disk")
        #expect(await locator.close() == [])
        #expect(callLog.entries == ["flush", "close"])
    }

    @Test func `A start visits each late dependency once, however many paths lead to it`() async throws {
        let locator = Locator("layers")
        let created = Counter()
        let layers = 24
        for layer in 0..<layers {
            for side in ["left", "right"] {
                let registration = Locator.Registration<Int>.lazy(.anywhere) { created.increment() }
                let next = layer + 1 < layers ? layer + 1 : nil
                let depending = next.map { next in
                    registration.depending(on: Int.self, key: "left \(next)").depending(
                        on: Int.self,
                        key: "right \(next)"
                    )
                }
                locator.register((depending ?? registration).atStart(), key: "\(side) \(layer)")
            }
        }
        try await locator.start()
        #expect(created.value == 2 * layers)
    }
}
