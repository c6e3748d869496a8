import Hummingbird
import Injectle
import InjectleDiagnostics

/// Adds `GET /debug/graph`, a page with all services and their dependencies.
func addDebugRoute(to router: Router<some RequestContext>, server: Locator) {
    router.get("debug/graph") { _, _ in
        Response(
            status: .ok,
            headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: server.graph.html))
        )
    }
}
