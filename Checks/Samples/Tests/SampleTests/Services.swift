import Foundation
import Injectle

protocol APIClient: Sendable {
    var host: String { get }
}

struct MockAPIClient: APIClient {
    let host = "mock"
}

struct LiveAPIClient: APIClient {
    let host = "live"
}

final class Model: Sendable {
    let client = Inject<any APIClient>()
    var host: String { client().host }
}

@MainActor final class MainModel {
    @Inject var client: any APIClient
    var host: String { client.host }
}

/// A view that needs a model and a clock.
final class Page: Sendable {
    let model = Inject<Model>()
    let clock = Inject<any WallClock>(WallClockKey.page)
    var title: String { model().host }
}

protocol WallClock: Sendable {}

enum WallClockKey { case page }

struct FixedClock: WallClock {}

final class Cache: Sendable {}

final class Store: Sendable {
    let cache: Cache
    init(cache: Cache) { self.cache = cache }
}

struct Failure: Error {}

func onAnotherThread(_ body: @escaping @Sendable () -> String) async -> String {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
