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

final class Broken: Sendable {
    init() { _ = Model().host }
}

final class Cache: Sendable {}

final class Store: Sendable {
    let cache: Cache
    init(cache: Cache) { self.cache = cache }
}

struct Failure: Error {}
