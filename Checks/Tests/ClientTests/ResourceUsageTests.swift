// Registering and reading the value of a file. The same file is compiled in Swift 6, in Swift 5, and in a module whose
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

@Suite struct ResourceUsageTests {
    @Test func `The value of a file is registered and read`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("config.json", #"{ "port": 8080, "database": { "host": "localhost" } }"#)
        let locator = Locator("app")
        locator.register(.decoded(Config.self, from: file))
        #expect(try locator.resolve(Config.self).database.host == "localhost")
        locator.register(.decoded(SharedConfig.self, from: file), key: "shared")
        #expect(try locator.resolve(SharedConfig.self, key: "shared").port == 8080)
    }
}
