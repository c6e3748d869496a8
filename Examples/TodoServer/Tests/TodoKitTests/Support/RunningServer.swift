import Hummingbird
import Injectle
import Logging
import ServiceLifecycle

@testable import TodoKit

/// Calls a closure with a server's locator and its log.
func withLocator(
    database: String? = nil,
    gracePeriod: Duration = .seconds(5),
    _ register: (Locator) -> Void = { _ in },
    _ body: (Locator, RecordedLog) async throws -> Void
) async throws {
    let folder = try TemporaryFolder()
    let (locator, log) = (Locator("server"), RecordedLog())
    let settings = Settings(databasePath: database ?? folder.database, gracePeriod: gracePeriod)
    try locator.apply(AppModule(settings: settings, logger: log.logger))
    register(locator)
    try await body(locator, log)
    try folder.remove()
}

/// Runs the server until a closure returns, and then ends it as a signal does.
///
/// - Parameter body: Called with the port and the group once the server listens.
func runServer(
    _ locator: Locator,
    _ log: RecordedLog,
    addRoutes: @escaping @Sendable (Router<BasicRequestContext>) -> Void = { _ in },
    _ body: @escaping @Sendable (_ port: Int, ServiceGroup) async throws -> Void
) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var service = TodoService(locator, at: .hostname("127.0.0.1", port: 0))
    service.addRoutes = addRoutes
    service.onRunning = { port.yield($0) }
    let group = ServiceGroup(services: [service], logger: log.logger)
    let use = Task {
        for await port in ports.prefix(1) {
            let result = await Result { try await body(port, group) }
            await group.triggerGracefulShutdown()
            try result.get()
        }
    }
    let result = await Result { try await group.run() }
    if case .failure = result { use.cancel() }
    let used = await use.result
    try result.get()
    try used.get()
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
