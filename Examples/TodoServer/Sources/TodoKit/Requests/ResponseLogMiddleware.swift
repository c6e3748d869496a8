import Hummingbird

/// Logs responses for debugging, and errors that are not HTTP responses themselves: Hummingbird answers them with status 500.
package struct ResponseLogMiddleware<Context: RequestContext>: RouterMiddleware {
    package init() {}

    package func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            let response = try await next(request, context)
            context.logger.debug("responded", metadata: ["status": "\(response.status.code)"])
            return response
        } catch let error where !(error is any HTTPResponseError) {
            context.logger.error("a request failed", metadata: ["error": "\(error)"])
            throw error
        }
    }
}
