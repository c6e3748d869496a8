import Injectle
import InjectleTestSupport
import Testing

private protocol Database: Sendable { var name: String { get } }
private struct LiveDatabase: Database { var name = "live" }
private struct Archive: Database { let name = "archive" }
private final class SystemClock: Sendable {}
private struct Repository: Sendable {
    let database: any Database
    var other: any Database
    let clock: SystemClock
}

extension ServiceKey<any Database> {
    fileprivate static let replica = Self("replica")
    fileprivate static let primary = Self("primary", default: .lazy { LiveDatabase() })
    fileprivate static let counted = Self(
        "counted",
        default: .lazy { () -> any Database in
            creations.increment()
            return LiveDatabase()
        }
    )
    fileprivate static let checked = Self("checked", default: .initializer(Checked.init))
}
extension ServiceKey<SystemClock> {
    fileprivate static let replica = Self("replica")
    fileprivate static let clock = Self("clock", default: .lazy { SystemClock() })
}
extension ServiceKey<[Int]> {
    fileprivate static let numbers = Self("numbers", default: .eager([1, 2]))
}
extension ServiceKey<String> {
    fileprivate static let greeting = Self("greeting")
    fileprivate static let page = Self("page", default: .volatile { (_, number: Int) in "page \(number)" })
}
private let creations = Counter()
private struct Checked: Database {
    let name = "checked"
    init(clock: SystemClock) {}
}

private final class Holder: Sendable {
    let replica = Inject(.replica as ServiceKey<any Database>)
    let optional = Optject(.primary)
    let first = Injected(resolve: .lazy, key: .clock)
}
private struct Properties {
    @Inject(.primary) var database
    @Optject(.greeting) var greeting
}

@Suite struct ServiceKeyTests {
    private let locator = Locator("app")

    // MARK: Identity

    @Test func `A service is registered and resolved by its key`() throws {
        locator.register(.lazy { LiveDatabase() }, for: .replica)
        #expect(try locator.resolve(.replica).name == "live")
        #expect(try locator.resolve((any Database).self, key: ServiceKey<any Database>.replica).name == "live")
        #expect(try locator.resolveOptional((any Database).self) == nil)
        #expect(try locator.resolveOptional((any Database).self, key: "replica") == nil)
    }

    @Test func `Keys of one name differ if their types differ`() throws {
        locator.register(.lazy { SystemClock() }, for: .replica)
        #expect(thrown { try locator.resolve(.replica as ServiceKey<any Database>) } == .missing)
    }

    @Test func `Keys of one name differ if their modules differ`() throws {
        let (own, other) = (ServiceKey<String>("name"), ServiceKey<String>("name", fileID: "Other/File.swift"))
        #expect(own != other)
        #expect(own == ServiceKey<String>("name"))
        #expect(own == ServiceKey<String>("name", fileID: "InjectleTests/Another.swift"))
        locator.register(.eager("own"), for: own)
        locator.register(.eager("other"), for: other)
        #expect(try locator.resolve(own) == "own")
        #expect(try locator.resolve(other) == "other")
    }

    @Test func `A key that is declared twice finds the same service`() throws {
        let clock = SystemClock()
        locator.register(.eager(clock), for: ServiceKey<SystemClock>("twice"))
        for _ in 0..<2 { #expect(try locator.resolve(ServiceKey<SystemClock>("twice")) === clock) }
    }

    @Test func `A text names the module and the name of a key`() throws {
        let key = ServiceKey<any Database>.replica
        #expect(key.name == "replica")
        #expect("\(key)" == "InjectleTests.replica")
        let error = thrown { try locator.resolve(key) }
        #expect(error?.description.contains("Database under the key InjectleTests.replica.") == true)
        #expect(error?.description.contains("locator.register(.lazy { … }, for: .replica)") == true)
    }

    // MARK: The members for keys

    @Test func `A key takes the place of a type in each member`() async throws {
        locator.register(.volatile { (_, name: String) in LiveDatabase(name: name) }, for: .replica)
        #expect(try locator.resolve(.replica, arguments: "given").name == "given")
        #expect(
            try await locator.resolveAsync(.replica as ServiceKey<any Database>, arguments: "async").name == "async"
        )
        #expect(locator.isRegistered(.replica as ServiceKey<any Database>))
        locator.unregister(.replica as ServiceKey<any Database>)
        #expect(!locator.isRegistered(.replica as ServiceKey<any Database>))
        #expect(try locator.resolveOptional(.greeting) == nil)
        locator.register(.lazy { SystemClock() }, for: .clock)
        let first = try locator.resolve(.clock)
        try locator.resetInstance(of: .clock)
        #expect(try locator.resolve(.clock) !== first)
        locator.register(.eager("hello").contributing(to: .greeting))
        #expect(try locator.resolveAll(.greeting) == ["hello"])
    }

    @Test func `A modifier lists the identity of a key`() throws {
        locator.register(.lazy { LiveDatabase() }.as(ServiceKey<any Database>.replica).asSelf())
        #expect(try locator.resolve(.replica as ServiceKey<any Database>).name == "live")
        #expect(try locator.resolve(LiveDatabase.self).name == "live")
    }

    @Test func `A key determines the type of a property`() throws {
        locator.register(.lazy { LiveDatabase() }, for: .replica)
        let (holder, properties) = Locator.$shared.withValue(locator) { (Holder(), Properties()) }
        #expect(holder.replica().name == "live")
        #expect(holder.optional()?.name == "live")
        #expect(try holder.first() === locator.resolve(.clock))
        #expect(properties.database.name == "live")
        #expect(properties.greeting == nil)
    }

    @Test func `An initializer resolves parameters by keys`() throws {
        locator.register(.lazy { LiveDatabase() }, for: .replica)
        locator.register(.lazy { Archive() }, for: (any Database).self)
        locator.register(.initializer(Repository.init, keys: .replica, nil, .clock))
        let repository = try locator.resolve(Repository.self)
        #expect(repository.database.name == "live")
        #expect(repository.other.name == "archive")
        #expect(try repository.clock === locator.resolve(.clock))
    }

    @Test func `A parameter with a key is the nearest and latest service of its key, each time`() async throws {
        func expect(_ name: String, in locator: Locator) throws {
            for _ in 0..<3 { #expect(try locator.resolve(Substring.self) == name) }
        }
        locator.register(
            .initializer({ (database: any Database) in Substring(database.name) }, keys: .replica).lifetime(.volatile)
        )
        locator.register(.eager(LiveDatabase()), for: .replica)
        try expect("live", in: locator)
        let child = locator.child("request")
        try expect("live", in: child)
        child.register(.eager(Archive()), for: .replica)
        try expect("archive", in: child)
        try expect("live", in: locator)
        locator.register(.eager(LiveDatabase(name: "newer")), for: .replica)
        try expect("newer", in: locator)
        await child.close()
        #expect(throws: InjectleError.self) { try child.resolve(Substring.self) }
        locator.unregister((any Database).self, key: ServiceKey<any Database>.replica)
        #expect(throws: InjectleError.self) { try locator.resolve(Substring.self) }
    }

    @Test func `An async initializer awaits parameters with keys`() async throws {
        func make(_ database: any Database) async -> Archive { Archive() }
        locator.register(.lazy { () async -> any Database in LiveDatabase() }, for: .replica)
        locator.register(.initializer(make, keys: .replica))
        #expect(try await locator.resolveAsync(Archive.self).name == "archive")
    }

    @Test @MainActor func `An initializer with keys runs on its actor`() async throws {
        func make(_ database: any Database) -> SystemClock {
            MainActor.assertIsolated()
            return SystemClock()
        }
        locator.register(.initializer(.main, make, keys: .primary))
        _ = try await locator.resolveAsync(SystemClock.self)
        locator.register(.initializer(.anywhere, { (_: any Database) in "anywhere" }, keys: .primary))
        let text = await onAnotherThread { [locator] in try? locator.resolve(String.self) }
        #expect(text == "anywhere")
    }

    @Test func `A property is set to the service of a key`() throws {
        locator.register(.lazy { Archive() }, for: .replica)
        locator.register(.lazy { LiveDatabase() }, for: (any Database).self)
        locator.register(.lazy { SystemClock() })
        locator.register(.initializer(Repository.init).injecting(\.other, key: .replica))
        #expect(try locator.resolve(Repository.self).other.name == "archive")
    }

    // MARK: Defaults

    @Test func `A key with a default needs no registration`() throws {
        #expect(try locator.resolve(.primary).name == "live")
        #expect(try locator.resolveOptional(.primary)?.name == "live")
        #expect(try locator.resolve(.clock) === locator.resolve(.clock))
    }

    @Test func `A registration takes the place of a default`() throws {
        locator.register(.lazy { Archive() }, for: .primary)
        #expect(try locator.resolve(.primary).name == "archive")
        locator.unregister(.primary)
        #expect(try locator.resolve(.primary).name == "live")
        locator.register(.lazy { Archive() }, for: .primary)
        #expect(try locator.resolve(.primary).name == "archive")
    }

    @Test func `The root of a locator has the default`() throws {
        let child = locator.child("request")
        let clock = try child.resolve(.clock)
        #expect(try locator.resolve(.clock) === clock)
        #expect(child.registrations.isEmpty)
        #expect(locator.registrations.map(\.isCreated) == [true])
        #expect(try Locator("other").resolve(.clock) !== clock)
    }

    @Test func `A reset locator registers a default again`() throws {
        let first = try locator.resolve(.clock)
        locator.reset()
        #expect(try locator.resolve(.clock) !== first)
    }

    @Test func `A default resolves its dependencies in the root`() throws {
        #expect(thrown { try locator.resolve(.checked) } == .missing)
        locator.register(.lazy { SystemClock() })
        #expect(try locator.child().resolve(.checked).name == "checked")
    }

    @Test func `A default for a list and one with arguments are found`() throws {
        #expect(try locator.resolve(.numbers) == [1, 2])
        #expect(try locator.resolve(.page, arguments: 7) == "page 7")
        #expect(thrown { try locator.resolve(.page) } == .wrongArguments)
    }

    @Test func `A closed locator does not register a default`() async throws {
        let child = locator.child()
        await locator.close()
        #expect(thrown { try locator.resolve(.clock) } == .locatorClosed)
        #expect(thrown { try child.resolve(.clock) } == .locatorClosed)
    }

    @Test func `Many threads get one instance of a default`() {
        let before = creations.value
        let rounds = Stress.rounds(200)
        for _ in 0..<rounds {
            let locator = Locator()
            onThreads(4) { _ in _ = try? locator.child().resolve(.counted) }
            #expect(locator.registrations.count == 1)
        }
        #expect(creations.value - before == rounds)
    }
}
