import Hummingbird
import Injectle
import Logging

/// Validates the registrations, and runs the server until SIGTERM or SIGINT.
///
/// - Parameters:
///   - server: A locator with the services of an ``AppModule``. It is closed afterwards.
///   - address: The address to listen on.
package func serve(_ server: Locator, at address: BindAddress) async throws {
    // Throws if a service of a request depends on one that is not registered. It creates no service.
    try server.check(as: requestScope, given: User.self, RequestID.self)
    // Creates the async and `.atStart()` services, runs the closure, waits for the locators of requests, and closes.
    try await server.run(timeout: .seconds(10)) {
        let app = Application(
            router: try buildRouter(server: server),
            configuration: ApplicationConfiguration(address: address),
            logger: try server.resolve()
        )
        // Returns once the last request has been answered.
        try await app.runService()
    }
}
