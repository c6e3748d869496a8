// The calls of Swinject on top of Injectle. Copy this file, move one registration after another to the form of
// Injectle, and then delete it. `container.locator` has the registrations of both forms, which find each other.

import Foundation
public import Injectle

/// Resolves services. Returns nil where none is registered.
public protocol Resolver: Sendable {
    func resolve<Service, each A>(_: Service.Type, name: String?, arguments: repeat each A) -> Service?
}
extension Resolver {
    public func resolve<Service>(_ type: Service.Type) -> Service? { resolve(type, name: nil) }
    public func resolve<T, A>(_ t: T.Type, name: String? = nil, argument: A) -> T? {
        resolve(t, name: name, arguments: argument)
    }
    public func resolve<Service, A, each B>(_ type: Service.Type, arguments a: A, _ b: repeat each B) -> Service? {
        resolve(type, name: nil, arguments: a, repeat each b)
    }
}

/// A locator with the calls of Swinject. Its mutable state is under a lock.
public final class Container: Resolver, CustomStringConvertible, @unchecked Sendable {
    /// The locator with all registrations. It does not retain the container, which its registrations need.
    public let locator: Locator
    let scope: ObjectScope
    private let parent: Container?
    private let isSynchronized: Bool
    private let requests: NSRecursiveLock
    private let lock = NSLock()
    private var behaviors: [any Behavior]
    private var entries: [Locator.Identity: any AnyServiceEntry] = [:]

    public init(
        parent: Container? = nil,
        locator: Locator? = nil,
        isSynchronized: Bool = false,
        defaultObjectScope scope: ObjectScope = .graph,
        behaviors: [any Behavior] = [],
        registeringClosure: (Container) -> Void = { _ in }
    ) {
        (self.parent, self.isSynchronized, self.scope, self.behaviors) = (parent, isSynchronized, scope, behaviors)
        (self.locator, requests) = (locator ?? Locator(parent: parent?.locator), parent?.requests ?? NSRecursiveLock())
        registeringClosure(self)
    }
    @discardableResult public func register<Service, each A>(
        _ type: Service.Type,
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        factory: @escaping (any Resolver, repeat each A) -> Service
    ) -> ServiceEntry<Service> {
        let entry = ServiceEntry<Service>(self, (any Resolver, repeat each A).self) { entry in
            .lazy(isolation: nil, fileID: fileID, line: line) { (_: Locator.Resolver, a: repeat each A) in
                entry.instance { factory($0, repeat each a) }
            }
        }
        return entry.implements(type, name: name).inObjectScope(scope)
    }
    public func forward<T, S>(_ t: T.Type, name: String? = nil, to entry: ServiceEntry<S>) {
        entry.implements(t, name: name)
    }
    public func resolve<Service, each A>(_: Service.Type, name: String?, arguments a: repeat each A) -> Service? {
        if Service.self == GraphIdentifier.self { return Frame.current?.graph as? Service }
        return inGraph { () -> Service? in
            guard let type = Service.self as? any Deferred.Type else { return provide(name, repeat each a) }
            return type.make(self, name, repeat each a) as? Service
        }
    }
    private func provide<Service, each A>(_ name: String?, _ a: repeat each A) -> Service? {
        do { return try locator.resolve(Service.self, key: name, arguments: repeat each a) } catch {
            // A registration of a child hides the parent's registrations with other arguments.
            if error == .wrongArguments, let found: Service = parent?.provide(name, repeat each a) { return found }
            let identity = Locator.Identity(Service.self, key: name)
            if error == .circularDependency, let it = Frame.again(identity, after: error) { return it as? Service }
            if ProcessInfo.processInfo.environment["SWINJECT_LOGGING_ENABLED"] == "1" {
                FileHandle.standardError.write(Data("Swinject: \(error)\n".utf8))
            }
            return nil
        }
    }
    public func hasAnyRegistration<T>(of t: T.Type, name: String? = nil) -> Bool { locator.isRegistered(t, key: name) }
    public func synchronize() -> any Resolver {
        Container(parent: self, isSynchronized: true, defaultObjectScope: scope)
    }
    public func addBehavior(_ behavior: any Behavior) { lock.withLock { behaviors.append(behavior) } }
    public func removeAll() {
        lock.withLock { entries = [:] }
        locator.reset()
    }
    public func resetObjectScope(_ scope: ObjectScope, serviceType: Any.Type? = nil) {
        for (key, entry) in lock.withLock({ entries }) where serviceType ?? key.type == key.type { entry.reset(scope) }
        parent?.resetObjectScope(scope, serviceType: serviceType)
    }
    public func withObjectGraph<T>(_ graph: GraphIdentifier, closure: (Container) throws -> T) rethrows -> T {
        try inGraph(graph) { try closure(self) }
    }
    public var description: String {
        let lines = lock.withLock { entries }.map { "\n    { \($0.key!), \($1) }" }
        return "[\(lines.sorted().joined(separator: ","))\n]"
    }
    /// Runs `body` in the given graph, else in the graph that the current thread creates, else in a new one.
    func inGraph<Value>(_ graph: GraphIdentifier? = nil, _ body: () throws -> Value) rethrows -> Value {
        let current = Frame.current
        if let current, current.container === self, graph == nil || graph === current.graph { return try body() }
        // Factory closures of synchronized containers run one after another.
        if current == nil && isSynchronized { requests.lock() }
        defer { if current == nil && isSynchronized { requests.unlock() } }
        return try Frame(self, graph ?? current?.graph ?? GraphIdentifier()).run(body)
    }
    func didRegister<T, Service>(_: T.Type, _ name: String?, _ entry: ServiceEntry<Service>) {
        let label = name.map { ", Name: \"\($0)\"" } ?? ""
        let key = "Service: \(Service.self)\(label), Factory: \(entry.arguments) -> \(T.self)"
        lock.withLock { entries[Locator.Identity(T.self, key: key)] = entry }
        for behavior in lock.withLock({ behaviors }) {
            behavior.container(self, didRegisterType: T.self, toService: entry, withName: name)
        }
    }
}

/// A registration. Each change replaces it in the locator.
public final class ServiceEntry<Service>: AnyServiceEntry {
    private(set) var identities: [Locator.Identity] = []
    private(set) var scope: ObjectScope
    let arguments: Any.Type
    private var storage: (any InstanceStorage)?
    private var hooks: [(any Resolver, Service) -> Void] = []
    private weak var container: Container?
    private let build: (ServiceEntry) -> Locator.Registration<Service>

    init(_ owner: Container, _ types: Any.Type, _ build: @escaping (ServiceEntry) -> Locator.Registration<Service>) {
        (container, arguments, self.build, scope) = (owner, types, build, owner.scope)
    }
    private func register() -> Self {
        var registration = build(self).lifetime(scope.lifetime)
        for identity in identities {
            func add<T>(_ type: T.Type) { registration = registration.as(type, key: identity.key) }
            _openExistential(identity.type, do: add)
        }
        container?.locator.register(registration)
        return self
    }
    @discardableResult public func inObjectScope(_ scope: ObjectScope) -> Self {
        (self.scope, storage) = (scope, scope.storageFactory?())
        return register()
    }
    @discardableResult public func initCompleted(_ completed: @escaping (any Resolver, Service) -> Void) -> Self {
        hooks.append(completed)
        return register()
    }
    @discardableResult public func implements<each T>(_ type: repeat (each T).Type, name: String? = nil) -> Self {
        repeat implement(each type, name)
        return register()
    }
    private func implement<T>(_ type: T.Type, _ name: String?) {
        identities.append(Locator.Identity(type, key: name))
        container?.didRegister(type, name, self)
    }
    /// Creates an instance as Swinject does, unless the storage or the graph has one.
    func instance(_ factory: @escaping (any Resolver) -> Service) -> Service {
        guard let container = Frame.current?.container ?? container else {
            fatalError("Keep the container that has registered \(Service.self): \(self)")
        }
        return container.inGraph {
            let frame = Frame(container, Frame.current!.graph, self) { self.instance(factory) }
            if let object = storage?.instance ?? frame.graph.object(of: self), let kept = object as? Service {
                return kept
            }
            return frame.run {
                let service = factory(container)
                if let instance = frame.instance, let again = instance as? Service { return again }
                frame.retain(service)
                if scope === ObjectScope.graph || scope === ObjectScope.weak { frame.graph.keep(service, of: self) }
                storage?.instance = service
                for hook in hooks { hook(container, service) }
                return service
            }
        }
    }
    func reset(_ scope: ObjectScope) {
        guard scope === self.scope else { return }
        storage?.instance = nil
        try? container?.locator.resetInstance(of: Service.self, key: identities[0].key)
    }
    public var description: String {
        "ObjectScope: \(scope)" + (hooks.isEmpty ? "" : ", InitCompleted: Specified \(hooks.count) closures")
    }
}
protocol AnyServiceEntry: AnyObject, CustomStringConvertible {
    var identities: [Locator.Identity] { get }
    func reset(_ scope: ObjectScope)
}

/// Observes the registrations of a container.
public protocol Behavior {
    func container<T, S>(_: Container, didRegisterType: T.Type, toService: ServiceEntry<S>, withName: String?)
}

/// How long an instance lives. A scope of your own keeps it in a storage, which its factory returns for each service.
public final class ObjectScope: CustomStringConvertible, @unchecked Sendable {
    public static let transient = ObjectScope(description: "transient")
    public static let graph = ObjectScope(description: "graph")
    public static let container = ObjectScope(description: "container")
    public static let weak = ObjectScope(description: "weak")
    public let description: String
    let storageFactory: (() -> any InstanceStorage)?
    var lifetime: Locator.Lifetime { self === Self.container ? .lazy : self === Self.weak ? .weak : .volatile }

    public init(storageFactory: (() -> any InstanceStorage)? = nil, description: String = "") {
        (self.storageFactory, self.description) = (storageFactory, description)
    }
}
public protocol InstanceStorage: AnyObject { var instance: Any? { get set } }
public final class PermanentStorage: InstanceStorage {
    public var instance: Any?
    public init() {}
}

/// The objects that one outermost request creates, while something retains them: a `Lazy` continues its graph later.
public final class GraphIdentifier: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var objects: [ObjectIdentifier: () -> AnyObject?] = [:]
    func object(of entry: any AnyServiceEntry) -> Any? { lock.withLock { objects[ObjectIdentifier(entry)] }?() }
    func keep(_ service: Any, of entry: any AnyServiceEntry) {
        guard type(of: service) is AnyClass else { return }
        let object = { [weak object = service as AnyObject] in withExtendedLifetime(entry) { object } }
        lock.withLock { objects[ObjectIdentifier(entry)] = object }
    }
}

/// A request to a container, or the creation of an instance. Only the thread that runs it uses it.
private final class Frame: @unchecked Sendable {
    @TaskLocal private static var innermost: Frame?
    /// Without the frame that a task has inherited.
    static var current: Frame? { innermost.flatMap { $0.thread == pthread_self() && !$0.isOver ? $0 : nil } }
    let container: Container
    let graph: GraphIdentifier
    private(set) var instance: Any?
    private let outer = Frame.current
    private let entry: (any AnyServiceEntry)?
    private let create: () -> Any
    private let thread = pthread_self()
    private var isOver = false
    private var services: [Any] = []

    init(_ c: Container, _ g: GraphIdentifier, _ e: (any AnyServiceEntry)? = nil, _ f: @escaping () -> Any = { () }) {
        (container, graph, entry, create) = (c, g, e, f)
    }
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        defer { (isOver, services) = (true, []) }
        return try Frame.$innermost.withValue(self, operation: body)
    }
    /// Keeps the instance for requests within its creation, and until the outermost request returns.
    func retain(_ service: Any) {
        instance = service
        sequence(first: self, next: \.outer).reversed()[0].services.append(service)
    }
    /// The instance for a request within its creation, or nil if no creation is in progress. As in Swinject, a factory
    /// closure that still runs is called again for a hook, and its first instance is dropped.
    static func again(_ identity: Locator.Identity, after error: InjectleError) -> Any? {
        var isHook = false
        for case let frame? in sequence(first: current, next: { $0?.outer }) {
            isHook = isHook || frame.instance != nil
            guard frame.entry?.identities.contains(identity) == true else { continue }
            if !isHook { fatalError(error.description) }
            frame.instance = frame.instance ?? frame.container.inGraph(frame.graph, frame.create)
            return frame.instance
        }
        return nil
    }
}

/// Resolves a service at each read.
public class Provider<Service>: Deferred {
    public var instance: Service { resolve(nil) }
    let resolve: (GraphIdentifier?) -> Service
    required init(_ resolve: @escaping (GraphIdentifier?) -> Service) { self.resolve = resolve }
    static func make<each A>(_ container: Container, _ name: String?, _ a: repeat each A) -> Self? {
        guard container.hasAnyRegistration(of: Service.self, name: name) else { return nil }
        return Self { graph in
            container.inGraph(graph) { container.resolve(Service.self, name: name, arguments: repeat each a)! }
        }
    }
}
/// Resolves a service at the first read, in the graph that it is part of.
public final class Lazy<Service>: Provider<Service> {
    public override var instance: Service { first }
    private lazy var first = resolve(graph)
    private let graph = Frame.current?.graph
}
private protocol Deferred {
    static func make<each A>(_ container: Container, _ name: String?, _ a: repeat each A) -> Self?
}

/// A group of registrations.
public protocol Assembly {
    func assemble(container: Container)
    func loaded(resolver: any Resolver)
}
extension Assembly { public func loaded(resolver: any Resolver) {} }

/// A container that assemblies fill.
public final class Assembler {
    private let container: Container
    public var resolver: any Resolver { container }
    public init(
        _ assemblies: [any Assembly] = [],
        parent: Assembler? = nil,
        parentAssembler: Assembler? = nil,
        container: Container? = nil,
        defaultObjectScope scope: ObjectScope = .graph,
        behaviors: [any Behavior] = []
    ) {
        let parent = (parent ?? parentAssembler)?.container
        self.container = container ?? Container(parent: parent, defaultObjectScope: scope, behaviors: behaviors)
        apply(assemblies: assemblies)
    }
    public func apply(assembly: any Assembly) { apply(assemblies: [assembly]) }
    public func apply(assemblies: [any Assembly]) {
        for assembly in assemblies { assembly.assemble(container: container) }
        for assembly in assemblies { assembly.loaded(resolver: container) }
    }
}
