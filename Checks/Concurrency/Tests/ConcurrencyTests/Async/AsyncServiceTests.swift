import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Database: Sendable {
    let name: String
    init(_ name: String = "") { self.name = name }

    static func open(_ name: String = "") async -> Database {
        await Task.yield()
        return Database(name)
    }
}

private protocol Step: Sendable {
    var name: String { get }
}

private struct Fare: Step { let name: String }
private struct Route: Step { let name: String }

private func fetch() async throws -> Fare { Fare(name: await Database.open("fetched").name) }

/// Registering and resolving async services.
@Suite struct AsyncServiceTests {
    private let locator = Locator("asynchronous")

    // MARK: Awaiting

    @Test func `resolveAsync awaits an async factory once`() async throws {
        let created = Counter()
        locator.register(.lazy { await Database.open("\(created.increment())") })
        let database: Database = try await locator.resolveAsync()
        #expect(database.name == "1")
        #expect(try await locator.resolveAsync(Database.self) === database)
        #expect(created.value == 1)
    }

    @Test func `A function reference serves as an async factory`() async throws {
        locator.register(.lazy(fetch))
        locator.register(.volatile(.anywhere, fetch), key: 1)
        locator.register(.lazy(.main, fetch).lifetime(.perLocator), key: 2)
        locator.register(.initializer(.anywhere, fetch).lifetime(.graph), key: 3)
        locator.register(.initializer(.main, fetch), key: 4)
        for key in [nil, 1, 2, 3, 4] { #expect(try await locator.resolveAsync(Fare.self, key: key).name == "fetched") }
    }

    @Test func `resolveAsync finds synchronously created services`() async throws {
        locator.register(.eager(1))
        locator.register(.lazy { Database("lazy") })
        locator.register(.volatile { (_, name: String) in Fare(name: name) })
        #expect(try await locator.resolveAsync(Int.self) == 1)
        let database = try await locator.resolveAsync(Database.self)
        #expect(try locator.resolve(Database.self) === database)
        #expect(try await locator.resolveAsync(Fare.self, arguments: "given").name == "given")
        #expect(try await locator.child().resolveAsync(Database.self) === database)
    }

    @Test func `resolveAsync finds a service by type and key or by key`() async throws {
        locator.register(.lazy { await Database.open("keyed") }, key: "key")
        locator.register(.lazy { await Database.open("plain") })
        let keyed = try await locator.resolveAsync(Database.self, key: "key")
        #expect(keyed.name == "keyed")
        #expect(try await locator.resolveAsync(Database.self).name == "plain")
        #expect(try await locator.resolveAsync((any Sendable).self, key: "key") as? Database === keyed)
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Int.self, key: "key") }
        #expect(error == .wrongType)
    }

    @Test func `resolveAsync throws missing for an unregistered service`() async {
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveAsync(Database.self) }
        #expect(error == .missing)
        #expect(error?.description.contains("resolveAsync in ConcurrencyTests/AsyncServiceTests.swift:") == true)
    }

    @Test func `resolveAsync passes arguments to the factory`() async throws {
        locator.register(.volatile { (_, name: String, number: Int) in await Database.open("\(name) \(number)") })
        locator.register(.volatile { (_, number: Int) in await Database.open("keyed \(number)") }, key: "key")
        #expect(try await locator.resolveAsync(Database.self, arguments: "a", 1).name == "a 1")
        #expect(try await locator.resolveAsync(Database.self, key: "key", arguments: 2).name == "keyed 2")
        let error = await #expect(throws: InjectleError.self) {
            try await locator.resolveAsync(Database.self, arguments: 1, "a")
        }
        #expect(error == .wrongArguments)
    }

    @Test func `An optional async resolve is nil only for an unregistered service`() async throws {
        #expect(try await locator.resolveAsync(Database?.self) == nil)
        #expect(try await locator.resolveOptionalAsync(Database.self) == nil)
        #expect(try await locator.resolveOptionalAsync(Database.self, key: "key", arguments: "a") == nil)
        locator.register(.lazy { await Database.open("plain") })
        locator.register(.volatile { (_, name: String) in await Database.open(name) }, key: "key")
        #expect(try await locator.resolveAsync(Database?.self)?.name == "plain")
        #expect(try await locator.resolveOptionalAsync(Database.self)?.name == "plain")
        #expect(try await locator.resolveAsync(Database?.self, key: "absent") == nil)
        #expect(try await locator.resolveOptionalAsync(Database.self, key: "key", arguments: "a")?.name == "a")
        // A missing dependency is an error.
        locator.register(.lazy { locator in Fare(name: try await locator.resolveAsync()) })
        let error = await #expect(throws: InjectleError.self) { try await locator.resolveOptionalAsync(Fare.self) }
        #expect(error == .missing)
    }

    @Test func `Contributions are created one after the other`() async throws {
        let order = Guarded<[String]>([])
        func note(_ name: String) -> String { order.withLock { $0.append(name) }; return name }
        let step = (any Step).self
        locator.register(.lazy { Fare(name: await Database.open(note("first")).name) }.contributing(to: step))
        locator.register(.lazy { Route(name: note("second")) }.contributing(to: step))
        locator.register(.volatile { Route(name: await Database.open(note("third")).name) }.contributing(to: step))
        #expect(try await locator.resolveAllAsync(step).map(\.name) == ["first", "second", "third"])
        #expect(try await locator.resolveAsync([any Step].self).map(\.name) == ["first", "second", "third"])
        #expect(order.value == ["first", "second", "third", "third"])
        #expect(try await locator.resolveAllAsync(step, key: "key").isEmpty)
    }

    @Test func `Lazy and Provider resolve asynchronously`() async throws {
        let created = Counter()
        locator.register(.lazy { await Database.open("\(created.increment())") })
        locator.register(.volatile { (_, name: String) in Fare(name: await Database.open(name).name) })
        let lazy = try await locator.resolveAsync(Locator.Lazy<Database>.self)
        let provider = try await locator.resolveAsync(Locator.Provider<Fare>.self)
        #expect(created.value == 0)
        #expect(throws: InjectleError.self) { try lazy() }
        let database = try await lazy.resolveAsync()
        #expect(try lazy() === database)
        #expect(created.value == 1)
        #expect(try await provider.resolveAsync("a").name == "a")
        let given = try await locator.resolveAsync(Locator.Provider<Fare>.self, arguments: "b")
        #expect(try await given.resolveAsync().name == "b")
    }

    @Test func `A resolver offers the async calls of a locator`() async throws {
        let step = (any Step).self
        locator.register(.lazy { await Database.open("plain") })
        locator.register(.lazy { await Database.open("keyed") }, key: "key")
        locator.register(.volatile { (_, name: String) in await Database.open(name) }, key: "made")
        locator.register(
            .lazy { Fare(name: await Database.open("contributed").name) }
                .contributing(to: step).contributing(to: step, key: 1)
        )
        locator.register(
            .volatile { (_, name: String) in Route(name: await Database.open(name).name) }
                .contributing(to: step, key: "made")
        )
        locator.register(
            .lazy { locator in
                var list = [try await locator.resolveAsync(Database.self)]
                list.append(try await locator.resolveAsync(Database.self, key: "key"))
                list.append(try await locator.resolveAsync(Database.self, key: "made", arguments: "a"))
                list += try await locator.resolveAsync(Database?.self).map { [$0] } ?? []
                list += try await locator.resolveOptionalAsync(Database.self, key: "absent").map { [$0] } ?? []
                list +=
                    try await locator.resolveOptionalAsync(Database.self, key: "made", arguments: "b").map { [$0] }
                    ?? []
                list.append(try await locator.resolveAsync(Locator.Lazy<Database>.self).resolveAsync())
                list.append(try await locator.resolveAsync(Locator.Provider<Database>.self, key: "key").resolveAsync())
                var steps = try await locator.resolveAllAsync(step)
                steps += try await locator.resolveAllAsync(step, key: "made", arguments: "c")
                steps += try await locator.resolveAsync([any Step].self, key: 1)
                return Answers(names: list.map(\.name) + steps.map(\.name))
            }
        )
        let expected = ["plain", "keyed", "a", "plain", "b", "plain", "keyed", "contributed", "c", "contributed"]
        #expect(try await locator.resolveAsync(Answers.self).names == expected)
    }

    @Test func `A resolver provides the given arguments to async factories`() async throws {
        locator.register(.initializer({ (name: String) async in await Database.open(name) }).lifetime(.volatile))
        locator.register(.volatile { locator in Fare(name: try await locator.resolveAsync()) })
        #expect(try await locator.resolveAsync(Database.self, arguments: "given").name == "given")
        #expect(try await locator.resolveAsync(Fare.self, arguments: "given").name == "given")
    }

    // MARK: Synchronous callers

    @Test func `A synchronous resolve of an async service names the fix`() {
        locator.register(.lazy { await Database.open() }, key: "main")
        locator.register(.volatile { await Database.open() })
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Database.self, key: "main") }
        #expect(error == .requiresAsync)
        #expect(error?.identity == Locator.Identity(Database.self, key: "main"))
        let text = error?.description ?? ""
        #expect(text.contains("requires async creation, and does not exist yet."))
        #expect(text.contains("try await locator.resolveAsync(ConcurrencyTests.Database.self, key: \"main\")"))
        #expect(text.contains("registered    in ConcurrencyTests/AsyncServiceTests.swift:"))
        #expect(text.contains("try await locator.start()"))
        // An uncached service never exists in advance.
        let other = #expect(throws: InjectleError.self) { try locator.resolve(Database.self) }
        #expect(other == .requiresAsync)
        #expect(other?.description.contains("start()") == false)
    }

    @Test func `A created async service is available synchronously`() async throws {
        locator.register(.lazy { await Database.open() }.as((any Sendable).self).asSelf())
        let properties = Locator.$shared.withValue(locator) {
            (Inject<Database>(), Optject<Database>(), Injected<Database>(resolve: .lazy))
        }
        let lazy = try locator.resolve(Locator.Lazy<Database>.self)
        let database = try await locator.resolveAsync(Database.self)
        for _ in 0..<3 {
            #expect(try locator.resolve(Database.self) === database)
            #expect(try locator.child().resolve(Database?.self) === database)
            #expect(try locator.resolve((any Sendable).self) as? Database === database)
            #expect(properties.0() === database)
            #expect(properties.1() === database)
            #expect(properties.2() === database)
            #expect(try lazy() === database)
        }
        let elsewhere = await onAnotherThread { [locator] in try? locator.resolve(Database.self) }
        #expect(elsewhere === database)
    }

    @Test func `Reading a property before async creation traps with the fix`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let locator = Locator()
            locator.register(.lazy { await Database.open() })
            _ = Locator.$shared.withValue(locator) { Inject<Database>() }()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("requires async creation, and does not exist yet."))
        #expect(text.contains("@Inject in ConcurrencyTests/AsyncServiceTests.swift:"))
    }
}

private struct Answers: Sendable { let names: [String] }
