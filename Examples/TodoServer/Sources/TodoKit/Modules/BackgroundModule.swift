import Injectle

/// The services that work without a request.
struct BackgroundModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.eager(ContinuousClock()), for: (any Clock<Duration>).self)
        // The locator runs the purge in a task. Closing the locator cancels the task and awaits its end before it closes the
        // database, on which the purge depends. If the purge returns or throws before that, the server ends with an error,
        // so that nobody overlooks it: `Purge.run` catches the errors that it can survive.
        // A key for each parameter: nil resolves it by its type alone, and `.dates` has a default in DateSource.swift.
        locator.register(
            .initializer(Purge.init, keys: nil, nil, nil, .dates, nil)
                .atStart()
                .running { try await $0.run() }
        )
    }
}
