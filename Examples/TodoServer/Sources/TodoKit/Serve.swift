import Hummingbird
import Injectle
import Logging

/// Validates the registrations, and runs the server until SIGTERM or SIGINT.
///
/// - Parameters:
///   - server: The locator with the services of an ``AppModule``. `run` closes it.
///   - address: The address to listen on.
package func serve(_ server: Locator, at address: BindAddress) async throws {
    // Throws if a service, of a request or not, depends on one that is not registered. It creates no service, so nothing has
    // to be closed then.
    try server.check(as: requestScope, given: User.self, RequestID.self)
    // Creates the async and `.atStart()` services, and throws if that takes more than ten seconds. Runs the closure. Then it
    // waits, for 30 seconds at most, for the locators of requests that are still open, as for a streamed body. It closes the
    // services that it has created in any case.
    try await server.run(timeout: .seconds(10)) {
        let app = Application(
            router: try buildRouter(server: server),
            configuration: ApplicationConfiguration(address: address),
            logger: try server.resolve()
        )
        // Ends after SIGTERM or SIGINT, or when a background service fails, once the last request has been answered.
        try await app.runService()
    }
}
