import Foundation
import Hummingbird
import HummingbirdTesting
import Injectle
import InjectleTesting
import Logging
import Testing

@testable import TodoKit

extension Trait where Self == Locator.TestTrait {
    /// Gives each test the services of the server, with a database of its own in a temporary folder.
    static var server: Self {
        .locator { locator in
            let folder = try TemporaryFolder()
            locator.register(.eager(folder).onDispose { try $0.remove() })
            try locator.apply(AppModule(settings: Settings(databasePath: folder.database), logger: .test))
        }
    }
}

extension Logger {
    /// Writes nothing. Hummingbird takes the id of a request from the metadata, which a no-op handler would drop.
    static var test: Logger { RecordedLog().logger }

    /// Makes each error in the log an issue of the test.
    static var failing: Logger { RecordedLog(failsTests: true).logger }
}

/// A folder that a test removes at its end.
struct TemporaryFolder: Sendable {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent("TodoServer-\(UUID())")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var database: String { url.appendingPathComponent("todos.sqlite").path }

    func remove() throws {
        try FileManager.default.removeItem(at: url)
    }
}

/// Runs the server of the test's locator, and passes a client.
///
/// - Parameter logger: The log of the requests. By default, each error in it is an issue of the test.
func withServer<Value>(
    _ setup: TestingSetup = .router,
    logger: Logger = .failing,
    configure: (Router<BasicRequestContext>) -> Void = { _ in },
    _ body: @Sendable (any TestClientProtocol) async throws -> Value
) async throws -> Value {
    try await Locator.shared.start(timeout: .seconds(30))
    let router = try buildRouter(server: .shared)
    configure(router)
    return try await Application(router: router, logger: logger).test(setup, body)
}

extension TestClientProtocol {
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        user: String? = "ada",
        _ body: some Encodable = String?.none
    ) async throws -> TestResponse {
        let data = try JSONEncoder().encode(body)
        return try await executeRequest(
            uri: path,
            method: method,
            headers: user.map { [.authorization: "Bearer \($0)"] } ?? [:],
            body: data == Data("null".utf8) ? nil : ByteBuffer(data: data)
        )
    }

    /// Creates a todo and returns it.
    func create(_ title: String, user: String = "ada") async throws -> Todo {
        let response = try await send(.post, "/todos", user: user, NewTodo(title: title))
        #expect(response.status == .created)
        return try response.decode(Todo.self)
    }

    func todos(user: String = "ada") async throws -> [Todo] {
        let response = try await send(.get, "/todos", user: user)
        #expect(response.status == .ok)
        return try response.decode([Todo].self)
    }
}

extension TestResponse {
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(buffer: body))
    }

    var text: String { String(buffer: body) }
}

/// A client with one connection to a server.
struct LiveClient {
    private let client: TestClient

    init(port: Int) {
        client = TestClient(host: "127.0.0.1", port: port, configuration: .init(timeout: .seconds(20)))
        client.connect()
    }

    func post(_ path: String, _ body: some Encodable = String?.none) async throws -> HTTPResponse.Status {
        let data = try JSONEncoder().encode(body)
        return try await client.post(path, headers: [.authorization: "Bearer ada"], body: ByteBuffer(data: data)).status
    }

    func close() async throws { try await client.shutdown() }
}
