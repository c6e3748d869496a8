import Hummingbird
import Injectle
import InjectleDiagnostics
import Logging

/// Validates the registrations, and runs the server until SIGTERM or SIGINT.
///
/// - Parameters:
///   - server: The locator with the services of an ``AppModule``. It is closed at the end.
///   - address: The address to listen on.
package func serve(_ server: Locator, at address: BindAddress) async throws {
    // Throws if a service depends on one that it cannot find, also if a singleton needs a value of a request: `given` are the
    // services of `RequestValues`. It creates no service, so nothing has to be closed then.
    try server.check(as: requestScope, given: User.self, RequestID.self)
    try await runServer(server) {
        let app = Application(
            router: try buildRouter(server: server),
            configuration: ApplicationConfiguration(address: address),
            logger: try server.resolve(Logger.self)
        )
        // Ends after SIGTERM or SIGINT, once the last request has been answered. If the purge fails, the task is cancelled,
        // and with it the requests in progress.
        try await app.runService()
    }
}

/// Starts the services, runs the purge beside a closure, and closes the locator.
///
/// - Parameters:
///   - server: The locator with the services of an ``AppModule``.
///   - body: The program, which is cancelled if the purge fails.
/// - Throws: The error of the start, of the purge or of `body`.
package func runServer(_ server: Locator, _ body: @escaping @Sendable () async throws -> Void) async throws {
    let result: Result<Void, any Error>
    do {
        // Creates the async and `.atStart()` services, and throws if that takes more than ten seconds.
        try await server.start(timeout: .seconds(10))
        let purge = try server.resolve(Purge.self)
        // The group awaits both, so the purge ends before the database, on which it depends, is closed.
        result = .success(
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await purge.run() }
                group.addTask(operation: body)
                defer { group.cancelAll() }
                try await group.next()
            }
        )
    } catch {
        result = .failure(error)
    }
    // Disposes of the services, also of children that a detached task has left open. A behavior reports the errors.
    await server.close()
    try result.get()
}
