import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Settings: Decodable, Sendable {
    let port: Int
    var ratio = 0.5
    var database: Database?
}

private struct Database: Decodable, Sendable {
    let host: String
    var hosts: [Host]?
    var level: Level?
}

private struct Host: Decodable, Sendable {
    let port: Int
}

private enum Level: String, Decodable, Sendable {
    case low, high
}

private struct Limited: Decodable, Sendable {
    let size: Int

    private enum CodingKeys: String, CodingKey {
        case size = "max_size"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Int.self, forKey: .size)
        if size > 1000 {
            throw DecodingError.dataCorruptedError(forKey: .size, in: container, debugDescription: "1000 is the most")
        }
    }
}

private struct Refusing: Decodable, Sendable {
    struct Refusal: Error, CustomStringConvertible {
        let description = "it is too late for that"
    }
    init(from decoder: any Decoder) throws { throw Refusal() }
}

/// Errors of resource files. A faulty file registers nothing.
@Suite struct ResourceErrorTests {
    private let locator = Locator("app")
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Returns the text of an error without line numbers of this file and the folder.
    private func text(_ body: () throws -> Void) -> String {
        let error = #expect(throws: InjectleError.self) { try body() }
        guard let error else { return "" }
        #expect(error.code == .unreadableResource)
        return error.description.replacing(/Tests\.swift:\d+/, with: "Tests.swift:0")
            .replacing(folder.url.path, with: "/etc")
    }

    /// Returns the error text of registering settings from JSON.
    private func text(ofSettings json: String) throws -> String {
        let file = try folder.file("app.json", json)
        let text = text { try locator.register(values: Settings.self, from: file) }
        #expect(locator.registrations.isEmpty)
        return text
    }

    @Test func `A value of another type is reported with its path`() throws {
        let json =
            #"{ "port": 1, "ratio": 1, "database": { "host": "a", "hosts": [{ "port": 1 }, { "port": "secret" }] } }"#
        let text = try text(ofSettings: json)
        #expect(
            text == """
                InjectleTests.Settings cannot be read: database.hosts[1].port is a string in app.json, and not Int.
                  requested by  register in InjectleTests/ResourceErrorTests.swift:0
                  file          /etc/app.json
                  at            database.hosts[1].port
                  expected      Int
                  found         a string
                  fix           write a value of the type Int there, or declare it as String
                """
        )
    }

    @Test func `A fraction for an Int is reported`() throws {
        let top = try text(ofSettings: #"{ "port": 1.5, "ratio": 1 }"#)
        #expect(top.contains("port is the number 1.5 in app.json, and not Int."))
        let deep = try text(
            ofSettings: #"{ "port": 1, "ratio": 1, "database": { "host": "a", "hosts": [{ "port": 2.5 }] } }"#
        )
        #expect(
            deep.contains("at            database.hosts[0].port\n  expected      Int\n  found         the number 2.5")
        )
        let list = try folder.propertyList("app.plist", "<dict><key>port</key><real>1.5</real></dict>")
        let text = text { try locator.register(values: Host.self, from: list) }
        #expect(text.contains("at            port\n  expected      Int\n  found         the number 1.5"))
    }

    @Test func `The kind of a mistaken value is reported`() throws {
        let found = { (value: String) in
            let text = try self.text(ofSettings: #"{ "ratio": 1, "port": \#(value) }"#)
            return text.firstMatch(of: /found +(.*)/).map { String($0.1) }
        }
        #expect(try found("true") == "a Bool")
        #expect(try found("null") == "null")
        #expect(try found("[]") == "an array")
        #expect(try found("{}") == "an object")
        #expect(try found("99999999999999999999") == "the number 99999999999999999999")
        let database = try text(ofSettings: #"{ "port": 1, "ratio": 1, "database": 5 }"#)
        #expect(database.contains("expected      InjectleTests.Database\n  found         the number 5"))
    }

    @Test func `The fix names a matching declaration`() throws {
        let declared = { (value: String) in
            let text = try self.text(ofSettings: #"{ "ratio": 1, "port": \#(value) }"#)
            return text.firstMatch(of: /declare it as (.*)/).map { String($0.1) }
        }
        #expect(try declared("1.5") == "Double")
        #expect(try declared("true") == "Bool")
        #expect(try declared("null") == "an optional")
        #expect(try declared("[1]") == "an array")
        #expect(try declared("{}") == "a type with properties")
        let ratio = try text(ofSettings: #"{ "port": 1, "ratio": "1" }"#)
        #expect(ratio.contains("fix           write a value of the type Double there, or declare it as String"))
    }

    @Test func `A date error names the expected representation`() throws {
        let file = try folder.file("days.json", #"{ "first": "2026-11-21" }"#)
        let text = text { try locator.register(values: [String: Date].self, from: file) }
        #expect(
            text.firstMatch(of: /expected +Double, from which \w+\.Date is created\n  found         a string/) != nil
        )
    }

    @Test func `A missing value is reported`() throws {
        #expect(
            try text(ofSettings: #"{ "port": 1, "ratio": 1, "database": { "hosts": [] } }"#) == """
                InjectleTests.Settings cannot be read: database.host is missing in app.json.
                  requested by  register in InjectleTests/ResourceErrorTests.swift:0
                  file          /etc/app.json
                  at            database.host
                  expected      String
                  found         nothing
                  fix           add database.host to app.json, or make the property an optional one
                """
        )
    }

    @Test func `The error names the faulty file among several`() throws {
        let defaults = try folder.file(
            "defaults.json",
            #"{ "port": 1, "ratio": 1, "database": { "host": "a", "level": "low" } }"#
        )
        let environment = try folder.file("environment.json", #"{ "database": { "host": 5 } }"#)
        let mistaken = text { try locator.register(values: Settings.self, from: defaults, environment) }
        #expect(mistaken.contains("database.host is the number 5 in environment.json"))
        #expect(mistaken.contains("file          /etc/environment.json\n  at "))
        let remover = try folder.file("remover.json", #"{ "port": null }"#)
        let removed = text { try locator.register(values: Settings.self, from: defaults, remover) }
        #expect(removed.contains("port is missing in defaults.json and remover.json."))
        #expect(removed.contains("found         null in remover.json, which takes it away"))
        #expect(removed.contains("file          /etc/defaults.json\n  and           /etc/remover.json"))
    }

    @Test func `The error contains the reason that a type gives`() throws {
        let level = try text(ofSettings: #"{ "port": 1, "ratio": 1, "database": { "host": "a", "level": "loud" } }"#)
        #expect(
            level.contains(
                "at            database.level\n  expected      InjectleTests.Level\n  found         a string\n  note"
            )
        )
        let large = try folder.file("large.json", #"{ "max_size": 2000 }"#)
        let size = text { try locator.register(values: Limited.self, from: large) }
        #expect(size.contains("max_size is the number 2000 in large.json"))
        #expect(size.contains("note          1000 is the most\n  fix           write a value there that is accepted"))
        let late = try folder.file("late.json", "{}")
        let error = #expect(throws: InjectleError.self) { try locator.register(values: Refusing.self, from: late) }
        #expect(error?.description.contains("Refusing cannot be read: it is too late for that.") == true)
        #expect(error?.underlying is Refusing.Refusal)
    }

    @Test func `A missing file is reported`() throws {
        let nowhere = folder.url.appendingPathComponent("nowhere.json")
        #expect(
            text { try locator.register(values: Settings.self, from: nowhere) } == """
                InjectleTests.Settings cannot be read: there is no nowhere.json.
                  requested by  register in InjectleTests/ResourceErrorTests.swift:0
                  file          /etc/nowhere.json
                  fix           put a readable file there, or pass the URL of an existing one
                """
        )
        let directory = folder.url.appendingPathComponent("directory.json")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let text = text { try locator.register(values: Settings.self, from: directory) }
        #expect(text.contains("directory.json cannot be opened."))
    }

    @Test func `A syntax error is reported with its line`() throws {
        let json = try text(ofSettings: "{\n    \"port\": 1,\n    ratio: 1\n}")
        #expect(json.contains("app.json is not well-formed JSON."))
        #expect(json.contains("line 3, column 5"))
        let list = try folder.propertyList("app.plist", "\n<dict>\n<key>port</key></dict>")
        #expect(text { try locator.register(values: Host.self, from: list) }.contains("line 3"))
        #expect(try text(ofSettings: "").contains("app.json is not well-formed JSON."))
    }

    @Test func `A top level without properties is reported`() throws {
        #expect(try text(ofSettings: "[1, 2]").contains("the top level of app.json is an array"))
        #expect(try text(ofSettings: "5").contains("found         the number 5"))
    }

    @Test func `An unknown or mixed format is reported`() throws {
        let json = try folder.file("app.json", #"{ "port": 1 }"#)
        let other = try folder.file("app.yaml", "port: 1")
        let list = try folder.propertyList("app.plist", "<dict/>")
        let unknown = text { try locator.register(values: Host.self, from: json, other) }
        #expect(unknown.contains("fix           pass `format: .json` or `format: .propertyList`"))
        let mixed = text { try locator.register(values: Host.self, from: json, list) }
        #expect(mixed.contains("app.json and app.plist are of different formats."))
        let remote = try #require(URL(string: "https://example.com/app.json"))
        #expect(text { try locator.register(values: Host.self, from: remote) }.contains("the scheme https"))
    }

    @Test func `Error texts never contain the contents of a file`() throws {
        let texts = [
            try text(ofSettings: #"{ "port": "sesame", "password": "sesame", "ratio": 1 }"#),
            try text(ofSettings: #"{ "port": 1.5, "password": "sesame", "ratio": 1 }"#),
            try text(ofSettings: #"{ "password": "sesame", "ratio": 1 }"#),
            try text(ofSettings: #"{ "password": "sesame" "ratio": 1 }"#),
            try text(ofSettings: #"["sesame"]"#),
        ]
        #expect(texts.allSatisfy { !$0.isEmpty && !$0.contains("sesame") })
    }

    @Test func `The error carries the type and the underlying error`() throws {
        let file = try folder.file("app.json", #"{ "port": "1" }"#)
        let error = #expect(throws: InjectleError.self) { try locator.register(values: Host.self, from: file) }
        #expect(error?.identity == Locator.Identity(Host.self))
        #expect(error?.underlying is DecodingError)
    }
}
