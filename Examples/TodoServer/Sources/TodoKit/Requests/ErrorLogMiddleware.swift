import Hummingbird

/// Logs the errors that become responses of status 500.
package struct ErrorLogMiddleware<Context: RequestContext>: RouterMiddleware {
    package init() {}

    package func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error where !(error is any HTTPResponseError) {
            context.logger.error("a handler threw an error", metadata: ["error": "\(error)"])
            throw error
        }
    }
}
