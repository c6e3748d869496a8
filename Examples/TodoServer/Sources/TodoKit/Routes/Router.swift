import Hummingbird
import Injectle

/// Builds the router of the server.
///
/// - Parameter server: The locator with the services of an ``AppModule``.
package func buildRouter(server: Locator) throws -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ResponseLogMiddleware())
    addTodoRoutes(to: router.group("todos").add(middleware: RequestMiddleware(server: server)))
    addExportRoute(to: router, server: server)
    addCountRoute(to: router, server: server)
    if try server.resolve(Settings.self).servesGraph { addDebugRoute(to: router, server: server) }
    return router
}
