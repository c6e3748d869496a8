import Injectle
import InjectleTestSupport
import Testing

private struct User: Sendable { let number: Int }
private final class Store: Sendable {}
private final class Theme: Sendable {}
private final class Cart: Sendable {}
private final class Filter: Sendable {}

/// A view model that every kind of read is tried on: a read that cannot be nil is of a service of the app, or throws.
private final class ViewModel: Sendable {
    let store = Inject<Store>()
    let theme = Inject<Theme>()
    let filter = Inject<Filter>()
    let stores = Inject<[Store]>()
    let user = Inject<User>()
    let cart = Inject<Cart>()
    let optionalUser = Optject<User>()
    let optionalCart = Inject<Cart?>()
    let keptUser = Injected<User?>(resolve: .eager)
    let keptStore = Injected<Store>(resolve: .lazy)

    /// Reads all properties. Returns what is wrong.
    func faults(session number: Int?, store: Store) -> [String] {
        var faults: [String] = []
        // These would end the process.
        if self.store() !== store { faults.append("another store") }
        if keptStore() !== store { faults.append("another kept store") }
        if stores().count != 1 { faults.append("another list") }
        _ = (theme(), filter())
        for user in [optionalUser(), keptUser()] {
            if let user, user.number != number { faults.append("the user of another session") }
        }
        if number != nil { _ = optionalCart() }
        do throws(InjectleError) {
            _ = (try user.resolve(), try cart.resolve())
        } catch {
            if error != .locatorClosed, number != nil { faults.append("\(error)") }
        }
        return faults
    }
}

/// What outlives a session or a request reads while that ends, and afterwards.
@Suite struct SessionEndStressTests {
    private let app = Locator("app")

    init() {
        app.register(.lazy(.anywhere) { Store() }.contributing(to: Store.self).asSelf())
        app.register(.lazy(.anywhere) { Theme() }.lifetime(.weak))
        app.register(.volatile(.anywhere) { Filter() })
        app.register(.lazy(.anywhere) { Cart() }.lifetime(.perLocator(named: "session")))
        app.register(.volatile(.anywhere) { ViewModel() })
    }

    /// Eight tasks read 20 view models while `end` ends their session. Returns what is wrong.
    private func readDuringEnd(
        of session: Locator,
        number: Int,
        shared: [ViewModel],
        end: @escaping @Sendable () async -> Void
    ) async throws -> [String] {
        let store: Store = try app.resolve()
        let models = try (0..<10).map { _ in try session.resolve(ViewModel.self) }
        let start = Barrier(9)
        return await withTaskGroup { group in
            for reader in 0..<8 {
                group.addTask {
                    await start.arrive()
                    var faults: [String] = []
                    for offset in 0..<10 {
                        let index = (reader + offset) % 10
                        faults += models[index].faults(session: number, store: store)
                        faults += shared[index].faults(session: nil, store: store)
                    }
                    return faults
                }
            }
            group.addTask {
                await start.arrive()
                // The end comes at a random moment of the reads.
                for _ in 0..<Int.random(in: 0..<10) { await Task.yield() }
                await end()
                return models.flatMap { $0.faults(session: number, store: store) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test func `No logout ends the process`() async throws {
        let shared = try (0..<10).map { _ in try app.resolve(ViewModel.self) }
        var faults: [String] = []
        for number in 0..<Stress.rounds(1_000) {
            let session = app.child("session") { $0.register(.eager(User(number: number))) }
            faults += try await readDuringEnd(of: session, number: number, shared: shared) { await session.close() }
        }
        #expect(faults == [])
    }

    @Test func `No release of a session ends the process`() async throws {
        let shared = try (0..<10).map { _ in try app.resolve(ViewModel.self) }
        var faults: [String] = []
        for number in 0..<Stress.rounds(1_000) {
            let session = Guarded<Locator?>(app.child("session") { $0.register(.eager(User(number: number))) })
            faults += try await readDuringEnd(of: #require(session.value), number: number, shared: shared) {
                session.withLock { $0 = nil }
            }
        }
        #expect(faults == [])
    }

    @Test func `No request ends the process of its detached work`() async throws {
        let store: Store = try app.resolve()
        let faults = await withTaskGroup(of: [String].self) { tasks in
            for number in 0..<Stress.rounds(1_000) {
                let detached = try? await app.withChild("session", { $0.register(.eager(User(number: number))) }) {
                    request in
                    let model = try request.resolve(ViewModel.self)
                    let (plain, held) = (number, number.isMultiple(of: 2) ? request.hold() : nil)
                    return Task.detached {
                        guard let held else { return model.faults(session: plain, store: store) }
                        // A held request has its user still.
                        return await held.run { request in
                            let user = try? model.user.resolve()
                            let isOpen = user?.number == number && (try? request.resolve(Cart.self)) === model.cart()
                            return (isOpen ? [] : ["a held request was closed"])
                                + model.faults(session: plain, store: store)
                        }
                    }
                }
                guard let detached else { continue }
                tasks.addTask { await detached.value }
            }
            return await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(faults == [])
    }
}
