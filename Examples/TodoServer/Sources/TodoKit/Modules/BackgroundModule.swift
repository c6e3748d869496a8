import Injectle

/// The services that work without a request.
struct BackgroundModule: Locator.Module {
    var requires: [any Locator.Module] { [StoreModule()] }

    func register(in locator: Locator) {
        locator.register(.eager(ContinuousClock()), for: (any Clock<Duration>).self)
        // A task of the locator's runs the purge. The close cancels the task and awaits its end before it closes the
        // database, which was created earlier. If the purge ends before, the server ends with an error. Each
        // parameter has a key or nil: the fourth one is resolved by `.dates`, which has a default registration.
        locator.register(
            .initializer(Purge.init, keys: nil, nil, nil, .dates, nil)
                .atStart()
                .running { try await $0.run() }
        )
    }
}
