import Hummingbird
import Injectle

/// Adds `GET /count`, which is requested so often that it does without a locator of its own: it needs one value of the
/// request, and passes that as an argument.
func addCountRoute(to router: Router<some RequestContext>, server: Locator) {
    router.get("count") { request, _ in
        let user = try User(of: request)
        return try await "\(server.resolve(TodoCount.self, arguments: user).count())\n"
    }
}
