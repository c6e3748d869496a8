import Hummingbird
import Injectle
import Logging

/// Runs the server until SIGTERM or SIGINT.
package func serve(_ locator: Locator, at address: BindAddress) async throws {
    try await locator.start(timeout: .seconds(10))
    let app = Application(
        router: try buildRouter(server: locator),
        configuration: ApplicationConfiguration(address: address),
        logger: try locator.resolve()
    )
    try await app.runService()
    for error in await locator.close() { print(error) }
}
