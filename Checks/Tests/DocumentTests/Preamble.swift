// The types that blocks of documents use without declaring them. Each module of blocks is compiled with this file.

import Foundation
import Injectle

protocol Car: AnyObject, Sendable { var name: String { get } }
final class DeLorean: Car { let name = "DeLorean" }
final class RandomCar: Car { let name = "some car" }
final class Taxi: Car { let name = "taxi" }
final class Bmw: NSCopying {
    let model: String
    init(model: String) { self.model = model }
    func copy(with zone: NSZone? = nil) -> Any { Bmw(model: model) }
}
final class Carpool { @Optject("unknown") var unknownCar: (any Car)? }
struct Chauffeur: Sendable { let car: any Car }
struct Discount: Sendable {}
final class Trip {
    @Inject var car: any Car
    func describe() -> String { "a trip by \(car.name)" }
}

final class Database: Sendable {}
protocol Lighting: AnyObject {}
protocol Parking: AnyObject {}
struct Lamp: Sendable {}
protocol Tool {}
final class Garage: Lighting, Parking {
    var lamp = Lamp()
    init() {}
    init(database: Database) {}
}
struct Settings: Sendable { let currency: String }
struct Report: Sendable { let settings: Settings }
struct User: Sendable { let name: String }
protocol WallClock: Sendable {}
struct FixedClock: WallClock {}

extension ServiceKey<any Car> { static let fast = Self("fast") }
extension ServiceKey<Database> { static let archive = Self("archive") }

// The services of an app or a server.

protocol APIClient: Sendable { var host: String { get } }
struct LiveAPIClient: APIClient { let host = "api.example.com" }
struct MockAPIClient: APIClient { let host = "mock" }
final class UserStore: Sendable {
    let api: any APIClient
    init(api: any APIClient) { self.api = api }
}
final class ProfileModel {
    @Inject var api: any APIClient
    var name = "Ada"
    func describe() -> String { "a profile from \(api.host)" }
}
