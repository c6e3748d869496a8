// Registering and reading values of a file. The same file is compiled in Swift 6, in Swift 5, and in a module whose
// default isolation is the main actor.

import Injectle
import InjectleTestSupport
import Testing

struct Config: Decodable {
    let port: Int
    let database: Database
}

struct Database: Decodable {
    let host: String
}

/// A Sendable configuration.
nonisolated struct SharedConfig: Decodable, Sendable {
    let port: Int
}

final class ConfiguredServer {
    @Inject("port") var port: Int
}

@Suite struct ResourceUsageTests {
    @Test func `Values of a file are registered and read`() throws {
        let folder = try TemporaryFolder()
        let defaults = try folder.file("defaults.json", #"{ "port": 8080, "database": { "host": "localhost" } }"#)
        let environment = try folder.file("environment.json", #"{ "port": 80 }"#)
        let locator = Locator("app")
        let handle = try locator.register(values: Config.self, from: defaults, environment)
        #expect(try locator.resolve(Config.self).port == 80)
        #expect(try locator.resolve(Database.self, key: "database").host == "localhost")
        Locator.$shared.withValue(locator) {
            #expect(ConfiguredServer().port == 80)
        }
        handle.remove()
        #expect(locator.registrations.isEmpty)
        try locator.register(values: SharedConfig.self, from: environment)
        #expect(try locator.resolve(SharedConfig.self).port == 80)
    }

    @Test func `A typed error is caught by its code`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("app.json", #"{ "port": "eighty" }"#)
        do {
            try Locator().register(values: SharedConfig.self, from: file)
            Issue.record("A string was decoded as a number.")
        } catch {
            #expect(error.code == .unreadableResource)
        }
    }
}
