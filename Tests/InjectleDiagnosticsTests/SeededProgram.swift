import Injectle
import InjectleDiagnostics

// Not private: the runtime does not tell whether a type conforms to a private protocol.
protocol SeededReading: Sendable {}
protocol SeededWriting: Sendable {}

/// Registrations of a server and of a request that are generated from a fixed seed, with a known number of faults.
struct SeededProgram {
    /// The service of most registrations, which keys distinguish.
    struct Node: Sendable {}
    final class Screen {}
    struct File: SeededReading, SeededWriting {}
    struct Archive: SeededReading {}
    // As many types as the test needs: a property is a fault once for each type.
    struct Absent<Number>: Sendable {}
    struct Reader<Number>: Sendable { let service = Inject<Absent<Number>>() }
    struct KeyReader<Number>: Sendable { let service = Inject<Absent<Number>>("gone") }
    struct Numbered<Number>: Sendable { let number: Int }
    struct NumberReader<Number>: Sendable { let service = Inject<Numbered<Number>>() }
    enum Next<Number> {}

    /// The kinds of seeded faults.
    enum Seed: CaseIterable {
        case missing, wrongType, cycle, captive, wrongIsolation, requiresAsync, unreachable, finalReplaced
        case dependenciesDiffer, undeclared, ignoredArguments
        /// A property whose service is missing; is registered under keys only; has another key than the property.
        case property, unknownKey, key
        /// An initializer whose argument nobody declares; a property that passes no argument.
        case parameter, argument
        /// A name of no locator, and a misspelled one.
        case name, misspelledName
        /// A registration of the request that replaces a correct one.
        case override
        /// An override of a registration with two identities, which has one of them.
        case overrideOfTwo
    }

    struct Fault: Hashable {
        let kind: Locator.Finding.Kind
        let service: String
    }

    /// A linear congruential generator, with Knuth's constants.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 32
        }
    }

    /// A copy of another locator, whose registrations it overrides.
    let app: Locator
    let request: Locator
    private(set) var faults: Set<Fault> = []
    private(set) var roots: [Locator.Identity] = []
    /// The objects that the program creates itself.
    private(set) var objects: [() -> Any] = []
    private(set) var count = 0
    private(set) var seeded = 0
    private var generator = Generator(state: 20_261_123)
    /// Services of a correct program: a later one depends on earlier ones.
    private var singletons: [String] = []

    /// - Parameters:
    ///   - size: The number of registrations.
    ///   - limit: The number of faults.
    init(of size: Int, faults limit: Int) {
        let base = Locator("base")
        for number in (0..<limit) where Seed.allCases[number % Seed.allCases.count] == .overrideOfTwo {
            // Replaced under both identities, so that its fault is none.
            let key = "\(Seed.overrideOfTwo) \(number)"
            base.register(
                .lazy { File() }.depending(on: Node.self, key: "none")
                    .as((any SeededReading).self, key: key).as((any SeededWriting).self, key: "\(key), other")
            )
        }
        app = Locator(copying: base, "app")
        request = app.child("request")
        // Correct, and with a key that the faults use.
        registerNode("node 0") { $0 }
        while count < size {
            if seeded < limit, Int.random(in: 0..<30, using: &generator) == 0 {
                let seeds = Seed.allCases
                register(seeds[seeded % seeds.count], seeded, afterTypes: seeded / seeds.count)
                seeded += 1
            } else {
                registerCorrect()
            }
        }
    }

    private func name(_ key: String) -> String { Locator.Identity(Node.self, key: key).description }

    private mutating func registerNode(
        _ key: String,
        in locator: Locator? = nil,
        isRoot: Bool = true,
        _ change: (Locator.Registration<Node>) -> Locator.Registration<Node>
    ) {
        register(change(.lazy { Node() }), key, in: locator, isRoot: isRoot)
    }

    private mutating func register<Service>(
        _ registration: Locator.Registration<Service>,
        _ key: String,
        in locator: Locator? = nil,
        isRoot: Bool = true
    ) {
        (locator ?? app).register(registration, key: key)
        count += 1
        if isRoot { roots.append(Locator.Identity(Service.self, key: key)) }
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
        switch Int.random(in: 0..<11, using: &generator) {
        case 0: registerNode(key) { declare($0).lifetime(.volatile) }
        case 1: registerNode(key) { declare($0).lifetime(.perLocator) }
        case 2: registerNode(key, in: request) { declare($0) }
        case 3: registerNode(key) { declare($0).lifetime(.weak) }
        case 4: registerNode(key) { declare($0).lifetime(.graph) }
        case 5: registerNode(key) { declare($0).lifetime(.perLocator(named: "request")) }
        case 6: register(.initializer(Numbered<Int>.init).arguments(Int.self).lifetime(.volatile), key)
        case 7:
            // The request replaces a registration that has a fault.
            registerNode(key, isRoot: false) { $0.depending(on: Node.self, key: "none") }
            registerNode(key, in: request) { declare($0) }
        default:
            registerNode(key, declare)
            singletons.append(key)
        }
    }

    /// A registration with a fault.
    private mutating func register(_ seed: Seed, _ number: Int, afterTypes steps: Int) {
        let key = "\(seed) \(number)"
        func fault(_ kind: Locator.Finding.Kind) { faults.insert(Fault(kind: kind, service: name(key))) }
        switch seed {
        case .property, .unknownKey, .key, .parameter, .argument:
            registerTyped(seed, key, Int.self, after: steps)
        case .ignoredArguments:
            register(.lazy { (_: Locator.Resolver, _: Int) in Node() }.depending(), key)
            faults.insert(Fault(kind: .ignoredArguments, service: "\(name(key)), with (Int)"))
        case .missing:
            registerNode(key) { $0.depending(on: Node.self, key: "none") }
            fault(.missing)
        case .wrongType:
            registerNode(key) { $0.depending(on: (any Store).self, key: "node 0") }
            fault(.wrongType)
        case .cycle:
            registerNode(key) { $0.depending(on: Node.self, key: "\(key), other") }
            registerNode("\(key), other") { $0.depending(on: Node.self, key: key).lifetime(.volatile) }
            fault(.cycle)
        case .captive:
            registerNode("\(key), kept") { $0.lifetime(.perLocator) }
            registerNode(key) { $0.depending(on: Node.self, key: "\(key), kept") }
            fault(.captive)
        case .wrongIsolation:
            register(.lazy(.main) { Screen() }, "\(key), screen")
            registerNode(key) { $0.depending(on: Screen.self, key: "\(key), screen") }
            fault(.wrongIsolation)
        case .requiresAsync:
            register(.volatile { () async in Pool() }, "\(key), pool")
            registerNode(key) { $0.depending(on: Pool.self, key: "\(key), pool") }
            fault(.requiresAsync)
        case .unreachable:
            registerNode(key, isRoot: false) { $0 }
            fault(.unreachable)
        case .finalReplaced:
            registerNode(key) { $0.final() }
            registerNode(key, in: request) { $0 }
            fault(.finalReplaced)
        case .dependenciesDiffer:
            register(.lazy { try $0.resolve(Node.self, key: "node 0") }.depending(), key)
            fault(.dependenciesDiffer)
        case .undeclared:
            register(.lazy { try $0.resolve(Node.self, key: "node 0") }, key)
            fault(.undeclared)
        case .name:
            registerNode(key) { $0.lifetime(.perLocator(named: "elsewhere")) }
            fault(.locatorNotFound)
        case .misspelledName:
            registerNode(key, isRoot: false) { $0.lifetime(.perLocator(named: "reqeust")).atStart() }
            fault(.unknownName)
        case .override:
            registerNode(key) { $0 }
            registerNode(key, in: request) { $0.depending(on: Node.self, key: "none") }
            fault(.missing)
        case .overrideOfTwo:
            app.register(.lazy { Archive() }.as((any SeededReading).self, key: key))
            count += 1
            registerNode("\(key), reader") { $0.depending(on: (any SeededReading).self, key: key) }
            registerNode("\(key), writer") { $0.depending(on: (any SeededWriting).self, key: "\(key), other") }
            faults.insert(Fault(kind: .missing, service: name("\(key), writer")))
        }
    }

    /// A fault of a type that no other fault has.
    private mutating func registerTyped<Number>(_ seed: Seed, _ key: String, _: Number.Type, after steps: Int) {
        if steps > 0 { return registerTyped(seed, key, Next<Number>.self, after: steps - 1) }
        func register<Service>(_ registration: Locator.Registration<Service>) {
            app.register(registration)
            count += 1
            roots.append(Locator.Identity(Service.self))
        }
        func fault<Service>(_ kind: Locator.Finding.Kind, _: Service.Type) {
            faults.insert(Fault(kind: kind, service: Locator.Identity(Service.self).description))
        }
        switch seed {
        case .property:
            register(.lazy { Reader<(Number, Int)>() })
            fault(.missing, Reader<(Number, Int)>.self)
        case .unknownKey:
            register(.lazy { Reader<(Number, Bool)>() })
            self.register(.lazy { Absent<(Number, Bool)>() }, key)
            fault(.unknownKey, Reader<(Number, Bool)>.self)
        case .key:
            register(.lazy { Absent<(Number, String)>() })
            objects.append { KeyReader<(Number, String)>() }
            fault(.missing, KeyReader<(Number, String)>.self)
        case .parameter:
            register(.initializer(Numbered<(Number, Int)>.init).lifetime(.volatile))
            fault(.missing, Numbered<(Number, Int)>.self)
        default:
            register(.initializer(Numbered<(Number, Bool)>.init).arguments(Int.self).lifetime(.volatile))
            objects.append { NumberReader<(Number, Bool)>() }
            fault(.missing, NumberReader<(Number, Bool)>.self)
        }
    }
}
