import Injectle

/// The services that work without a request.
struct BackgroundModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.eager(ContinuousClock()), for: (any Clock<Duration>).self)
        // The locator runs the purge in a task. Closing the locator cancels the task and awaits its end before it closes the
        // database, on which the purge depends. If the purge returns or throws before that, the server ends with an error.
        // Each parameter has a key or nil: the fourth one is resolved by `.dates`, whose declaration has a default.
        locator.register(
            .initializer(Purge.init, keys: nil, nil, nil, .dates, nil)
                .atStart()
                .running { try await $0.run() }
        )
    }
}
