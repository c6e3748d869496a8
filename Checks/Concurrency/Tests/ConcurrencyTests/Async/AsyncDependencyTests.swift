import Injectle
import InjectleTestSupport
import Testing

private final class Database: Sendable {
    let name: String
    init(_ name: String = "") { self.name = name }
}

private final class Index: Sendable {}

private final class Repository: Sendable {
    let database: Database
    let index: Index?
    init(database: Database, index: Index?) {
        self.database = database
        self.index = index
    }
}

private struct Feature: Sendable {
    let repository: Repository
}

private struct Page: Sendable {
    var database: Database?
}

/// Synchronous factories with async dependencies: the dependency is created and the factory runs again.
@Suite struct AsyncDependencyTests {
    private let locator = Locator("needs")
    private let calls = Counter()
    private let opened = Counter()

    private func open(_ lifetime: Locator.Lifetime = .lazy) {
        locator.register(
            .lazy { [opened] in
                await Task.yield()
                return Database("\(opened.increment())")
            }.lifetime(lifetime)
        )
    }

    @Test func `A synchronous factory runs again once its async dependency exists`() async throws {
        open()
        locator.register(
            .lazy { [calls] locator in
                calls.increment()
                return Repository(database: try locator.resolve(), index: nil)
            }
        )
        #expect(throws: InjectleError.self) { try locator.resolve(Repository.self) }
        #expect(calls.value == 1)
        let repository = try await locator.resolveAsync(Repository.self)
        #expect(try locator.resolve(Database.self) === repository.database)
        #expect(try locator.resolve(Repository.self) === repository)
        #expect(calls.value == 3)
        #expect(opened.value == 1)
    }

    @Test func `All async dependencies of a factory are created`() async throws {
        open()
        locator.register(
            .lazy {
                await Task.yield()
                return Index()
            }
        )
        locator.register(
            .volatile { [calls] locator in
                calls.increment()
                return Repository(database: try locator.resolve(), index: try locator.resolve())
            }
        )
        #expect(try await locator.resolveAsync(Repository.self).index != nil)
        #expect(calls.value == 3)
        #expect(try await locator.resolveAsync(Repository.self).database === locator.resolve(Database.self))
        #expect(calls.value == 4)
    }

    @Test func `Async dependencies are created in any order in which their errors are thrown`() async throws {
        open()
        locator.register(
            .lazy {
                await Task.yield()
                return Index()
            }
        )
        locator.register(
            .lazy { locator in
                let database = Result { try locator.resolve(Database.self) }
                let index = Result { try locator.resolve(Index.self) }
                return Repository(database: try database.get(), index: try index.get())
            }
        )
        #expect(try await locator.resolveAsync(Repository.self).index != nil)
        #expect(opened.value == 1)
    }

    @Test func `Async dependencies of child tasks are created`() async throws {
        // Each round has its own order of the child tasks.
        for _ in 0..<100 {
            let locator = Locator("child tasks")
            locator.register(.lazy(.anywhere) { () async in Database() })
            locator.register(.lazy(.anywhere) { () async in Index() })
            locator.register(
                .lazy(.anywhere) { locator in
                    async let database = locator.resolve(Database.self)
                    async let index = locator.resolve(Index.self)
                    return Repository(database: try await database, index: try await index)
                }
            )
            #expect(try await locator.resolveAsync(Repository.self).index != nil)
        }
    }

    @Test func `Async dependencies of an initializer are created`() async throws {
        open()
        locator.register(.initializer(Repository.init))
        locator.register(.initializer(Feature.init).lifetime(.volatile))
        // Two levels deep.
        let feature = try await locator.resolveAsync(Feature.self)
        #expect(feature.repository.index == nil)
        #expect(try locator.resolve(Repository.self) === feature.repository)
        #expect(try locator.resolve(Database.self) === feature.repository.database)
        #expect(opened.value == 1)
    }

    @Test func `Async dependencies of injected properties are created`() async throws {
        open()
        locator.register(.lazy { Page() }.injecting(\.database))
        locator.register(
            .lazy {
                await Task.yield()
                return Page()
            }
            .injecting(\Page.database),
            key: "asynchronous"
        )
        #expect(try await locator.resolveAsync(Page.self).database === locator.resolve(Database.self))
        locator.unregisterService(Database.self)
        open()
        let page = try await locator.resolveAsync(Page.self, key: "asynchronous")
        #expect(try page.database === locator.resolve(Database.self))
    }

    @Test func `An async factory may resolve async dependencies synchronously`() async throws {
        open()
        locator.register(
            .lazy { [calls] locator in
                calls.increment()
                await Task.yield()
                return Repository(database: try locator.resolve(), index: nil)
            }
        )
        let locator = locator
        async let other = locator.resolveAsync(Repository.self)
        let repository = try await locator.resolveAsync(Repository.self)
        #expect(try await other === repository)
        #expect(try locator.resolve(Database.self) === repository.database)
        #expect(opened.value == 1)
    }

    @Test func `Async dependencies keep their keys and arguments`() async throws {
        locator.register(
            .lazy { (_, name: String) in
                await Task.yield()
                return Database(name)
            }.lifetime(.perArgument),
            key: "key"
        )
        locator.register(
            .lazy { locator in
                let database = try locator.resolve(Database.self, key: "key", arguments: "given")
                return Repository(database: database, index: nil)
            }
        )
        #expect(try await locator.resolveAsync(Repository.self).database.name == "given")
    }

    @Test func `Async dependencies of a list element are created`() async throws {
        open()
        locator.register(.initializer(Repository.init).contributing(to: Repository.self))
        #expect(try await locator.resolveAllAsync(Repository.self).map(\.database.name) == ["1"])
        // The list itself may be the dependency.
        let other = Locator { $0.register(.volatile { locator in try locator.resolveAll(Database.self).count }) }
        other.register(
            .lazy {
                await Task.yield(); return Database()
            }.contributing(to: Database.self)
        )
        #expect(try await other.resolveAsync(Int.self) == 1)
    }

    @Test(arguments: [Locator.Lifetime.lazy, .perLocator, .weak, .composite(.perLocator, .weak)])
    func `Every cached lifetime can satisfy a synchronous dependency`(lifetime: Locator.Lifetime) async throws {
        open(lifetime)
        locator.register(.initializer(Repository.init).lifetime(.volatile))
        #expect(try await locator.resolveAsync(Repository.self).database.name == "1")
        #expect(opened.value == 1)
    }

    @Test(arguments: [Locator.Lifetime.volatile, .graph])
    func `An uncached async dependency throws requiresAsync`(lifetime: Locator.Lifetime) async {
        open(lifetime)
        locator.register(
            .lazy { [calls] locator in
                calls.increment()
                return Repository(database: try locator.resolve(), index: nil)
            }
        )
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Repository.self) }
        #expect(error == .requiresAsync)
        #expect(error?.path == [Locator.Identity(Repository.self)])
        #expect(calls.value == 2)
        #expect(opened.value == 1)
    }

    @Test func `A main actor factory runs again on the main actor`() async throws {
        open()
        locator.register(
            .lazy(.main) { [calls] locator in
                MainActor.preconditionIsolated()
                calls.increment()
                return Repository(database: try locator.resolve(), index: nil)
            }
        )
        #expect(try await locator.resolveAsync(Repository.self).database.name == "1")
        #expect(calls.value == 2)
    }
}
