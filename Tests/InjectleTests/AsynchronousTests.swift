import Injectle
import InjectleTestSupport
import Testing

private final class Database: Sendable {}
private final class Plain {}
private actor Home {
    func fill(_ locator: Locator) {
        locator.register(.lazy { Plain() })
        locator.register(
            .lazy {
                await Task.yield(); return self.make()
            },
            for: "own"
        )
    }
    private func make() -> Database { assertIsolated(); return Database() }
}

struct AsynchronousTests {
    private let locator = Locator()

    @Test func aFirstLook() async throws {
        locator.register(
            .lazy {
                await Task.yield(); return Database()
            }
        )
        #expect(throws: InjectleError.self) { try locator.resolve(Database.self) }
        let first = try await locator.resolveAsync(Database.self)
        #expect(try locator.resolve(Database.self) === first)
        do {
            _ = try Locator {
                $0.register(
                    .lazy {
                        await Task.yield(); return Database()
                    }
                )
            }.resolve(Database.self)
        } catch { print(error) }
    }

    @Test func syncNeedsAsync() async throws {
        locator.register(
            .lazy {
                await Task.yield(); return Database()
            }
        )
        locator.register(.lazy { locator in (try locator.resolve(Database.self), 7) })
        let pair = try await locator.resolveAsync((Database, Int).self)
        #expect(try locator.resolve(Database.self) === pair.0)
    }

    @Test func actors() async throws {
        let home = Home()
        await home.fill(locator)
        let d: Database = try await locator.resolveAsync(key: "own")
        let p: Plain = try await locator.resolveAsync()
        #expect(try locator.resolve(Plain.self) === p)
        #expect(try locator.resolve(Database.self, key: "own") === d)
    }

    @Test func cycle() async throws {
        locator.register(
            .lazy { locator in
                _ = try await locator.resolveAsync(Int.self); return ""
            }
        )
        locator.register(
            .lazy { locator in
                _ = try await locator.resolveAsync(String.self); return 1
            }
        )
        do { _ = try await locator.resolveAsync(Int.self) } catch { print(error) }
        async let a = locator.resolveAsync(Int.self)
        async let b = locator.resolveAsync(String.self)
        do { _ = try await a } catch { print(error) }
        do { _ = try await b } catch { print(error) }
    }

    @Test func many() async throws {
        for _ in 0..<2000 {
            let locator = Locator()
            locator.register(
                .lazy {
                    await Task.yield(); return Database()
                }
            )
            let set = await withThrowingTaskGroup(of: Database.self) { group in
                for i in 0..<64 {
                    group.addTask {
                        let t = Task { try await locator.resolveAsync(Database.self) }; if i % 2 == 0 { t.cancel() };
                        return try await t.value
                    }
                }
                var set: Set<ObjectIdentifier> = []; var kept: [Database] = []
                while let r = await group.nextResult() {
                    if case .success(let d) = r { kept.append(d); set.insert(ObjectIdentifier(d)) }
                }
                return set
            }
            #expect(set.count <= 1)
        }
    }
}
