// The language of the generated programs: what a program can register, resolve and remove. Every value prints as the
// statement that a user would write, so that a failing program can be read.

typealias LocatorID = Int
typealias RegistrationID = Int
typealias VariableID = Int
typealias ScopeID = Int

/// A type that programs register and resolve. `part` is the protocol that the three classes conform to.
enum ServiceType: Int, CaseIterable, Hashable {
    case engine, wheel, radio, part

    static let classes: [ServiceType] = [.engine, .wheel, .radio]

    /// Whether an instance of the class `type` is an instance of this type.
    func includes(_ type: ServiceType) -> Bool { self == type || self == .part }
}

enum Key: Hashable, CaseIterable {
    case a, b, one
}

/// A type with an optional key.
struct Identity: Hashable {
    var type: ServiceType
    var key: Key?

    static let all = ServiceType.allCases.flatMap { type in
        ([nil] + Key.allCases).map { Identity(type: type, key: $0) }
    }
}

indirect enum Lifetime: Hashable {
    case lazy, volatile, weak, graph, perLocator, perArgument
    case perLocatorNamed(String)
    case custom(ScopeID)
    case composite([Lifetime])

    var parts: [Lifetime] { if case .composite(let parts) = self { parts } else { [self] } }
}

/// The type of the argument that a closure declares after its resolver.
enum DeclaredArgument: Hashable, CaseIterable {
    case none, number, text, part, engine
}

/// The argument that a caller passes.
enum Argument: Hashable {
    case none
    case number(Int)
    case text(String)
    /// The service that a variable holds, with its class as static type.
    case service(VariableID)
}

/// A call of `resolve` in a closure.
struct Dependency: Hashable {
    enum Form { case required, optional, list }

    var form: Form
    var identity: Identity
    var argument: Argument = .none
}

/// How one registration creates its service, and where it is found.
struct Recipe {
    enum Source: Hashable {
        case eager
        case prototype
        case closure(Lifetime)
        case asyncClosure(Lifetime)
    }

    enum Hook { case plain, failing }

    enum Listing: Hashable {
        case service(Identity)
        case contribution(Identity)

        var identity: Identity {
            switch self {
            case .service(let identity), .contribution(let identity): identity
            }
        }
    }

    var type: ServiceType
    var source: Source
    var declared = DeclaredArgument.none
    var dependencies: [Dependency] = []
    /// Whether the closure has a parameter for a resolver.
    var takesResolver = true
    /// How often the closure throws before it returns a service.
    var failures = 0
    var listings: [Listing]
    var hooks: [Hook] = []
    var isFinal = false
    var isAtStart = false

    /// The lifetime of a closure.
    var lifetime: Lifetime? {
        switch source {
        case .closure(let lifetime), .asyncClosure(let lifetime): lifetime
        case .eager, .prototype: nil
        }
    }

    var isAsync: Bool { if case .asyncClosure = source { true } else { false } }
}

/// A check that `register` runs before it inserts.
enum Check {
    case none, allowing, forbidding
    /// Registers another service under the same identity, which the new registration then replaces.
    case registering
}

/// A call of a function of the `resolve` family.
struct Request {
    enum Form {
        case one, optional, list
        /// As an optional of an optional, which is nil where the service is missing.
        case nested
    }

    var form: Form
    var identity: Identity
    var argument: Argument = .none
    var isAsync = false
}

/// A property of each service and of each ``Operation/makeOwner(_:in:)``.
enum Property: Int, CaseIterable, Hashable {
    case engine, part, partUnderA, optionalRadio, optject, injected

    enum Wrapper { case inject, injectOptional, optject, injectedOptional }

    var wrapper: Wrapper {
        switch self {
        case .engine, .part, .partUnderA: .inject
        case .optionalRadio: .injectOptional
        case .optject: .optject
        case .injected: .injectedOptional
        }
    }

    var identity: Identity {
        switch self {
        case .engine: Identity(type: .engine)
        case .part: Identity(type: .part)
        case .partUnderA: Identity(type: .part, key: .a)
        case .optionalRadio: Identity(type: .radio)
        case .optject: Identity(type: .wheel)
        case .injected: Identity(type: .engine)
        }
    }
}

/// An object with properties.
enum Holder: Hashable {
    /// An object that the program created itself.
    case owner(VariableID)
    /// The service that a variable holds.
    case service(VariableID)
}

struct ModuleSpecification {
    /// The phase that throws, after its operations.
    enum Failure { case none, register, didRegister }

    var id: Int
    var registering: [Operation]
    var warmingUp: [Operation]
    var failure: Failure
}

/// One statement of a program. A statement that names something that does not exist is skipped.
indirect enum Operation {
    case makeLocator(LocatorID, name: String, parent: LocatorID?)
    case copyLocator(LocatorID, name: String, of: LocatorID)
    /// Adds a behavior that does nothing to a root, so that all reads take the slow path.
    case observe(LocatorID)
    case releaseLocator(LocatorID)
    case close(LocatorID)
    case start(LocatorID)
    case reset(LocatorID)
    case register(RegistrationID, Recipe, in: LocatorID, Check)
    case removeHandle(RegistrationID)
    case unregister(Identity, in: LocatorID)
    case unregisterKey(Key, in: LocatorID)
    case resetInstance(Identity, Argument, in: LocatorID)
    case resolve(Request, in: LocatorID, into: VariableID?)
    case drop(VariableID)
    case makeOwner(VariableID, in: LocatorID?)
    case read(Property, of: Holder, in: LocatorID)
    case clearOptject(of: Holder)
    case dropOwner(VariableID)
    case openScope(ScopeID)
    case resetScope(ScopeID)
    case closeScope(ScopeID)
    case apply([ModuleSpecification], in: LocatorID)
}

// MARK: Descriptions

extension ServiceType: CustomStringConvertible {
    var description: String {
        switch self {
        case .engine: "Engine"
        case .wheel: "Wheel"
        case .radio: "Radio"
        case .part: "(any Part)"
        }
    }
}

extension Key: CustomStringConvertible {
    var description: String {
        switch self {
        case .a: "\"a\""
        case .b: "\"b\""
        case .one: "1"
        }
    }
}

extension Identity: CustomStringConvertible {
    var description: String { "\(type).self\(key.map { ", key: \($0)" } ?? "")" }
}

extension Lifetime: CustomStringConvertible {
    var description: String {
        switch self {
        case .lazy: ".lazy"
        case .volatile: ".volatile"
        case .weak: ".weak"
        case .graph: ".graph"
        case .perLocator: ".perLocator"
        case .perArgument: ".perArgument"
        case .perLocatorNamed(let name): ".perLocator(named: \"\(name)\")"
        case .custom(let scope): ".custom(In(scope\(scope)))"
        case .composite(let parts): ".composite(\(parts.map(\.description).joined(separator: ", ")))"
        }
    }
}

extension Argument: CustomStringConvertible {
    var description: String {
        switch self {
        case .none: ""
        case .number(let number): ", arguments: \(number)"
        case .text(let text): ", arguments: \"\(text)\""
        case .service(let variable): ", arguments: v\(variable)"
        }
    }
}

extension Dependency: CustomStringConvertible {
    var description: String {
        switch form {
        case .required: "resolve(\(identity)\(argument))"
        case .optional: "resolveOptional(\(identity)\(argument))"
        case .list: "resolveAll(\(identity)\(argument))"
        }
    }
}

extension Recipe: CustomStringConvertible {
    var description: String {
        var text: String
        let parameters =
            switch declared {
            case .none: "locator"
            case .number: "(locator, _: Int)"
            case .text: "(locator, _: String)"
            case .part: "(locator, _: any Part)"
            case .engine: "(locator, _: Engine)"
            }
        var statements = dependencies.map { "try \(isAsync ? "await " : "")locator.\($0)" }
        if failures > 0 { statements.append("try failOnTheFirst(\(failures))") }
        statements.append("\(type)()")
        let closure = "{ \(takesResolver ? "\(parameters) in " : "")\(statements.joined(separator: "; ")) }"
        switch source {
        case .eager: text = ".eager(\(type)())"
        case .prototype: text = ".factory(\(type)())"
        case .closure(.volatile), .asyncClosure(.volatile): text = ".volatile \(closure)"
        case .closure(.lazy), .asyncClosure(.lazy): text = ".lazy \(closure)"
        case .closure(let lifetime), .asyncClosure(let lifetime): text = ".lazy \(closure).lifetime(\(lifetime))"
        }
        if isAsync { text += "/* async */" }
        for listing in listings {
            switch listing {
            case .service(let identity): text += ".as(\(identity))"
            case .contribution(let identity): text += ".contributing(to: \(identity))"
            }
        }
        for hook in hooks {
            switch hook {
            case .plain: text += ".onDispose { log($0) }"
            case .failing: text += ".onDispose { log($0); throw Failed() }"
            }
        }
        if isFinal { text += ".final()" }
        if isAtStart { text += ".atStart()" }
        return text
    }
}

extension Request: CustomStringConvertible {
    var description: String {
        let name =
            switch form {
            case .one: "resolve"
            case .optional: "resolveOptional"
            case .list: "resolveAll"
            case .nested: "resolveNested"
            }
        return "\(name)\(isAsync ? "Async" : "")(\(identity)\(argument))"
    }
}

extension Holder: CustomStringConvertible {
    var description: String {
        switch self {
        case .owner(let variable): "owner\(variable)"
        case .service(let variable): "v\(variable)"
        }
    }
}

extension Operation: CustomStringConvertible {
    var description: String {
        switch self {
        case .makeLocator(let id, let name, let parent):
            "var l\(id) = Locator(\"\(name)\"\(parent.map { ", parent: l\($0)" } ?? ""))"
        case .copyLocator(let id, let name, let original):
            "var l\(id) = Locator(copying: l\(original), \"\(name)\")"
        case .observe(let id): "l\(id).add(SilentBehavior())"
        case .releaseLocator(let id): "l\(id) = nil"
        case .close(let id): "await l\(id).close()"
        case .start(let id): "try await l\(id).start()"
        case .reset(let id): "l\(id).reset()"
        case .register(let id, let recipe, let locator, let check):
            "let r\(id) = l\(locator).register(\(recipe)\(["", ", and: allowThrowing", ", and: forbidReassignment", ", and: registerAnother"][check.number]))"
        case .removeHandle(let id): "r\(id).remove()"
        case .unregister(let identity, let locator): "l\(locator).unregister(\(identity))"
        case .unregisterKey(let key, let locator): "l\(locator).unregisterService(withKey: \(key))"
        case .resetInstance(let identity, let argument, let locator):
            "try l\(locator).resetInstance(of: \(identity)\(argument))"
        case .resolve(let request, let locator, let variable):
            "\(variable.map { "var v\($0)" } ?? "_") = try \(request.isAsync ? "await " : "")l\(locator).\(request)"
        case .drop(let variable): "v\(variable) = nil"
        case .makeOwner(let variable, let locator):
            locator.map { "var owner\(variable) = Locator.$shared.withValue(l\($0)) { Properties() }" }
                ?? "var owner\(variable) = Properties()"
        case .read(let property, let holder, let locator):
            "Locator.$shared.withValue(l\(locator)) { \(holder).\(property) }"
        case .clearOptject(let holder): "\(holder).optject = nil"
        case .dropOwner(let variable): "owner\(variable) = nil"
        case .openScope(let id): "scope\(id) = Locator.Scope()"
        case .resetScope(let id): "scope\(id)?.reset()"
        case .closeScope(let id): "scope\(id) = nil"
        case .apply(let modules, let locator):
            "try l\(locator).apply(\(modules.map(\.description).joined(separator: ", ")))"
        }
    }
}

extension ModuleSpecification: CustomStringConvertible {
    var description: String {
        func block(_ name: String, _ operations: [Operation], fails: Bool) -> String {
            "\(name) { \((operations.map(\.description) + (fails ? ["throw Failed()"] : [])).joined(separator: "; ")) }"
        }
        return "Module(\(id), \(block("register", registering, fails: failure == .register)), "
            + "\(block("didRegister", warmingUp, fails: failure == .didRegister)))"
    }
}

extension Check {
    fileprivate var number: Int {
        switch self {
        case .none: 0
        case .allowing: 1
        case .forbidding: 2
        case .registering: 3
        }
    }
}
