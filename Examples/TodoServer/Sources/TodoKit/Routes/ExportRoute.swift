import Foundation
import Hummingbird
import Injectle

/// Adds `GET /export`, which streams all todos of the user, one JSON object per line.
///
/// Hummingbird writes a streamed body after the handler and all middleware have returned. The locator of a
/// ``RequestMiddleware`` is closed by then, so this route has none: the closure of its body opens the request's
/// locator.
func addExportRoute(to router: Router<some RequestContext>, server: Locator) {
    router.get("export") { request, context in
        let values = try RequestValues(request, context)
        let body = ResponseBody { writer in
            // `@concurrent` lets the closure capture `writer`, which is not `Sendable`.
            try await server.withChild(requestScope, values.register) { @concurrent child in
                try await write(child.resolve((any TodoStore).self), to: &writer)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
    }
}

/// Writes the todos page by page, so that a long list needs little memory.
private func write(_ store: any TodoStore, to writer: inout any ResponseBodyWriter, pageSize: Int = 100) async throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    var offset = 0
    while true {
        let page = try await store.todos(limit: pageSize, offset: offset)
        guard !page.isEmpty else { return }
        for todo in page { try await writer.write(ByteBuffer(data: try encoder.encode(todo) + Data("\n".utf8))) }
        offset += page.count
    }
}
