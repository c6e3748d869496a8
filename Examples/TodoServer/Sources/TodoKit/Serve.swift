import Hummingbird
import Injectle
import InjectleDiagnostics
import Logging

/// Validates the registrations, and runs the server until SIGTERM or SIGINT.
///
/// - Parameters:
///   - server: The locator with the services of an ``AppModule``. `run` closes it.
///   - address: The address to listen on.
package func serve(_ server: Locator, at address: BindAddress) async throws {
    // Throws if a service depends on one that it cannot find, also if a singleton needs a value of a request: `given` are the
    // services of `RequestValues`. It creates no service, so nothing has to be closed then.
    try server.check(as: requestScope, given: User.self, RequestID.self)
    // Creates the async and `.atStart()` services, and throws if that takes more than ten seconds. Runs the closure. However
    // that ends, it waits for children that are still open, as one that a detached task has opened, for a `gracePeriod` of
    // 30 seconds by default. Then it closes them, stops the background services, and disposes of its services.
    try await server.run(timeout: .seconds(10)) {
        let app = Application(
            router: try buildRouter(server: server),
            configuration: ApplicationConfiguration(address: address),
            logger: try server.resolve(Logger.self)
        )
        // Ends after SIGTERM or SIGINT, once the last request has been answered. If a background service fails, `run` cancels
        // this task, and with it the requests in progress, and throws the service's error.
        try await app.runService()
    }
}
