/// An operation that is measured. The raw value is its text in the table.
enum Operation: String, CaseIterable {
    case singleton = "an existing singleton"
    case property = "an object with an injected singleton, created and read"
    case transient = "a transient service"
    case tenTransients = "ten transient services"
    case named = "an existing singleton with a name"
    case weak = "an existing weak service"
    case argument = "a transient service with an argument"
    case missing = "an optional service that is not registered"
    case child = "a child with one override, and a resolve in it"
    case registration = "a new container with one registration, and a resolve in it"
}

/// The operations of one library. Each closure repeats its operation; there is none where the library has no
/// equivalent.
struct Library {
    let name: String
    let repeating: [Operation: (_ times: Int) -> Void]
}

protocol APIClient { var host: String { get } }

final class LiveAPIClient: APIClient { let host = "api.example.com" }

final class MockAPIClient: APIClient { let host = "mock" }

protocol Analytics {}

final class Page {
    let number: Int
    init(number: Int) { self.number = number }
}

/// Keeps the optimizer from removing what computes a value.
@inline(never) func use<Value>(_ value: Value) {}
