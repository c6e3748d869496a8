import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Settings: Decodable, Sendable, Equatable {
    let port: Int
    var title: String?
}

private final class Session: Decodable {
    let name: String
}

/// Services that are decoded from a file.
struct DecodedTests {
    private let locator = Locator("app")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: ["app.json", "app.conf"]) func `A file is JSON`(name: String) throws {
        locator.register(.decoded(Settings.self, from: try folder.file(name, #"{ "port": 8080, "title": "App" }"#)))
        #expect(try locator.resolve(Settings.self) == Settings(port: 8080, title: "App"))
    }

    @Test(arguments: ["app.plist", "app.PLIST"])
    func `A file is a property list by its extension`(name: String) throws {
        let file = try folder.propertyList(name, "<dict><key>port</key><integer>80</integer></dict>")
        locator.register(.decoded(Settings.self, from: file))
        #expect(try locator.resolve(Settings.self) == Settings(port: 80))
    }

    @Test func `The value is decoded once, on first use`() throws {
        let file = folder.url.appendingPathComponent("app.json")
        locator.register(.decoded(Session.self, from: file))
        #expect(locator.registrations.map(\.lifetime) == [.lazy])
        _ = try folder.file("app.json", #"{ "name": "Ada" }"#)
        let session = try locator.resolve(Session.self)
        #expect(session.name == "Ada")
        try FileManager.default.removeItem(at: file)
        #expect(try locator.resolve(Session.self) === session)
    }

    @Test func `Modifiers apply to it`() throws {
        let file = try folder.file("app.json", #"{ "port": 1 }"#)
        locator.register(.decoded(Settings.self, from: file).lifetime(.perLocator).final(), key: "a")
        #expect(try locator.child().resolve(Settings.self, key: "a").port == 1)
    }

    @Test(arguments: [("{", "app.json"), (#"{ "port": "eighty" }"#, "app.json"), ("{}", "app.json"), ("", "app.plist")])
    func `A file that does not fit the type is named`(text: String, name: String) throws {
        let file = try folder.file(name, text)
        locator.register(.decoded(Settings.self, from: file))
        let error = try #require(throws: InjectleError.self) { try locator.resolve(Settings.self) }
        #expect(error == .factoryFailed)
        #expect(error.underlying is DecodingError)
        #expect(error.description.contains("  file          \(file.path)\n"), "\(error)")
        #expect(!error.description.contains("eighty"))
    }

    @Test func `A file can be put in place after a failure`() throws {
        let file = folder.url.appendingPathComponent("none.json")
        locator.register(.decoded(Settings.self, from: file))
        let error = try #require(throws: InjectleError.self) { try locator.resolve(Settings.self) }
        #expect(error == .factoryFailed)
        #expect((error.underlying as? CocoaError)?.code == .fileReadNoSuchFile)
        #expect(error.description.contains(file.path))
        _ = try folder.file("none.json", #"{ "port": 1 }"#)
        #expect(try locator.resolve(Settings.self).port == 1)
    }
}
