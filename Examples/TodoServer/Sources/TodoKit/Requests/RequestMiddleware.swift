import Hummingbird
import Injectle

/// Gives each request a locator of its own, a child of the server's, and commits its changes unless the handler throws.
struct RequestMiddleware<Context: RequestContext>: RouterMiddleware {
    let server: Locator

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let values = try RequestValues(request, context)
        // While the closure runs, the child is `Locator.shared` in this task and its child tasks. Afterwards it is closed, also
        // if the closure throws or the task is cancelled. A streamed body is written later: see `addExportRoute`.
        return try await server.withChild(requestScope, values.register) { child in
            let response = try await next(request, context)
            // A handler that throws does not get here, so its changes are dropped. If the commit throws, so are they, and the
            // client receives an error instead of the response.
            try await child.resolve(UnitOfWork.self).commit()
            return response
        }
    }
}
