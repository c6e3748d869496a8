import Hummingbird
import Injectle

/// Logs responses for debugging, and errors that are no responses: Hummingbird answers them with status 500, and logs
/// them at the level of debugging only.
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
        } catch {
            // What an initializer has thrown, such as `HTTPError(.forbidden)`, which stays a 403.
            let cause = (error as? InjectleError)?.underlying ?? error
            if !(cause is any HTTPResponseError) {
                context.logger.error("a request failed", metadata: ["error": "\(error)"])
            }
            throw cause
        }
    }
}
