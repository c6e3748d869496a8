import Foundation
import Injectle

/// The dependencies of a random graph of services, and the outcome of each request in it.
public struct ServiceGraphShape: Sendable {
    /// How a service uses another one.
    enum Edge { case closure, hook, lazy }

    struct Dependency {
        let target: Int
        let edge: Edge
    }

    struct Node {
        let isTransient: Bool
        /// Whether its last hook throws.
        let fails: Bool
        let dependencies: [Dependency]
    }

    let nodes: [Node]

    public var indices: Range<Int> { nodes.indices }

    /// A graph of two to six services.
    ///
    /// - Parameter isAsync: Whether the closures are async: then a hook cannot create transient services.
    public init(_ random: inout some RandomNumberGenerator, isAsync: Bool = false) {
        let count = Int.random(in: 2...6, using: &random)
        // Mostly hooks, so that many circles work.
        let edges: [Edge] = Bool.random(using: &random) ? [.closure, .hook, .lazy] : [.hook, .hook, .hook, .closure]
        let hasTransients = !isAsync && Int.random(in: 0..<3, using: &random) == 0
        let hasFailures = Int.random(in: 0..<4, using: &random) == 0
        nodes = (0..<count).map { _ in
            let dependencies = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                let edge = edges.randomElement(using: &random) ?? .hook
                return Dependency(target: Int.random(in: 0..<count, using: &random), edge: edge)
            }
            let isTransient = hasTransients && Int.random(in: 0..<3, using: &random) == 0
            let fails = hasFailures && Int.random(in: 0..<4, using: &random) == 0
            return Node(isTransient: isTransient, fails: fails, dependencies: dependencies)
        }
    }

    private struct Creations {
        var complete: Set<Int> = []
        var early: Set<Int> = []
        var running: Set<Int> = []
    }

    /// Whether a request for a service succeeds alone, where nothing exists yet.
    public func works(_ service: Int) -> Bool {
        var creations = Creations()
        return create(service, &creations)
    }

    private func create(_ service: Int, _ creations: inout Creations) -> Bool {
        if creations.complete.contains(service) || creations.early.contains(service) { return true }
        guard creations.running.insert(service).inserted else { return false }
        let node = nodes[service]
        for edge in [Edge.closure, .hook] {
            if edge == .hook, !node.isTransient { creations.early.insert(service) }
            for dependency in node.dependencies where dependency.edge == edge {
                if !create(dependency.target, &creations) { return false }
            }
        }
        creations.early.remove(service)
        creations.running.remove(service)
        if !node.isTransient { creations.complete.insert(service) }
        return !node.fails
    }

    /// Whether each request works alone. Then each service is created once.
    public var works: Bool { indices.allSatisfy(works) }
}

extension ServiceGraphShape: CustomStringConvertible {
    public var description: String {
        nodes.enumerated().map { number, node in
            let dependencies = node.dependencies.map { "\($0.edge) \($0.target)" }.joined(separator: ", ")
            return "\(number)\(node.isTransient ? " (transient)" : "")\(node.fails ? " (fails)" : ""): \(dependencies)"
        }
        .joined(separator: "; ")
    }
}

/// A locator with the services of a graph, and the promises that requests in it have broken.
public final class ServiceGraph: Sendable {
    // `@unchecked Sendable`: closures and hooks set the properties before others see the object.
    public final class Service: @unchecked Sendable {
        let number: Int
        fileprivate var others: [Service] = []
        fileprivate var lazy: [Locator.Lazy<Service>] = []
        fileprivate let isComplete = Guarded(false)
        init(_ number: Int) { self.number = number }
    }

    private struct Failure: Error {}

    public let shape: ServiceGraphShape
    private let isAsync: Bool
    private let locator = Locator("graph")
    private let services = Guarded<[Service]>([])
    private let problems = Guarded<[String]>([])
    /// Called in closures and hooks, to vary what happens at the same time.
    private let pause: @Sendable () -> Void

    public init(_ shape: ServiceGraphShape, isAsync: Bool = false, pause: @escaping @Sendable () -> Void = {}) {
        (self.shape, self.isAsync, self.pause) = (shape, isAsync, pause)
        for service in shape.indices { register(service) }
    }

    private func register(_ number: Int) {
        let node = shape.nodes[number]
        let create = { @Sendable [self] (lazy: [Locator.Lazy<Service>]) in
            let service = Service(number)
            service.lazy = lazy
            services.withLock { $0.append(service) }
            pause()
            return service
        }
        let closures = node.dependencies.filter { $0.edge == .closure }.map(\.target)
        let lazy = node.dependencies.filter { $0.edge == .lazy }.map(\.target)
        let registration: Locator.Registration<Service> =
            isAsync
            ? .lazy(.anywhere) { locator async throws in
                let service = create(try lazy.map { try locator.resolve(key: $0) })
                for other in closures { service.others.append(try await locator.resolveAsync(key: other)) }
                return service
            }
            : .lazy(.anywhere) { locator in
                let service = create(try lazy.map { try locator.resolve(key: $0) })
                for other in closures { service.others.append(try locator.resolve(key: other)) }
                return service
            }
        let hooks = node.dependencies.filter { $0.edge == .hook }.map(\.target)
        let complete = registration.afterInit { [pause] locator, service in
            let others: [Service] = try hooks.map { try locator.resolve(key: $0) }
            pause()
            service.others += others
            if node.fails { throw Failure() }
            service.isComplete.withLock { $0 = true }
        }
        locator.register(node.isTransient ? complete.lifetime(.volatile) : complete, key: number)
    }

    private func isComplete(_ service: Service) -> Bool {
        var (seen, pending): (Set<ObjectIdentifier>, [Service]) = ([], [service])
        while let next = pending.popLast() {
            if !next.isComplete.value { return false }
            if seen.insert(ObjectIdentifier(next)).inserted { pending += next.others }
        }
        return true
    }

    private func check(_ number: Int, _ body: () throws -> Service) {
        do {
            let service = try body()
            if service.number == number, isComplete(service) { return }
            problems.withLock { $0.append("\(number) is returned before it is complete") }
        } catch {
            if shape.works(number) { problems.withLock { $0.append("\(number) works alone: \(error)") } }
            guard let error = error as? InjectleError, ![.circularDependency, .factoryFailed].contains(error) else {
                return
            }
            problems.withLock { $0.append("\(number): \(error)") }
        }
    }

    /// Requests a service, which must have the same outcome as a request alone.
    public func request(_ number: Int) { check(number) { try locator.resolve(key: number) } }

    /// The same in a task.
    public func requestInTask(_ number: Int) async {
        let result: Swift.Result<Service, any Error>
        do { result = .success(try await locator.resolveAsync(key: number)) } catch { result = .failure(error) }
        check(number) { try result.get() }
    }

    /// Releases the services, and returns the broken promises.
    public func end() -> [String] {
        var all = problems.value
        for (number, group) in Dictionary(grouping: services.value, by: \.number) {
            if group.count > 1, shape.works, !shape.nodes[number].isTransient {
                all.append("\(number) was created \(group.count) times")
            }
        }
        for service in services.value { (service.others, service.lazy) = ([], []) }
        return all.map { "\($0), isAsync: \(isAsync), \(shape)" }
    }
}
