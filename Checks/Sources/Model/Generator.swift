/// A generator of random numbers with a seed: SplitMix64.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Generates programs whose statements mostly apply: it executes them with a model of its own.
struct Generator {
    private var random: SplitMix64
    private var model = Model()
    private var nextID = 0
    private var names = ["app", "session", "request"]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    static func program(seed: UInt64, count: Int) -> [Operation] {
        var generator = Generator(seed: seed)
        var program = [Operation.makeLocator(generator.newID(), name: "app", parent: nil)]
        _ = try? generator.model.perform(program[0])
        while program.count < count {
            for _ in 0..<20 {
                let operation = generator.operation()
                guard (try? generator.model.perform(operation)) != nil else { continue }
                program.append(operation)
                break
            }
        }
        return program
    }

    // MARK: Choices

    private mutating func newID() -> Int {
        nextID += 1
        return nextID
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Value>(_ values: [Value]) -> Value? { values.randomElement(using: &random) }

    /// The first values are more probable.
    private mutating func skewed<Value>(_ values: [Value]) -> Value {
        let index = min(
            Int.random(in: 0..<values.count, using: &random),
            Int.random(in: 0..<values.count, using: &random)
        )
        return values[index]
    }

    private mutating func locator() -> LocatorID {
        pick(model.locators.filter { $1.isHeld && !$1.isReleased }.map(\.key).sorted()) ?? 0
    }

    private mutating func variable() -> VariableID { pick(model.variables.keys.sorted()) ?? 0 }

    private mutating func key() -> Key? { chance(78) ? nil : skewed(Key.allCases) }

    private mutating func type() -> ServiceType { pick(ServiceType.allCases) ?? .engine }

    private mutating func identity() -> Identity { Identity(type: type(), key: key()) }

    private mutating func argument() -> Argument {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60: .none
        case 60..<74: .number(Int.random(in: 0..<2, using: &random))
        case 74..<80: .text("x")
        default: .service(variable())
        }
    }

    private mutating func lifetime(isPart: Bool = false) -> Lifetime {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: return .lazy
        case 14..<26: return .volatile
        case 26..<38: return .weak
        case 38..<48: return .graph
        case 48..<60: return .perLocator
        case 60..<70: return .perLocatorNamed(skewed(names))
        case 70..<80: return .perArgument
        case 80..<88: return .custom(Int.random(in: 0..<2, using: &random))
        default:
            if isPart { return .weak }
            return .composite((0..<Int.random(in: 2...3, using: &random)).map { _ in lifetime(isPart: true) })
        }
    }

    private mutating func dependency() -> Dependency {
        var argument = Argument.none
        if chance(20) { argument = .number(Int.random(in: 0..<2, using: &random)) }
        let form: Dependency.Form = skewed([.optional, .required, .list])
        return Dependency(form: form, identity: identity(), argument: argument)
    }

    private mutating func recipe() -> Recipe {
        let type = pick(ServiceType.classes) ?? .engine
        let source: Recipe.Source
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14: source = .eager
        case 14..<26: source = .prototype
        case 26..<88: source = .closure(lifetime())
        default: source = .asyncClosure(skewed([.lazy, .perLocator, .perLocatorNamed(skewed(names)), .volatile]))
        }
        var recipe = Recipe(type: type, source: source, listings: [])
        if recipe.lifetime != nil {
            if chance(30) { recipe.declared = pick([.number, .number, .text, .part, .engine]) ?? .number }
            if chance(55) {
                recipe.dependencies = (0..<Int.random(in: 1...3, using: &random)).map { _ in dependency() }
            }
        }
        if recipe.declared == .none, recipe.dependencies.isEmpty, !recipe.isAsync { recipe.takesResolver = chance(60) }
        if recipe.lifetime != nil || source == .prototype, chance(10) {
            recipe.failures = Int.random(in: 1...2, using: &random)
        }
        if chance(70) {
            recipe.listings = [.service(Identity(type: type, key: key()))]
        } else {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let identity = Identity(type: chance(50) ? type : .part, key: key())
                recipe.listings.append(chance(50) ? .service(identity) : .contribution(identity))
            }
        }
        if chance(60) { recipe.hooks = [skewed([.plain, .failing])] }
        if chance(5) { recipe.hooks.append(.plain) }
        recipe.isFinal = chance(8)
        recipe.isAtStart = chance(15)
        return recipe
    }

    private mutating func holder() -> Holder {
        if let owner = pick(model.owners.keys.sorted()), chance(50) { return .owner(owner) }
        return .service(variable())
    }

    private mutating func request() -> Request {
        let form: Request.Form = skewed([.one, .optional, .list, .nested])
        let argument: Argument = form == .nested ? .none : argument()
        return Request(form: form, identity: identity(), argument: argument, isAsync: chance(10))
    }

    private mutating func operation() -> Operation {
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<36: .makeLocator(newID(), name: skewed(names), parent: chance(85) ? locator() : nil)
        case 36..<46: .observe(locator())
        case 46..<60: .releaseLocator(locator())
        case 60..<68: .close(locator())
        case 68..<80: .start(locator())
        case 80..<90: .reset(locator())
        case 90..<348:
            .register(
                newID(),
                recipe(),
                in: locator(),
                chance(80) ? .none : skewed([.forbidding, .allowing, .registering])
            )
        case 348..<360: .copyLocator(newID(), name: skewed(names), of: locator())
        case 360..<385: .removeHandle(pick(model.registrations.keys.filter { $0 > 0 }.sorted()) ?? 0)
        case 385..<410: .unregister(identity(), in: locator())
        case 410..<418: .unregisterKey(skewed(Key.allCases), in: locator())
        case 418..<450: .resetInstance(identity(), argument(), in: locator())
        case 450..<700: .resolve(request(), in: locator(), into: chance(60) ? newID() : nil)
        case 700..<790: .drop(variable())
        case 790..<810: .makeOwner(newID(), in: chance(50) ? locator() : nil)
        case 810..<900: .read(pick(Property.allCases) ?? .engine, of: holder(), in: locator())
        case 900..<910: .clearOptject(of: holder())
        case 910..<925: .dropOwner(pick(model.owners.keys.sorted()) ?? 0)
        case 925..<950: .openScope(Int.random(in: 0..<2, using: &random))
        case 950..<962: .resetScope(Int.random(in: 0..<2, using: &random))
        case 962..<975: .closeScope(Int.random(in: 0..<2, using: &random))
        default: application()
        }
    }

    // MARK: Modules

    /// The locator of the module under generation.
    private var target = 0

    private mutating func application() -> Operation {
        target = locator()
        return .apply((0..<Int.random(in: 1...2, using: &random)).map { _ in module() }, in: target)
    }

    private mutating func module() -> ModuleSpecification {
        var registering: [Operation] = []
        var warmingUp: [Operation] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let operation: Operation =
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<7: .register(newID(), recipe(), in: target, .none)
                case 7: .removeHandle(pick(ownRegistrations) ?? 0)
                case 8: .unregister(identity(), in: target)
                default: .resolve(syncRequest(), in: target, into: nil)
                }
            registering.append(operation)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            warmingUp.append(.resolve(syncRequest(), in: target, into: chance(30) ? newID() : nil))
        }
        let failure: ModuleSpecification.Failure = skewed([.none, .didRegister, .register])
        return ModuleSpecification(
            id: Int.random(in: 0..<8, using: &random),
            registering: registering,
            warmingUp: warmingUp,
            failure: failure
        )
    }

    private var ownRegistrations: [RegistrationID] {
        model.registrations.filter { $0 > 0 && $1.locator == target }.map(\.key).sorted()
    }

    private mutating func syncRequest() -> Request {
        var request = request()
        request.isAsync = false
        return request
    }
}
