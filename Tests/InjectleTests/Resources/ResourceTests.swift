import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Settings: Decodable, Sendable, Equatable {
    let port: Int
    var ratio = 0.5
    var title: String?
    var isOpen: Bool?
    var tags: [String]?
    var database: Database?
}

private struct Database: Decodable, Sendable, Equatable {
    let host: String
    var hosts: [Host]?
    var level: Level?
}

private struct Host: Decodable, Sendable, Equatable {
    let port: Int
}

private enum Level: String, Decodable, Sendable {
    case low, high
}

/// Has its own coding keys, converted types and default values.
private struct Renamed: Decodable, Sendable {
    let size: Int
    let timeout: Duration
    let retries: Int
    let home: URL?

    private enum CodingKeys: String, CodingKey {
        case size = "max_size"
        case timeout, retries, home
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Int.self, forKey: .size)
        timeout = .seconds(try container.decode(Int.self, forKey: .timeout))
        retries = try container.decodeIfPresent(Int.self, forKey: .retries) ?? 3
        home = try container.decodeIfPresent(URL.self, forKey: .home)
    }
}

@propertyWrapper
private struct Clamped: Decodable, Sendable {
    let wrappedValue: Int

    init(from decoder: any Decoder) throws {
        wrappedValue = min(try decoder.singleValueContainer().decode(Int.self), 10)
    }
}

private struct Wrapped: Decodable, Sendable {
    @Clamped var speed: Int
}

private class Base: Decodable {
    let name: String
}

private final class Derived: Base {
    let age: Int

    private enum CodingKeys: CodingKey { case age }

    required init(from decoder: any Decoder) throws {
        age = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .age)
        try super.init(from: decoder)
    }
}

/// Hides its password from its mirror.
private struct Discreet: Decodable, Sendable, CustomReflectable {
    let password: String
    var customMirror: Mirror { Mirror(self, children: ["password": "hidden"]) }
}

/// Contains types that decoders treat specially.
private struct Everything: Decodable, Sendable {
    let small: Int8
    let large: UInt64
    let float: Float
    let price: Decimal
    let home: URL
    let day: Date
    let bytes: Data
    let numbers: [String: [Int64?]]
    let names: Set<String>
    let pairs: [Int: Bool]
    let level: Level
    let inner: Int

    private enum CodingKeys: CodingKey {
        case small, large, float, price, home, day, bytes, numbers, names, pairs, level, inner
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        small = try container.decode(Int8.self, forKey: .small)
        large = try container.decode(UInt64.self, forKey: .large)
        float = try container.decode(Float.self, forKey: .float)
        price = try container.decode(Decimal.self, forKey: .price)
        home = try container.decode(URL.self, forKey: .home)
        day = try container.decode(Date.self, forKey: .day)
        bytes = try container.decode(Data.self, forKey: .bytes)
        numbers = try container.decode([String: [Int64?]].self, forKey: .numbers)
        names = try container.decode(Set<String>.self, forKey: .names)
        pairs = try container.decode([Int: Bool].self, forKey: .pairs)
        level = try container.decode(Level.self, forKey: .level)
        var list = try container.nestedUnkeyedContainer(forKey: .inner)
        _ = try list.nestedContainer(keyedBy: CodingKeys.self)
        inner = try list.decode(Int.self)
    }
}

/// Registering values of files in one step.
@Suite struct ResourceTests {
    private let locator = Locator("app")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: Registered values

    @Test func `The value is registered by its type`() throws {
        let file = try folder.file("app.json", #"{ "port": 8080, "ratio": 0.25 }"#)
        try locator.register(values: Settings.self, from: file)
        #expect(try locator.resolve(Settings.self) == Settings(port: 8080, ratio: 0.25))
        #expect(locator.registrations.map(\.lifetime).allSatisfy { $0 == .eager })
    }

    @Test func `Each property is registered by name and type`() throws {
        let json = """
            {
                "port": 8080, "ratio": 1, "title": "App", "isOpen": true, "tags": ["a", "b"],
                "database": { "host": "localhost", "hosts": [{ "port": 1 }], "level": "high" }
            }
            """
        try locator.register(values: Settings.self, from: try folder.file("app.json", json))
        #expect(try locator.resolve(Int.self, key: "port") == 8080)
        #expect(try locator.resolve(Double.self, key: "ratio") == 1)
        #expect(try locator.resolve(String.self, key: "title") == "App")
        #expect(try locator.resolve(Bool.self, key: "isOpen"))
        #expect(try locator.resolve([String].self, key: "tags") == ["a", "b"])
        let database = Database(host: "localhost", hosts: [Host(port: 1)], level: .high)
        #expect(try locator.resolve(Database.self, key: "database") == database)
        #expect(locator.registrations.count == 7)
        #expect(!locator.isRegistered(String.self, key: "host"))
    }

    @Test func `Properties read values`() throws {
        final class Server {
            @Inject("port") var port: Int
            @Optject("title") var title: String?
        }
        try locator.register(values: Settings.self, from: try folder.file("app.json", #"{ "port": 80, "ratio": 1 }"#))
        Locator.$shared.withValue(locator) {
            #expect(Server().port == 80)
            #expect(Server().title == nil)
        }
    }

    @Test func `A property list is read as well`() throws {
        let file = try folder.propertyList(
            "app.PLIST",
            """
            <dict><key>port</key><integer>80</integer><key>ratio</key><real>0.5</real><key>isOpen</key><true/>
            <key>database</key><dict><key>host</key><string>local</string></dict></dict>
            """
        )
        try locator.register(values: Settings.self, from: file)
        #expect(try locator.resolve(Int.self, key: "port") == 80)
        #expect(try locator.resolve(Bool.self, key: "isOpen"))
        #expect(try locator.resolve(Database.self, key: "database") == Database(host: "local"))
    }

    @Test func `The format parameter overrides the file extension`() throws {
        let json = try folder.file("app.conf", #"{ "port": 80, "ratio": 1 }"#)
        try locator.register(values: Settings.self, from: json, format: .json)
        #expect(try locator.resolve(Int.self, key: "port") == 80)
        let list = try folder.propertyList("list.json", "<dict><key>port</key><integer>81</integer></dict>")
        try locator.register(values: Host.self, from: list, format: .propertyList)
        #expect(try locator.resolve(Int.self, key: "port") == 81)
    }

    @Test func `nil properties are not registered`() throws {
        try locator.register(
            values: Settings.self,
            from: try folder.file("app.json", #"{ "port": 1, "ratio": 1, "tags": null }"#)
        )
        #expect(locator.registrations.compactMap(\.identity.key) == ["port", "ratio"])
        #expect(try locator.resolveOptional(String.self, key: "title") == nil)
    }

    @Test func `The key is the coding key`() throws {
        try locator.register(
            values: Renamed.self,
            from: try folder.file("app.json", #"{ "max_size": 7, "timeout": 2 }"#)
        )
        #expect(try locator.resolve(Int.self, key: "max_size") == 7)
        #expect(!locator.isRegistered(Int.self, key: "size"))
        #expect(try locator.resolve(Duration.self, key: "timeout") == .seconds(2))
        #expect(try locator.resolve(Int.self, key: "retries") == 3)
        #expect(locator.registrations.count == 4)
    }

    @Test func `The wrapped value of a property wrapper is registered`() throws {
        try locator.register(values: Wrapped.self, from: try folder.file("app.json", #"{ "speed": 70 }"#))
        #expect(try locator.resolve(Int.self, key: "speed") == 10)
    }

    @Test func `Inherited properties are registered`() throws {
        try locator.register(values: Derived.self, from: try folder.file("app.json", #"{ "name": "Ada", "age": 36 }"#))
        #expect(try locator.resolve(String.self, key: "name") == "Ada")
        #expect(try locator.resolve(Int.self, key: "age") == 36)
        #expect(try locator.resolve(Derived.self).age == 36)
    }

    @Test func `Dictionary keys become service keys`() throws {
        try locator.register(values: [String: Int].self, from: try folder.file("app.json", #"{ "one": 1, "two": 2 }"#))
        #expect(try locator.resolve(Int.self, key: "two") == 2)
        #expect(try locator.resolve([String: Int].self).count == 2)
    }

    @Test func `The decoded value is registered despite a custom mirror`() throws {
        try locator.register(values: Discreet.self, from: try folder.file("app.json", #"{ "password": "1234" }"#))
        #expect(try locator.resolve(String.self, key: "password") == "1234")
    }

    @Test func `Every decodable type keeps its type`() throws {
        let json = """
            {
                "small": -1, "large": 18446744073709551615, "float": 0.5, "price": 19.99, "home": "https://example.com",
                "day": 0, "bytes": "AQI=", "numbers": { "a": [1, null] }, "names": ["a"], "pairs": { "1": true },
                "level": "high", "inner": [{}, 7]
            }
            """
        // Several files are merged and encoded again.
        let files = (try folder.file("a.json", json), try folder.file("b.json", "{}"))
        let (one, two) = (Locator("one"), Locator("two"))
        try one.register(values: Everything.self, from: files.0)
        try two.register(values: Everything.self, from: files.0, files.1)
        for locator in [one, two] {
            #expect(try locator.resolve(Int8.self, key: "small") == -1)
            #expect(try locator.resolve(UInt64.self, key: "large") == .max)
            #expect(try locator.resolve(Float.self, key: "float") == 0.5)
            #expect(try locator.resolve(Decimal.self, key: "price").description == "19.99")
            #expect(try locator.resolve(URL.self, key: "home").host == "example.com")
            #expect(try locator.resolve(Date.self, key: "day") == Date(timeIntervalSinceReferenceDate: 0))
            #expect(try locator.resolve(Data.self, key: "bytes") == Data([1, 2]))
            #expect(try locator.resolve([String: [Int64?]].self, key: "numbers") == ["a": [1, nil]])
            #expect(try locator.resolve(Set<String>.self, key: "names") == ["a"])
            #expect(try locator.resolve([Int: Bool].self, key: "pairs") == [1: true])
            #expect(try locator.resolve(Level.self, key: "level") == .high)
            #expect(try locator.resolve(Int.self, key: "inner") == 7)
        }
    }

    // MARK: Several files

    @Test func `A second file overrides single values`() throws {
        let defaults = try folder.file(
            "defaults.json",
            """
            { "port": 8080, "ratio": 0.1, "title": "App", "tags": ["a", "b"],
              "database": { "host": "localhost", "level": "low" } }
            """
        )
        let environment = try folder.file(
            "environment.json",
            #"{ "port": 80, "tags": ["c"], "database": { "level": "high" } }"#
        )
        let machine = try folder.file("machine.json", #"{ "port": 81 }"#)
        try locator.register(values: Settings.self, from: defaults, environment, machine)
        var expected = Settings(port: 81, ratio: 0.1, title: "App", tags: ["c"])
        expected.database = Database(host: "localhost", level: .high)
        #expect(try locator.resolve(Settings.self) == expected)
        #expect(try locator.resolve(Int.self, key: "port") == 81)
        #expect(try locator.resolve(Database.self, key: "database") == expected.database)
    }

    @Test func `null in a later file removes a value`() throws {
        let defaults = try folder.file(
            "defaults.json",
            #"{ "port": 1, "ratio": 1, "title": "App", "database": { "host": "a" } }"#
        )
        let environment = try folder.file("environment.json", #"{ "title": null, "database": null }"#)
        try locator.register(values: Settings.self, from: defaults, environment)
        #expect(try locator.resolve(Settings.self) == Settings(port: 1, ratio: 1))
        #expect(!locator.isRegistered(String.self, key: "title"))
    }

    @Test func `Property lists are merged`() throws {
        let defaults = try folder.propertyList(
            "defaults.plist",
            "<dict><key>port</key><integer>1</integer><key>ratio</key><real>1.5</real><key>isOpen</key><true/></dict>"
        )
        let environment = try folder.propertyList(
            "environment.plist",
            "<dict><key>port</key><integer>2</integer></dict>"
        )
        try locator.register(values: Settings.self, from: defaults, environment)
        #expect(try locator.resolve(Settings.self) == Settings(port: 2, ratio: 1.5, isOpen: true))
    }

    // MARK: One step

    @Test func `The handle removes all registered values and nothing else`() throws {
        locator.register(.eager("before"))
        let handle = try locator.register(
            values: Settings.self,
            from: folder.file("a.json", #"{ "port": 1, "ratio": 1 }"#)
        )
        locator.register(.eager("after"), key: "after")
        locator.register(.eager(2), key: "port")
        handle.remove()
        #expect(locator.registrations.map(\.identity.key) == [nil, "after", "port"])
        #expect(try locator.resolve(Int.self, key: "port") == 2)
        #expect(!locator.isRegistered(Settings.self))
    }

    @Test func `Reading again replaces the values`() throws {
        try locator.register(values: Settings.self, from: try folder.file("app.json", #"{ "port": 1, "ratio": 1 }"#))
        try locator.register(values: Settings.self, from: try folder.file("app.json", #"{ "port": 2, "ratio": 1 }"#))
        #expect(try locator.resolve(Settings.self).port == 2)
        #expect(try locator.resolve(Int.self, key: "port") == 2)
        #expect(locator.registrations.count == 3)
    }

    @Test func `A final registration prevents all values`() throws {
        locator.register(.eager(7).final(), key: "ratio")
        locator.register(.eager(0.5).final(), key: "ratio")
        let file = try folder.file("app.json", #"{ "port": 1, "ratio": 1 }"#)
        let error = #expect(throws: InjectleError.self) { try locator.register(values: Settings.self, from: file) }
        #expect(error?.code == .forbiddenReassignment)
        #expect(locator.registrations.count == 2)
    }

    @Test func `A faulty file leaves existing values`() throws {
        try locator.register(values: Settings.self, from: try folder.file("app.json", #"{ "port": 1, "ratio": 1 }"#))
        let wrong = try folder.file("app.json", #"{ "port": 2, "ratio": "1" }"#)
        #expect(throws: InjectleError.self) { try locator.register(values: Settings.self, from: wrong) }
        #expect(try locator.resolve(Settings.self).port == 1)
        #expect(try locator.resolve(Int.self, key: "port") == 1)
    }
}
