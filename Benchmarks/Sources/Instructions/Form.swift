internal import Injectle

/// The registrations of the rows in one of two forms, which differ in where they are written: in nonisolated functions,
/// or on the main actor. Their closures run there, and all services are resolved on the main thread. A closure has the
/// isolation of the function around it, so each form repeats the registrations.
@MainActor
protocol Form: SendableMetatype {
    /// Follows the name of a row.
    static var suffix: String { get }

    static func registerStore(in locator: Locator)
    static func registerStringKey(in locator: Locator)
    static func registerServiceKey(in locator: Locator)
    static func registerPerArgument(in locator: Locator)
    static func registerTransient(in locator: Locator)
    static func registerTwoTransient(in locator: Locator)
    static func registerPerLocator(in locator: Locator)
    static func registerTodoServer(in locator: Locator)

    static func makeEmptyChildren(of locator: Locator, _ count: Int) async throws
    static func makeChildrenWithTwoValues(of locator: Locator, _ count: Int) async throws
    static func handleTodoRequests(in locator: Locator, _ count: Int) async throws
}
