internal import Injectle

extension Row {
    /// Row 19: the same with a behavior and without: the scope of a request, a singleton, a volatile service.
    static let behaviors: [Row] = [
        Row("19a-request-scope-observed-to-not") { (requestLoop(nil), requestLoop(Silent())) },
        Row("19b-request-scope-logged-to-not") {
            (requestLoop(nil), requestLoop(silentLog([.didCreate, .didResolve])))
        },
        Row("19c-resolve-observed-to-not") {
            let (plain, observed) = (try locatorWithSingleton(among: 10), try locatorWithSingleton(among: 10))
            observed.add(Silent())
            return (resolveLoop(plain), resolveLoop(observed))
        },
        Row("19d-resolve-volatile-logged-to-not") {
            let (plain, observed) = (locatorWithVolatile(among: 10), locatorWithVolatile(among: 10))
            observed.add(silentLog([.didCreate, .didResolve]))
            return (resolveLoop(plain), resolveLoop(observed))
        },
        Row("19e-resolve-unobserved-kind-to-not") {
            let (plain, observed) = (try locatorWithSingleton(among: 10), try locatorWithSingleton(among: 10))
            observed.add(silentLog([.didRegister, .didUnregister]))
            return (resolveLoop(plain), resolveLoop(observed))
        },
        Row("19f-request-scope-dropped-events-to-not") { (requestLoop(nil), requestLoop(Dropping())) },
    ]
}

/// A behavior that does nothing.
private struct Silent: Locator.Behavior {}

/// A behavior that receives all events, and drops them.
private struct Dropping: Locator.Behavior {
    func handle(_ event: Locator.Event) {}
}

/// A log that drops its lines.
private func silentLog(_ kinds: Set<Locator.Event.Kind>) -> Locator.Log {
    Locator.Log(kinds) { _ in }
}

/// The loop of row 14a, with a behavior on the server.
private func requestLoop(_ behavior: (any Locator.Behavior)?) -> Loop {
    let server = serverLocator()
    if let behavior { server.add(behavior) }
    return { count in try repeated(count) { try handle(server, &$0) } }
}
