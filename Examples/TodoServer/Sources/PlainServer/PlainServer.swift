// The same server without Injectle, for `compare`: initializers create the services of each request.

import ArgumentParser
import Foundation
import Hummingbird
import Logging
import TodoKit

@main
struct PlainServer: AsyncParsableCommand {
    @Option var host = "127.0.0.1"
    @Option var port = 8080
    @Option(help: "The file of the database, which is created if it does not exist.")
    var database = "todos.sqlite"

    func run() async throws {
        let logger = Logger(label: "plain-server")
        let database = try await TodoDatabase.open(settings: Settings(databasePath: database), logger: logger)
        let app = Application(
            router: buildPlainRouter(PlainMiddleware(database: database, dates: SystemDates(), logger: logger)),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            logger: logger
        )
        try await app.runService()
        try database.close()
    }
}

struct PlainContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var controller: TodoController?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
    }
}

struct PlainMiddleware: RouterMiddleware {
    let database: TodoDatabase
    let dates: any DateSource
    let logger: Logger

    func handle(
        _ request: Request,
        context: PlainContext,
        next: (Request, PlainContext) async throws -> Response
    ) async throws -> Response {
        let values = try RequestValues(request, context)
        let unit = UnitOfWork(database: database)
        var context = context
        context.controller = TodoController(
            todos: SQLiteTodoStore(user: values.user, unit: unit, database: database),
            dates: dates,
            log: RequestLog(logger: logger, id: values.id, user: values.user)
        )
        let response = try await next(request, context)
        try await unit.commit()
        return response
    }
}

func buildPlainRouter(_ middleware: PlainMiddleware) -> Router<PlainContext> {
    let router = Router(context: PlainContext.self)
    router.add(middleware: ResponseLogMiddleware())
    let todos = router.group("todos").add(middleware: middleware)
    todos.get { request, context in
        try await context.controller!.list(request)
    }
    todos.get(":id") { _, context in
        try await context.controller!.get(context.id())
    }
    todos.post { request, context in
        let new = try await request.decode(as: NewTodo.self, context: context)
        let todo = try context.controller!.create(new)
        return EditedResponse(status: .created, headers: [.location: "/todos/\(todo.id)"], response: todo)
    }
    todos.patch(":id") { request, context in
        let change = try await request.decode(as: TodoChange.self, context: context)
        return try await context.controller!.update(context.id(), change)
    }
    todos.delete(":id") { _, context in
        try await context.controller!.delete(context.id())
        return HTTPResponse.Status.noContent
    }
    return router
}
