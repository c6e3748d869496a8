import FromSwinject

protocol DateSource: AnyObject { var today: Int { get } }
final class SystemDates: DateSource { let today = 20 }
final class FixedDates: DateSource {
    let today: Int
    init(today: Int) { self.today = today }
}

protocol AuditTrail: AnyObject { func record(_ line: String) }
final class Log: AuditTrail {
    private(set) var lines: [String] = []
    func record(_ line: String) { lines.append(line) }
}

struct Settings { let currency: String }
protocol HTTPClient: AnyObject { func get(_ path: String) -> String }
final class StubHTTPClient: HTTPClient {
    private(set) var requests = 0
    func get(_ path: String) -> String {
        requests += 1
        return "GET \(path)"
    }
}
final class APIClient {
    private let region: String
    private let http: any HTTPClient
    init(region: String, http: any HTTPClient) { (self.region, self.http) = (region, http) }
    func get(_ path: String) -> String { http.get("\(region)/\(path)") }
}
struct JSONCoder { func encode(_ value: String) -> String { "{\(value)}" } }
final class Database { var rows: [String: String] = [:] }
final class ImageCache { var images: [String: String] = [:] }
protocol SecretStore: AnyObject { var secret: String? { get set } }
final class Keychain: SecretStore { var secret: String? }
final class IDGenerator {
    private var last = 0
    func next() -> Int {
        last += 1
        return last
    }
}
struct Retry {
    let attempts: Int
    let delay: Double
}

/// 12 registrations.
struct PlatformAssembly: Assembly {
    func assemble(container: Container) {
        container.register((any DateSource).self) { _ in SystemDates() }.inObjectScope(.transient)
        container.register(Log.self) { _ in Log() }.inObjectScope(.container).implements((any AuditTrail).self)
        container.register(Settings.self, name: "shop") { _ in Settings(currency: "EUR") }.inObjectScope(.container)
        container.register(Settings.self, name: "export") { _ in Settings(currency: "USD") }.inObjectScope(.container)
        container.register((any HTTPClient).self) { _ in StubHTTPClient() }.inObjectScope(.container)
        container.register(APIClient.self) { r, region in
            APIClient(region: region, http: r.resolve((any HTTPClient).self)!)
        }.inObjectScope(.transient)
        container.register(JSONCoder.self) { _ in JSONCoder() }.inObjectScope(.transient)
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
        container.register(ImageCache.self) { _ in ImageCache() }.inObjectScope(.weak)
        container.register(Keychain.self) { _ in Keychain() }.inObjectScope(.container)
            .implements((any SecretStore).self, name: "tokens")
        container.register(IDGenerator.self) { _ in IDGenerator() }.inObjectScope(.container)
        container.register(Retry.self) { _, attempts, delay in Retry(attempts: attempts, delay: delay) }
            .inObjectScope(.transient)
    }
}
