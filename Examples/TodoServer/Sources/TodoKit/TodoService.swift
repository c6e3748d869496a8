import Hummingbird
import Injectle
import InjectleDiagnostics
import Logging
import ServiceLifecycle

/// The server from its start to its end, as one service.
package struct TodoService: Service {
    private let server: Locator
    private let address: BindAddress
    /// Adds routes to the router of the server.
    var addRoutes: @Sendable (Router<BasicRequestContext>) -> Void = { _ in }
    /// Called with the port once the server listens.
    var onRunning: @Sendable (Int) async -> Void = { _ in }

    /// - Parameters:
    ///   - server: The locator with the services of an ``AppModule``. It is closed at the end.
    ///   - address: The address to listen on.
    package init(_ server: Locator, at address: BindAddress) {
        (self.server, self.address) = (server, address)
    }

    /// Validates the registrations, and runs the server until SIGTERM or SIGINT.
    ///
    /// - Throws: The fault of the registrations, or the error of the start, of a service or of an `onDispose` hook.
    package func runUntilSignal() async throws {
        // Throws if a service depends on one that it cannot find, also if a singleton needs a value of a request:
        // `given` are the services of `RequestValues`. It creates no service, so nothing has to be closed then.
        try server.check(as: requestScope, given: User.self, RequestID.self)
        // This group handles the signals from now on, also during the start and the close of the locator.
        try await ServiceGroup(
            services: [self],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: server.resolve()
        ).run()
    }

    package func run() async throws {
        // Creates the async and `.atStart()` services, and disposes of all services at the end, also after an error. So
        // the purge and the requests have ended before the database is closed.
        let gracePeriod = try server.resolve(Settings.self).gracePeriod
        try await server.run(timeout: .seconds(10), gracePeriod: gracePeriod) {
            let router = try buildRouter(server: server)
            addRoutes(router)
            let app = Application(
                router: router,
                configuration: ApplicationConfiguration(address: address),
                onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? 0) },
                logger: try server.resolve()
            )
            // After a signal, the last service ends first: the application, once the last request has been answered. If
            // the purge throws, the group cancels the application, and with it the requests in progress.
            var group = ServiceGroupConfiguration(
                services: [try server.resolve(Purge.self), app],
                logger: try server.resolve()
            )
            // Then it cancels the requests that still run.
            group.maximumGracefulShutdownDuration = gracePeriod
            try await ServiceGroup(configuration: group).run()
        }
    }
}
