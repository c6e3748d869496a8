import Hummingbird
import Injectle

/// Gives each request a locator of its own, a child of the server's, and commits its changes unless `next` throws.
struct RequestMiddleware<Context: RequestContext>: RouterMiddleware {
    let server: Locator

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let values = try RequestValues(request, context)
        // While the closure runs, the child is `Locator.shared` in this task and its child tasks. Then it is closed,
        // also after an error or a cancellation. Errors of the close are not thrown: `FailedDisposalMetrics` counts
        // them. A streamed body is written later: `addExportRoute`.
        return try await server.withChild(requestScope, values.register) { child in
            let response = try await next(request, context)
            // A handler that throws does not get here, so its changes are dropped. If the commit throws, so are they,
            // and the client receives an error instead of the response.
            try await child.resolve(UnitOfWork.self).commit()
            return response
        }
    }
}
