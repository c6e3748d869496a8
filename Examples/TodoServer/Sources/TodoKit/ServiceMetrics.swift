import Injectle
import Metrics

/// Counts the creations of services, by type.
///
/// Added with `observesDescendants: false`, it counts the creations of the server's locator, and the locators of
/// requests stay as fast as without it.
package struct CreationMetrics: Locator.Behavior {
    package let observedKinds: Set<Locator.Event.Kind> = [.didCreate]
    let factory: any MetricsFactory

    package func handle(_ event: Locator.Event) {
        let result = event.failure == nil ? "created" : "failed"
        Counter(
            label: "injectle_creations",
            dimensions: [("service", "\(event.identity)"), ("result", result)],
            factory: factory
        )
        .increment()
    }
}

/// Counts the `onDispose` hooks that fail, also in the locators of requests: nothing else reports them. Services
/// without such a hook have no event.
package struct FailedDisposalMetrics: Locator.Behavior {
    package let observedKinds: Set<Locator.Event.Kind> = [.didDispose]
    let factory: any MetricsFactory

    package func handle(_ event: Locator.Event) {
        guard event.failure != nil else { return }
        Counter(
            label: "injectle_failed_disposals",
            dimensions: [("service", "\(event.identity)")],
            factory: factory
        )
        .increment()
    }
}

extension Locator {
    /// Reports creations and failed disposals to swift-metrics.
    package func addMetrics(_ factory: any MetricsFactory = MetricsSystem.factory) {
        add(CreationMetrics(factory: factory), observesDescendants: false)
        add(FailedDisposalMetrics(factory: factory))
    }
}
