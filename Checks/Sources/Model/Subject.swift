import Injectle
import InjectleTestSupport

/// Executes programs with the library.
struct Subject {
    private let world = World()
    private var locators: [LocatorID: Locator] = [:]
    private var handles: [RegistrationID: Locator.RegistrationHandle] = [:]
    private var variables: [VariableID: [Product]] = [:]
    private var owners: [VariableID: Properties] = [:]
    private var copies: Set<LocatorID> = []

    /// Executes a statement that the model has accepted.
    mutating func perform(_ operation: Operation) async -> Observation {
        let result: Result
        switch operation {
        case .close(let id): result = .disposal(failures: await locator(id).close().count)
        case .start(let id):
            do throws(InjectleError) {
                try await locator(id).start()
                result = .done
            } catch {
                result = .failure(Failure(error))
            }
        case .resolve(let request, let id, let variable) where request.isAsync:
            result = await resolveAsync(request, in: locator(id), into: variable)
        default: result = performNow(operation)
        }
        return Observation(result: result, effects: world.drainEffects())
    }

    private mutating func performNow(_ operation: Operation) -> Result {
        switch operation {
        case .makeLocator(let id, let name, let parent):
            let locator = Locator(Locator.Name(rawValue: name), parent: parent.map(locator))
            locator.register(.eager(Tag(number: id)))
            locators[id] = locator
        case .copyLocator(let id, let name, let original):
            let locator = Locator(copying: locator(original), Locator.Name(rawValue: name))
            locator.register(.eager(Tag(number: id)))
            locator.add(SilentBehavior())
            locators[id] = locator
            copies.insert(id)
        case .observe(let id): locator(id).add(SilentBehavior())
        case .releaseLocator(let id): locators[id] = nil
        case .reset(let id):
            locator(id).reset()
            locator(id).register(.eager(Tag(number: id)))
        case .register(let id, let recipe, let locatorID, let check):
            do {
                try register(id, recipe, in: locator(locatorID), check)
            } catch {
                return .failure(Failure(error))
            }
        case .removeHandle(let id): handles[id]?.remove()
        case .unregister(let identity, let id):
            let locator = locator(id)
            let key = identity.key?.value
            switch identity.type {
            case .engine:
                key == nil ? locator.unregisterService(Engine.self) : locator.unregister(Engine.self, key: key)
            case .wheel: locator.unregister(Wheel.self, key: key)
            case .radio: locator.unregister(Radio.self, key: key)
            case .part: locator.unregister((any Part).self, key: key)
            }
        case .unregisterKey(let key, let id): locator(id).unregisterService(withKey: key.value)
        case .resetInstance(let identity, let argument, let id):
            do {
                switch identity.type {
                case .engine: try reset(Engine.self, identity, argument, in: locator(id))
                case .wheel: try reset(Wheel.self, identity, argument, in: locator(id))
                case .radio: try reset(Radio.self, identity, argument, in: locator(id))
                case .part: try reset((any Part).self, identity, argument, in: locator(id))
                }
            } catch {
                return .failure(Failure(code: Failure(error).code))
            }
        case .resolve(let request, let id, let variable):
            do {
                let list = try resolve(request, in: locator(id))
                return keep(list, of: request, in: variable)
            } catch {
                return .failure(failure(error, of: request))
            }
        case .drop(let variable): variables[variable] = nil
        case .makeOwner(let variable, let id):
            owners[variable] = id.map { Locator.$shared.withValue(locator($0)) { Properties() } } ?? Properties()
        case .read(let property, let holder, let id):
            let product = Locator.$shared.withValue(locator(id)) { properties(of: holder)?.read(property) }
            return .instance(product?.number)
        case .clearOptject(let holder): properties(of: holder)?.optject.wrappedValue = nil
        case .dropOwner(let variable): owners[variable] = nil
        case .openScope(let id): world.setScope(id, to: Locator.Scope())
        case .resetScope(let id): world.scope(id)?.reset()
        case .closeScope(let id): world.setScope(id, to: nil)
        case .apply(let modules, let id):
            do {
                let copy = Phases(subject: self)
                defer { self = copy.subject }
                try locator(id).apply(modules.map { GeneratedModule(specification: $0, phases: copy) })
            } catch {
                return .failure(Failure(code: "module"))
            }
        case .close, .start: preconditionFailure("\(operation) is async")
        }
        return .done
    }

    private func locator(_ id: LocatorID) -> Locator {
        guard let locator = locators[id] else { preconditionFailure("The model accepted an unknown locator.") }
        return locator
    }

    private func properties(of holder: Holder) -> Properties? {
        switch holder {
        case .owner(let variable): owners[variable]
        case .service(let variable): variables[variable]?.first?.properties
        }
    }

    // MARK: Registering

    private mutating func register(_ id: RegistrationID, _ recipe: Recipe, in locator: Locator, _ check: Check) throws {
        switch recipe.type {
        case .engine: try register(Engine.self, id, recipe, in: locator, check)
        case .wheel: try register(Wheel.self, id, recipe, in: locator, check)
        case .radio, .part: try register(Radio.self, id, recipe, in: locator, check)
        }
    }

    private mutating func register<Service: Product>(
        _ type: Service.Type,
        _ id: RegistrationID,
        _ recipe: Recipe,
        in locator: Locator,
        _ check: Check
    ) throws {
        world.willFail(id, times: recipe.failures)
        var registration = registration(type, id, recipe)
        for hook in recipe.hooks {
            switch hook {
            case .plain: registration = registration.onDispose { [world] service in world.dispose(service.number) }
            case .failing:
                registration = registration.onDispose { [world] service in
                    world.dispose(service.number)
                    throw Failed()
                }
            }
        }
        if recipe.isFinal { registration = registration.final() }
        if recipe.isAtStart { registration = registration.atStart() }
        var key: AnyHashable?
        if case .service(let identity) = recipe.listings.first, recipe.listings.count == 1, identity.type == recipe.type
        {
            key = identity.key?.value
        } else {
            for listing in recipe.listings { registration = listing.added(to: registration) }
        }
        switch check {
        case .none: handles[id] = locator.register(registration, key: key)
        case .allowing: handles[id] = try locator.register(registration, key: key) { (_, _) throws(any Error) in }
        case .forbidding: handles[id] = try locator.register(registration, key: key, and: forbidReassignment)
        case .registering:
            let (calls, world) = (Counter(), world)
            handles[id] = try locator.register(registration, key: key) { (locator, _) throws(any Error) in
                // The library repeats the check, since the identity has changed, but not for ever.
                if calls.increment() > 50 { throw Failed() }
                locator.register(Locator.Registration<Service>.lazy { Service(world, -1) }, key: key)
            }
        }
    }

    private func registration<Service: Product>(_ type: Service.Type, _ id: RegistrationID, _ recipe: Recipe)
        -> Locator.Registration<Service>
    {
        let world = world
        @Sendable func make(_ resolver: Locator.Resolver) throws -> Service {
            world.call(id, in: try resolver.resolve(Tag.self).number)
            var dependencies: [Product] = []
            for dependency in recipe.dependencies { dependencies += try dependency.resolve(from: resolver) }
            try world.failIfDue(id)
            return Service(world, id, dependencies)
        }
        @Sendable func makeAsync(_ resolver: Locator.Resolver) async throws -> Service {
            world.call(id, in: try resolver.resolve(Tag.self).number)
            var dependencies: [Product] = []
            for dependency in recipe.dependencies { dependencies += try await dependency.resolveAsync(from: resolver) }
            try world.failIfDue(id)
            return Service(world, id, dependencies)
        }
        func lazy() -> Locator.Registration<Service> {
            switch (recipe.declared, recipe.isAsync) {
            case (.none, false):
                if !recipe.takesResolver {
                    .lazy {
                        world.call(id, in: nil)
                        try world.failIfDue(id)
                        return Service(world, id)
                    }
                } else {
                    .lazy { locator in try make(locator) }
                }
            case (.number, false): .lazy { (locator, _: Int) in try make(locator) }
            case (.text, false): .lazy { (locator, _: String) in try make(locator) }
            case (.part, false): .lazy { (locator, _: any Part) in try make(locator) }
            case (.engine, false): .lazy { (locator, _: Engine) in try make(locator) }
            case (.none, true): .lazy { locator in try await makeAsync(locator) }
            case (.number, true): .lazy { (locator, _: Int) in try await makeAsync(locator) }
            case (.text, true): .lazy { (locator, _: String) in try await makeAsync(locator) }
            case (.part, true): .lazy { (locator, _: any Part) in try await makeAsync(locator) }
            case (.engine, true): .lazy { (locator, _: Engine) in try await makeAsync(locator) }
            }
        }
        switch recipe.source {
        case .eager: return .eager(Service(world, id))
        case .prototype: return .factory(try Subject.prototype(type, id, world))
        case .closure(.volatile), .asyncClosure(.volatile): return lazy().lifetime(.volatile)
        case .closure(.lazy), .asyncClosure(.lazy): return lazy()
        case .closure(let lifetime), .asyncClosure(let lifetime):
            return lazy().lifetime(lifetime.value(in: world))
        }
    }

    private static func prototype<Service: Product>(_ type: Service.Type, _ id: RegistrationID, _ world: World) throws
        -> Service
    {
        world.call(id, in: nil)
        try world.failIfDue(id)
        return Service(world, id)
    }

    // MARK: Resolving

    private func resolve(_ request: Request, in locator: Locator) throws -> [Product] {
        let argument = request.argument.value(variables)
        switch request.form {
        case .one: return [try resolveOne(request.identity, argument, from: locator)]
        case .optional: return try resolveIfPresent(request.identity, argument, from: locator).map { [$0] } ?? []
        case .list: return try resolveList(request.identity, argument, from: locator)
        case .nested: return try resolveNested(request.identity, from: locator).map { [$0] } ?? []
        }
    }

    private mutating func resolveAsync(_ request: Request, in locator: Locator, into variable: VariableID?) async
        -> Result
    {
        let argument = request.argument.value(variables)
        do {
            let list: [Product] =
                switch request.form {
                case .one: [try await resolveOneAsync(request.identity, argument, from: locator)]
                case .optional:
                    try await resolveIfPresentAsync(request.identity, argument, from: locator).map { [$0] } ?? []
                case .list: try await resolveListAsync(request.identity, argument, from: locator)
                case .nested: try await resolveNestedAsync(request.identity, from: locator).map { [$0] } ?? []
                }
            return keep(list, of: request, in: variable)
        } catch {
            return .failure(failure(error, of: request))
        }
    }

    private func failure(_ error: any Error, of request: Request) -> Failure {
        request.form == .nested ? Failure(code: Failure(error).code) : Failure(error)
    }

    private mutating func keep(_ list: [Product], of request: Request, in variable: VariableID?) -> Result {
        if let variable, !list.isEmpty { variables[variable] = list }
        return request.form == .list ? .list(list.map(\.number)) : .instance(list.first?.number)
    }

    private func reset<Service>(
        _ type: Service.Type,
        _ identity: Identity,
        _ argument: Argument,
        in locator: Locator
    ) throws {
        let key = identity.key?.value
        switch argument.value(variables) {
        case .none: try locator.resetInstance(of: type, key: key)
        case .number(let number): try locator.resetInstance(of: type, key: key, arguments: number)
        case .text(let text): try locator.resetInstance(of: type, key: key, arguments: text)
        case .engine(let engine): try locator.resetInstance(of: type, key: key, arguments: engine)
        case .wheel(let wheel): try locator.resetInstance(of: type, key: key, arguments: wheel)
        case .radio(let radio): try locator.resetInstance(of: type, key: key, arguments: radio)
        }
    }

    // MARK: Observation

    func snapshot() -> Snapshot {
        var snapshot = Snapshot(alive: world.alive, registrations: [:], registered: [:])
        for (id, locator) in locators {
            snapshot.registrations[id] = locator.registrations.filter { $0.identity != Locator.Identity(Tag.self) }.map
            {
                info in
                Snapshot.Line(identity: Identity(info.identity), isCreated: info.isCreated)
            }
            if copies.contains(id) { snapshot.sortRegistrations(of: id) }
            snapshot.registered[id] = Set(
                Identity.all.filter { identity in
                    let key = identity.key?.value
                    return switch identity.type {
                    case .engine: locator.isRegistered(Engine.self, key: key)
                    case .wheel: locator.isRegistered(Wheel.self, key: key)
                    case .radio: locator.isRegistered(Radio.self, key: key)
                    case .part: locator.isRegistered((any Part).self, key: key)
                    }
                }
            )
        }
        return snapshot
    }

    var alive: Set<InstanceID> { world.alive }

    /// Releases everything.
    mutating func end() {
        variables = [:]
        owners = [:]
        handles = [:]
        locators = [:]
        for id in 0..<4 { world.setScope(id, to: nil) }
    }

    // MARK: Modules

    /// Passes the subject to the phases of modules.
    private final class Phases {
        var subject: Subject

        init(subject: Subject) { self.subject = subject }

        func run(_ operations: [Operation]) throws {
            for operation in operations { if case .failure = subject.performNow(operation) { throw Failed() } }
        }
    }

    private struct GeneratedModule: Locator.Module {
        let specification: ModuleSpecification
        let phases: Phases

        var id: AnyHashable { specification.id }

        func register(in locator: Locator) throws {
            try phases.run(specification.registering)
            if specification.failure == .register { throw Failed() }
        }

        func didRegister(in locator: Locator) throws {
            try phases.run(specification.warmingUp)
            if specification.failure == .didRegister { throw Failed() }
        }
    }
}

// MARK: The calls

/// The argument of a call with its static type.
enum StaticArgument {
    case none
    case number(Int)
    case text(String)
    case engine(Engine)
    case wheel(Wheel)
    case radio(Radio)
}

extension Argument {
    fileprivate func value(_ variables: [VariableID: [Product]]) -> StaticArgument {
        switch self {
        case .none: return .none
        case .number(let number): return .number(number)
        case .text(let text): return .text(text)
        case .service(let variable):
            switch variables[variable]?.first {
            case let engine as Engine: return .engine(engine)
            case let wheel as Wheel: return .wheel(wheel)
            case let radio as Radio: return .radio(radio)
            default: return .none
            }
        }
    }
}

extension Dependency {
    fileprivate func resolve(from resolver: Locator.Resolver) throws -> [Product] {
        let argument = argument.value([:])
        switch form {
        case .required: return [try resolveOne(identity, argument, from: resolver)]
        case .optional: return try resolveIfPresent(identity, argument, from: resolver).map { [$0] } ?? []
        case .list: return try resolveList(identity, argument, from: resolver)
        }
    }

    fileprivate func resolveAsync(from resolver: Locator.Resolver) async throws -> [Product] {
        let argument = argument.value([:])
        switch form {
        case .required: return [try await resolveOneAsync(identity, argument, from: resolver)]
        case .optional: return try await resolveIfPresentAsync(identity, argument, from: resolver).map { [$0] } ?? []
        case .list: return try await resolveListAsync(identity, argument, from: resolver)
        }
    }
}

func resolveOne(_ identity: Identity, _ argument: StaticArgument, from resolver: some Locator.Resolving)
    throws -> Product
{
    switch identity.type {
    case .engine: return try callOne(Engine.self, identity.key, argument, resolver)
    case .wheel: return try callOne(Wheel.self, identity.key, argument, resolver)
    case .radio: return try callOne(Radio.self, identity.key, argument, resolver)
    case .part: return try callOne((any Part).self, identity.key, argument, resolver).product
    }
}

private func callOne<Service: Sendable>(
    _ type: Service.Type,
    _ key: Key?,
    _ argument: StaticArgument,
    _ resolver: some Locator.Resolving
) throws -> Service {
    switch argument {
    case .none: return key == nil ? try resolver.resolve(type) : try resolver.resolve(type, key: key?.value)
    case .number(let value): return try resolver.resolve(type, key: key?.value, arguments: value)
    case .text(let value): return try resolver.resolve(type, key: key?.value, arguments: value)
    case .engine(let value): return try resolver.resolve(type, key: key?.value, arguments: value)
    case .wheel(let value): return try resolver.resolve(type, key: key?.value, arguments: value)
    case .radio(let value): return try resolver.resolve(type, key: key?.value, arguments: value)
    }
}

func resolveOneAsync(_ identity: Identity, _ argument: StaticArgument, from resolver: some Locator.Resolving)
    async throws -> Product
{
    switch identity.type {
    case .engine: return try await callOneAsync(Engine.self, identity.key, argument, resolver)
    case .wheel: return try await callOneAsync(Wheel.self, identity.key, argument, resolver)
    case .radio: return try await callOneAsync(Radio.self, identity.key, argument, resolver)
    case .part: return try await callOneAsync((any Part).self, identity.key, argument, resolver).product
    }
}

private func callOneAsync<Service: Sendable>(
    _ type: Service.Type,
    _ key: Key?,
    _ argument: StaticArgument,
    _ resolver: some Locator.Resolving
) async throws -> Service {
    switch argument {
    case .none:
        return key == nil
            ? try await resolver.resolveAsync(type) : try await resolver.resolveAsync(type, key: key?.value)
    case .number(let value): return try await resolver.resolveAsync(type, key: key?.value, arguments: value)
    case .text(let value): return try await resolver.resolveAsync(type, key: key?.value, arguments: value)
    case .engine(let value): return try await resolver.resolveAsync(type, key: key?.value, arguments: value)
    case .wheel(let value): return try await resolver.resolveAsync(type, key: key?.value, arguments: value)
    case .radio(let value): return try await resolver.resolveAsync(type, key: key?.value, arguments: value)
    }
}

func resolveIfPresent(_ identity: Identity, _ argument: StaticArgument, from resolver: some Locator.Resolving)
    throws -> Product?
{
    switch identity.type {
    case .engine: return try callOptional(Engine.self, identity.key, argument, resolver)
    case .wheel: return try callOptional(Wheel.self, identity.key, argument, resolver)
    case .radio: return try callOptional(Radio.self, identity.key, argument, resolver)
    case .part: return try callOptional((any Part).self, identity.key, argument, resolver)?.product
    }
}

private func callOptional<Service: Sendable>(
    _ type: Service.Type,
    _ key: Key?,
    _ argument: StaticArgument,
    _ resolver: some Locator.Resolving
) throws -> Service? {
    switch argument {
    case .none:
        return key == nil ? try resolver.resolveOptional(type) : try resolver.resolveOptional(type, key: key?.value)
    case .number(let value): return try resolver.resolveOptional(type, key: key?.value, arguments: value)
    case .text(let value): return try resolver.resolveOptional(type, key: key?.value, arguments: value)
    case .engine(let value): return try resolver.resolveOptional(type, key: key?.value, arguments: value)
    case .wheel(let value): return try resolver.resolveOptional(type, key: key?.value, arguments: value)
    case .radio(let value): return try resolver.resolveOptional(type, key: key?.value, arguments: value)
    }
}

func resolveIfPresentAsync(_ identity: Identity, _ argument: StaticArgument, from resolver: some Locator.Resolving)
    async throws -> Product?
{
    switch identity.type {
    case .engine: return try await callOptionalAsync(Engine.self, identity.key, argument, resolver)
    case .wheel: return try await callOptionalAsync(Wheel.self, identity.key, argument, resolver)
    case .radio: return try await callOptionalAsync(Radio.self, identity.key, argument, resolver)
    case .part: return try await callOptionalAsync((any Part).self, identity.key, argument, resolver)?.product
    }
}

private func callOptionalAsync<Service: Sendable>(
    _ type: Service.Type,
    _ key: Key?,
    _ argument: StaticArgument,
    _ resolver: some Locator.Resolving
) async throws -> Service? {
    switch argument {
    case .none:
        return key == nil
            ? try await resolver.resolveOptionalAsync(type)
            : try await resolver.resolveOptionalAsync(type, key: key?.value)
    case .number(let value): return try await resolver.resolveOptionalAsync(type, key: key?.value, arguments: value)
    case .text(let value): return try await resolver.resolveOptionalAsync(type, key: key?.value, arguments: value)
    case .engine(let value): return try await resolver.resolveOptionalAsync(type, key: key?.value, arguments: value)
    case .wheel(let value): return try await resolver.resolveOptionalAsync(type, key: key?.value, arguments: value)
    case .radio(let value): return try await resolver.resolveOptionalAsync(type, key: key?.value, arguments: value)
    }
}

/// A missing service that is a nil in an optional.
private struct NestedNil: Error {}

private func flattened<Service>(_ service: Service??) throws -> Service? {
    guard let outer = service else { return nil }
    guard let inner = outer else { throw NestedNil() }
    return inner
}

private func resolveNested(_ identity: Identity, from resolver: some Locator.Resolving) throws -> Product? {
    let key = identity.key?.value
    return switch identity.type {
    case .engine: try flattened(resolver.resolve(Engine??.self, key: key))
    case .wheel: try flattened(resolver.resolve(Wheel??.self, key: key))
    case .radio: try flattened(resolver.resolve(Radio??.self, key: key))
    case .part: try flattened(resolver.resolve((any Part)??.self, key: key))?.product
    }
}

private func resolveNestedAsync(_ identity: Identity, from resolver: some Locator.Resolving) async throws -> Product? {
    let key = identity.key?.value
    return switch identity.type {
    case .engine: try await flattened(resolver.resolveAsync(Engine??.self, key: key))
    case .wheel: try await flattened(resolver.resolveAsync(Wheel??.self, key: key))
    case .radio: try await flattened(resolver.resolveAsync(Radio??.self, key: key))
    case .part: try await flattened(resolver.resolveAsync((any Part)??.self, key: key))?.product
    }
}

func resolveList(_ identity: Identity, _ argument: StaticArgument, from resolver: some Locator.Resolving)
    throws -> [Product]
{
    switch identity.type {
    case .engine: return try callList(Engine.self, identity.key, argument, resolver)
    case .wheel: return try callList(Wheel.self, identity.key, argument, resolver)
    case .radio: return try callList(Radio.self, identity.key, argument, resolver)
    case .part: return try callList((any Part).self, identity.key, argument, resolver).map(\.product)
    }
}

private func callList<Service: Sendable>(
    _ type: Service.Type,
    _ key: Key?,
    _ argument: StaticArgument,
    _ resolver: some Locator.Resolving
) throws -> [Service] {
    switch argument {
    case .none: return try resolver.resolveAll(type, key: key?.value)
    case .number(let value): return try resolver.resolveAll(type, key: key?.value, arguments: value)
    case .text(let value): return try resolver.resolveAll(type, key: key?.value, arguments: value)
    case .engine(let value): return try resolver.resolveAll(type, key: key?.value, arguments: value)
    case .wheel(let value): return try resolver.resolveAll(type, key: key?.value, arguments: value)
    case .radio(let value): return try resolver.resolveAll(type, key: key?.value, arguments: value)
    }
}

func resolveListAsync(_ identity: Identity, _ argument: StaticArgument, from resolver: some Locator.Resolving)
    async throws -> [Product]
{
    switch identity.type {
    case .engine: return try await callListAsync(Engine.self, identity.key, argument, resolver)
    case .wheel: return try await callListAsync(Wheel.self, identity.key, argument, resolver)
    case .radio: return try await callListAsync(Radio.self, identity.key, argument, resolver)
    case .part: return try await callListAsync((any Part).self, identity.key, argument, resolver).map(\.product)
    }
}

private func callListAsync<Service: Sendable>(
    _ type: Service.Type,
    _ key: Key?,
    _ argument: StaticArgument,
    _ resolver: some Locator.Resolving
) async throws -> [Service] {
    switch argument {
    case .none: return try await resolver.resolveAllAsync(type, key: key?.value)
    case .number(let value): return try await resolver.resolveAllAsync(type, key: key?.value, arguments: value)
    case .text(let value): return try await resolver.resolveAllAsync(type, key: key?.value, arguments: value)
    case .engine(let value): return try await resolver.resolveAllAsync(type, key: key?.value, arguments: value)
    case .wheel(let value): return try await resolver.resolveAllAsync(type, key: key?.value, arguments: value)
    case .radio(let value): return try await resolver.resolveAllAsync(type, key: key?.value, arguments: value)
    }
}

// MARK: Values

extension Key {
    var value: AnyHashable {
        switch self {
        case .a: "a"
        case .b: "b"
        case .one: 1
        }
    }
}

extension Lifetime {
    fileprivate func value(in world: World) -> Locator.Lifetime {
        switch self {
        case .lazy: .lazy
        case .volatile: .volatile
        case .weak: .weak
        case .graph: .graph
        case .perLocator: .perLocator
        case .perArgument: .perArgument
        case .perLocatorNamed(let name): .perLocator(named: Locator.Name(rawValue: name))
        case .custom(let id): .custom(InScope(world: world, id: id))
        case .composite(let parts):
            switch parts.count {
            case 2: .composite(parts[0].value(in: world), parts[1].value(in: world))
            default: .composite(parts[0].value(in: world), parts[1].value(in: world), parts[2].value(in: world))
            }
        }
    }
}

extension Recipe.Listing {
    fileprivate func added<Service>(to registration: Locator.Registration<Service>) -> Locator.Registration<Service> {
        switch self {
        case .service(let identity):
            let key = identity.key?.value
            return switch identity.type {
            case .engine: registration.as(Engine.self, key: key)
            case .wheel: registration.as(Wheel.self, key: key)
            case .radio: registration.as(Radio.self, key: key)
            case .part: registration.as((any Part).self, key: key)
            }
        case .contribution(let identity):
            let key = identity.key?.value
            return switch identity.type {
            case .engine: registration.contributing(to: Engine.self, key: key)
            case .wheel: registration.contributing(to: Wheel.self, key: key)
            case .radio: registration.contributing(to: Radio.self, key: key)
            case .part: registration.contributing(to: (any Part).self, key: key)
            }
        }
    }
}

extension Identity {
    private static let table = Dictionary(
        uniqueKeysWithValues: all.flatMap { identity in
            // Errors name a list by its type.
            let types: [any Any.Type] =
                switch identity.type {
                case .engine: [Engine.self, [Engine].self]
                case .wheel: [Wheel.self, [Wheel].self]
                case .radio: [Radio.self, [Radio].self]
                case .part: [(any Part).self, [any Part].self]
                }
            return types.map { (Locator.Identity($0, key: identity.key?.value), identity) }
        }
    )

    /// The identity that a key of the library equals.
    init(_ key: Locator.Identity) {
        self = Identity.table[key] ?? Identity(type: .part, key: .b)
    }
}

extension Failure {
    private static let codes: [InjectleError: String] = [
        .missing: "missing", .wrongType: "wrongType", .wrongArguments: "wrongArguments",
        .requiresAsync: "requiresAsync",
        .circularDependency: "circularDependency", .factoryFailed: "factoryFailed", .locatorClosed: "locatorClosed",
        .forbiddenReassignment: "forbiddenReassignment", .locatorNotFound: "locatorNotFound",
        .invalidRegistration: "invalidRegistration",
    ]

    init(_ error: any Error) {
        if let error = error as? InjectleError {
            let identity = error.identity.map { Identity($0) }
            self.init(code: Failure.codes[error] ?? "another", identity: identity)
        } else {
            self.init(code: String(describing: error))
        }
    }
}
