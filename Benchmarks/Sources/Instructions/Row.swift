internal import Injectle

/// Repeats an operation.
typealias Loop = @MainActor (_ count: Int) async throws -> Void

/// An operation whose instructions are counted, in a process of its own.
@MainActor
struct Row {
    let name: String
    /// Prepares the operation, without counting, and returns the loop.
    let prepare: @MainActor () throws -> Loop

    init(_ name: String, _ prepare: @escaping @MainActor () throws -> Loop) {
        self.name = name
        self.prepare = prepare
    }

    /// A row of an operation in a locator.
    init(_ name: String, _ register: @escaping @MainActor (Locator) -> Void, _ operation: @escaping Operation) {
        self.init(name) {
            let locator = Locator("app")
            register(locator)
            return { count in try operation(locator, count) }
        }
    }

    /// A row of an asynchronous operation in a locator with the services of Examples/TodoServer.
    init<Registrations: Form>(
        _ name: String,
        _: Registrations.Type,
        _ operation: @escaping @MainActor (_ locator: Locator, _ count: Int) async throws -> Void
    ) {
        self.init(name + Registrations.suffix) {
            let locator = Locator("server")
            Registrations.registerTodoServer(in: locator)
            return { count in try await operation(locator, count) }
        }
    }

    static let all = children + forms(Nonisolated.self) + forms(OnMainActor.self)

    private static func forms<Registrations: Form>(_ form: Registrations.Type) -> [Row] {
        existing(form) + created(form) + requests(form)
    }
}

extension Row {
    /// Children with values. A value has no closure, so there is one form.
    private static let children = [
        Row("child", { _ in }, makeChildren),
        Row("child, one eager value", { _ in }, makeChildrenWithValue),
        Row("child, one eager value without a protocol", { _ in }, makeChildrenWithPlainValue),
        Row("child, two eager values", { _ in }, makeChildrenWithTwoValues),
        Row("child with an override, bound, resolved once", Nonisolated.registerStore, overrideStore),
    ]

    /// Services that exist after their first resolve.
    private static func existing<Registrations: Form>(_: Registrations.Type) -> [Row] {
        [
            Row("existing" + Registrations.suffix, Registrations.registerStore, resolveStore),
            Row("@Inject again" + Registrations.suffix) {
                Registrations.registerStore(in: .default)
                let screen = Screen()
                return { count in readStore(of: screen, count) }
            },
            Row("string key" + Registrations.suffix, Registrations.registerStringKey, resolveByStringKey),
            Row("typed key" + Registrations.suffix, Registrations.registerServiceKey, resolveByServiceKey),
            Row("per argument, present" + Registrations.suffix, Registrations.registerPerArgument, resolvePerArgument),
        ]
    }

    /// Services that each resolve creates.
    private static func created<Registrations: Form>(_: Registrations.Type) -> [Row] {
        [
            Row("transient" + Registrations.suffix) {
                Registrations.registerTransient(in: .default)
                return { count in try resolveSharedReport(count) }
            },
            Row("two transient" + Registrations.suffix, Registrations.registerTwoTransient, resolvePage),
        ]
    }

    /// The scopes of requests.
    private static func requests<Registrations: Form>(_ form: Registrations.Type) -> [Row] {
        [
            Row("request scope" + Registrations.suffix, Registrations.registerPerLocator, handleRequests),
            Row("withChild, empty", form, Registrations.makeEmptyChildren),
            Row("withChild, two values", form, Registrations.makeChildrenWithTwoValues),
            Row("withChild, request of TodoServer", form, Registrations.handleTodoRequests),
        ]
    }
}
