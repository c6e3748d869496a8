import Injectle
import InjectleTestSupport
import Testing

private protocol Database: Sendable { var name: String { get } }
private struct LiveDatabase: Database { var name = "live" }
private struct Archive: Database { let name = "archive" }
private final class SystemClock: Sendable {}

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
    let second = Injected<SystemClock>("clock", resolve: .lazy)
}
private struct Properties {
    @Inject(.primary) var database
    @Optject(.greeting) var greeting
    @Injected(.clock, resolve: .lazy) var clock
}

@Suite struct ServiceKeyTests {
    private let locator = Locator("app")

    // MARK: Identity

    @Test func `A modifier takes a key`() throws {
        let locator = Locator()
        locator.register(.lazy { Archive() }.as(.replica as ServiceKey<any Database>).asSelf())
        #expect(try locator.resolve(.replica as ServiceKey<any Database>).name == "archive")
        #expect(locator.isRegistered(Archive.self))
    }

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

    @Test func `A text names the module and the name of a key`() throws {
        let key = ServiceKey<any Database>.replica
        #expect(key.name == "replica")
        #expect("\(key)" == "InjectleTests.replica")
        let error = thrown { try locator.resolve(key) }
        #expect(error?.description.contains("Database under the key InjectleTests.replica.") == true)
        #expect(error?.description.contains("locator.register(.lazy { … }, for: .replica)") == true)
    }

    // MARK: A key like any other

    @Test func `A key takes arguments`() async throws {
        locator.register(.volatile { (_, name: String) in LiveDatabase(name: name) }, for: .replica)
        #expect(try locator.resolve(.replica, arguments: "given").name == "given")
        #expect(
            try await locator.resolveAsync(.replica as ServiceKey<any Database>, arguments: "async").name == "async"
        )
    }

    @Test func `A key is the key of each member that takes any`() async throws {
        let key = ServiceKey<any Database>.replica
        locator.register(.lazy { LiveDatabase() }, for: key)
        #expect(locator.isRegistered((any Database).self, key: key))
        #expect(try locator.resolve((any Database).self, key: key).name == "live")
        #expect(try locator.resolve(key: key) as any Database as? LiveDatabase != nil)
        #expect(try await locator.resolveAsync((any Database).self, key: key).name == "live")
        #expect(try locator.resolveOptional((any Database).self, key: key)?.name == "live")
        #expect(locator.registerIfAbsent(.lazy { Archive() }, for: (any Database).self, key: key) == nil)
        locator.decorate((any Database).self, key: key) { LiveDatabase(name: "decorated \($0.name)") }
        #expect(try locator.resolve(key).name == "decorated live")
        locator.unregister((any Database).self, key: key)
        #expect(!locator.isRegistered((any Database).self, key: key))
        locator.register(.eager("hello").contributing(to: String.self, key: ServiceKey<String>.greeting))
        #expect(try locator.resolveAll(String.self, key: ServiceKey<String>.greeting) == ["hello"])
    }

    @Test func `A key determines the type of a property`() throws {
        locator.register(.lazy { LiveDatabase() }, for: .replica)
        let (holder, properties) = Locator.$shared.withValue(locator) { (Holder(), Properties()) }
        #expect(holder.replica().name == "live")
        #expect(holder.optional()?.name == "live")
        #expect(try holder.first() === locator.resolve(.clock))
        #expect(try properties.clock === locator.resolve(.clock))
        let second = SystemClock()
        locator.register(.eager(second), key: "clock")
        #expect(holder.second() === second)
        #expect(properties.database.name == "live")
        #expect(properties.greeting == nil)
    }

    // MARK: Defaults

    @Test func `A key with a default needs no registration`() throws {
        #expect(try locator.resolve(.primary).name == "live")
        let key = ServiceKey<any Database>.primary
        #expect(try locator.resolveOptional((any Database).self, key: key)?.name == "live")
        #expect(try locator.resolve(.clock) === locator.resolve(.clock))
    }

    @Test func `A registration takes the place of a default`() throws {
        locator.register(.lazy { Archive() }, for: .primary)
        #expect(try locator.resolve(.primary).name == "archive")
        locator.unregister((any Database).self, key: ServiceKey<any Database>.primary)
        #expect(try locator.resolve(.primary).name == "live")
        locator.register(.lazy { Archive() }, for: .primary)
        #expect(try locator.resolve(.primary).name == "archive")
    }

    @Test func `A default is found by its key without a typed call`() throws {
        let key = ServiceKey<SystemClock>.clock
        let clock = try locator.resolve(SystemClock.self, key: key)
        #expect(try locator.resolve(.clock) === clock)
        #expect(try Locator("other").resolveOptional(SystemClock.self, key: AnyHashable(key)) != nil)
        let (first, second) = (Locator("lazy"), Locator("provider"))
        #expect(try first.resolve(Locator.Lazy<SystemClock>.self, key: key)() === first.resolve(.clock))
        #expect(try second.resolve(Locator.Provider<SystemClock>.self, key: key)() === second.resolve(.clock))
        let property = Locator.$shared.withValue(locator) { Inject<SystemClock>(AnyHashable(key)) }
        #expect(property() === clock)
    }

    @Test func `The key of a default does not find a service of another type`() {
        #expect(thrown { try locator.resolve(Int.self, key: ServiceKey<SystemClock>.clock) } == .wrongType)
    }

    @Test func `A default leaves another identity that is registered`() throws {
        let key = ServiceKey<Archive>("taken", default: .lazy { Archive() }.as((any Database).self))
        locator.register(.lazy { LiveDatabase() }, for: (any Database).self)
        _ = try locator.resolve(key)
        #expect(try locator.resolve((any Database).self) is LiveDatabase)
    }

    @Test func `A default is decorated before its first use`() throws {
        locator.decorate((any Database).self, key: ServiceKey<any Database>.primary) {
            LiveDatabase(name: "decorated \($0.name)")
        }
        #expect(try locator.resolve(.primary).name == "decorated live")
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
