import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

/// Registrations that are generated from a fixed seed, with a known number of faults of each kind.
@Suite struct SeededFaultTests {
    /// The service of all registrations, which keys distinguish.
    private struct Node: Sendable {}
    private final class Screen {}
    // As many types as the test needs: a property is a fault once for each type.
    private struct Absent<Number>: Sendable {}
    private struct Reader<Number>: Sendable { let service = Inject<Absent<Number>>() }
    private enum Next<Number> {}

    /// A linear congruential generator, with Knuth's constants.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 32
        }
    }

    private struct Fault: Hashable {
        let kind: Locator.Finding.Kind
        let service: String
    }

    private let app = Locator("app")
    private let request: Locator
    private var generator = Generator(state: 20_261_123)
    private var faults: Set<Fault> = []
    private var roots: [Locator.Identity] = []
    private var count = 0
    /// Services of a correct program: a later one depends on earlier ones.
    private var singletons: [String] = []

    init() {
        request = app.child("request")
    }

    private func name(_ key: String) -> String { Locator.Identity(Node.self, key: key).description }

    private mutating func fault(_ kind: Locator.Finding.Kind, _ key: String) {
        faults.insert(Fault(kind: kind, service: name(key)))
    }

    private mutating func registerNode(
        _ key: String,
        in locator: Locator? = nil,
        _ change: (Locator.Registration<Node>) -> Locator.Registration<Node>
    ) {
        (locator ?? app).register(change(.lazy { Node() }), key: key)
        count += 1
        roots.append(Locator.Identity(Node.self, key: key))
    }

    /// A correct registration, which depends on up to three earlier ones.
    private mutating func registerCorrect() {
        let key = "node \(count)"
        let dependencies = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
            singletons.randomElement(using: &generator)
        }
        func declare(_ registration: Locator.Registration<Node>) -> Locator.Registration<Node> {
            dependencies.reduce(registration.depending()) { $0.depending(on: Node.self, key: $1) }
        }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: registerNode(key) { declare($0).lifetime(.volatile) }
        case 1: registerNode(key) { declare($0).lifetime(.perLocator) }
        case 2: registerNode(key, in: request) { declare($0) }
        case 3: registerNode(key) { declare($0).lifetime(.weak) }
        case 4: registerNode(key) { declare($0).lifetime(.graph) }
        default:
            registerNode(key, declare)
            singletons.append(key)
        }
    }

    /// The fault of a property is a missing service, too.
    private static let property = Locator.Finding.Kind(rawValue: "property")

    /// A service with a property whose service is missing, or has the key.
    private mutating func registerReader<Number>(_: Number.Type, after steps: Int, withKey key: String?) {
        if steps > 0 { return registerReader(Next<Number>.self, after: steps - 1, withKey: key) }
        let reader = Locator.Identity(Reader<Number>.self)
        app.register(.lazy { Reader<Number>() })
        if let key { app.register(.lazy { Absent<Number>() }, key: key) }
        count += key == nil ? 1 : 2
        roots.append(reader)
        faults.insert(Fault(kind: key == nil ? .missing : .unknownKey, service: reader.description))
    }

    /// A registration with a fault.
    private mutating func registerFaulty(_ kind: Locator.Finding.Kind, _ number: Int) {
        let key = "\(kind) \(number)"
        switch kind {
        case Self.property: return registerReader(Int.self, after: number / Self.kinds.count, withKey: nil)
        case .unknownKey: return registerReader(Bool.self, after: number / Self.kinds.count, withKey: key)
        case .ignoredArguments:
            app.register(.lazy { (_: Locator.Resolver, _: Int) in Node() }.depending(), key: key)
            count += 1
            roots.append(Locator.Identity(Node.self, key: key))
            faults.insert(Fault(kind: kind, service: "\(name(key)), with (Int)"))
            return
        case .missing:
            registerNode(key) { $0.depending(on: Node.self, key: "none") }
        case .wrongType:
            registerNode(key) { $0.depending(on: (any Store).self, key: "node 0") }
        case .cycle:
            registerNode(key) { $0.depending(on: Node.self, key: "\(key), other") }
            registerNode("\(key), other") { $0.depending(on: Node.self, key: key).lifetime(.volatile) }
        case .captive:
            registerNode("\(key), kept") { $0.lifetime(.perLocator) }
            registerNode(key) { $0.depending(on: Node.self, key: "\(key), kept") }
        case .wrongIsolation:
            app.register(.lazy(.main) { Screen() }, key: "\(key), screen")
            roots.append(Locator.Identity(Screen.self, key: "\(key), screen"))
            count += 1
            registerNode(key) { $0.depending(on: Screen.self, key: "\(key), screen") }
        case .requiresAsync:
            app.register(.volatile { () async in Pool() }, key: "\(key), pool")
            roots.append(Locator.Identity(Pool.self, key: "\(key), pool"))
            count += 1
            registerNode(key) { $0.depending(on: Pool.self, key: "\(key), pool") }
        case .unreachable:
            registerNode(key) { $0 }
            roots.removeLast()
        case .finalReplaced:
            registerNode(key) { $0.final() }
            registerNode(key, in: request) { $0 }
        case .dependenciesDiffer:
            let other = "node 0"
            app.register(.lazy { try $0.resolve(Node.self, key: other) }.depending(), key: key)
            count += 1
            roots.append(Locator.Identity(Node.self, key: key))
        default:
            app.register(.lazy { try $0.resolve(Node.self, key: "node 0") }, key: key)
            count += 1
            roots.append(Locator.Identity(Node.self, key: key))
        }
        fault(kind, key)
    }

    private static let kinds: [Locator.Finding.Kind] = [
        .missing, .wrongType, .cycle, .captive, .wrongIsolation, .requiresAsync, .unreachable, .finalReplaced,
        .dependenciesDiffer, .undeclared, property, .unknownKey, .ignoredArguments,
    ]

    @Test mutating func `Of 2,000 registrations, exactly the 50 seeded faults are found`() throws {
        // Correct, and with a key that the faults use.
        registerNode("node 0") { $0 }
        var seeded = 0
        while count < 2_000 {
            if seeded < 50, Int.random(in: 0..<30, using: &generator) == 0 {
                registerFaulty(Self.kinds[seeded % Self.kinds.count], seeded)
                seeded += 1
            } else {
                registerCorrect()
            }
        }
        #expect(seeded == 50 && faults.count == 50)
        app.add(Locator.DependencyRecorder())
        for fault in faults where fault.kind == .dependenciesDiffer {
            let root = try #require(roots.first { $0.description == fault.service })
            _ = try request.resolve(Node.self, key: root.key)
        }
        let found = request.validate(roots: roots).map { Fault(kind: $0.kind, service: $0.service) }
        #expect(found.count == 50)
        #expect(Set(found) == faults)
        // Without the roots, all but the unreachable ones.
        #expect(request.validate().count == faults.count { $0.kind != .unreachable })
    }
}
