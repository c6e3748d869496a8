import Hummingbird
import Injectle

/// Gives each request a locator of its own, a child of the server's, and commits its changes.
struct RequestMiddleware<Context: RequestContext>: RouterMiddleware {
    let server: Locator

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let values = try RequestValues(request, context)
        // While the closure runs, the child is `Locator.shared`. Afterwards it is closed, also if the closure throws.
        return try await server.withChild(requestScope, values.register) { child in
            let response = try await next(request, context)
            // A handler that throws does not get here, so its changes are dropped.
            try await child.resolve(UnitOfWork.self).commit()
            return response
        }
    }
}
