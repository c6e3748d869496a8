import Dispatch
import Foundation
import Injectle
import InjectleTestSupport

/// One worker's operation in progress, for the report of a wait that does not end.
final class Activity: Sendable {
    private struct State {
        var name: String?
        /// The number of operations that have begun.
        var count = 0
    }

    private let state = Guarded(State())

    func begin(_ name: String) {
        state.withLock { state in
            state.name = name
            state.count += 1
        }
    }

    func end() { state.withLock { $0.name = nil } }

    /// The operation, or nil between two.
    var operation: (name: String, number: Int)? {
        state.withLock { state in state.name.map { ($0, state.count) } }
    }
}

/// Ends the process if an operation takes longer than its limit, and prints the operations in progress.
final class Watchdog: Sendable {
    private let stopped = DispatchSemaphore(value: 0)

    /// - Parameter limit: In seconds in which this process runs: no operation is at fault if the whole machine stands
    ///   still.
    init(_ activities: [Activity], limit: Int) {
        Thread.detachNewThread { [stopped] in
            var seen = activities.map { _ in (number: 0, seconds: 0) }
            while stopped.wait(timeout: .now() + 1) == .timedOut {
                for (index, activity) in activities.enumerated() {
                    let number = activity.operation?.number ?? 0
                    let isSame = number != 0 && number == seen[index].number
                    seen[index] = (number, isSame ? seen[index].seconds + 1 : 0)
                }
                guard seen.contains(where: { $0.seconds >= limit }) else { continue }
                let lines = zip(activities, seen).map { activity, seen in
                    activity.operation.map { "\($0.name), for \(seen.seconds) s" } ?? "idle"
                }
                FileHandle.standardError.write(
                    Data("error: an operation takes longer than \(limit) s.\n\(lines.joined(separator: "\n"))\n".utf8)
                )
                abort()
            }
        }
    }

    func stop() { stopped.signal() }
}

/// One round: workers use the locators of an arena, which then ends.
struct ConcurrentRound {
    static let threads = 3
    static let tasks = 3

    let seed: UInt64
    let operations: Int

    /// Returns the broken promises.
    func run(_ activities: [Activity]) async -> [String] {
        var (violations, ledgers) = await perform(activities)
        // A thread or a task can retain the locators, and a task its result, for a moment after its callers have
        // resumed.
        let end = ContinuousClock.now + .seconds(20)
        for ledger in ledgers {
            while !ledger.isSettled, ContinuousClock.now < end { await Task.yield() }
            violations += ledger.violations
        }
        return violations
    }

    /// Runs the workers, and closes the locators or releases them. Returns wrong errors, and the ledgers.
    private func perform(_ activities: [Activity]) async -> ([String], [Ledger]) {
        let arena = Arena()
        let scenes = Scenes(in: arena.root)
        let errors = Guarded<[String]>([])
        let start = Barrier(ConcurrentRound.threads + ConcurrentRound.tasks)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<ConcurrentRound.threads {
                group.addTask {
                    await onAnotherThread {
                        start.wait()
                        var worker = Worker(
                            arena,
                            scenes,
                            errors,
                            activities[index],
                            seed: self.seed &* 100 + UInt64(index)
                        )
                        for _ in 0..<self.operations { worker.perform() }
                    }
                }
            }
            for index in ConcurrentRound.threads..<ConcurrentRound.threads + ConcurrentRound.tasks {
                group.addTask {
                    await start.arrive()
                    var worker = Worker(
                        arena,
                        scenes,
                        errors,
                        activities[index],
                        seed: self.seed &* 100 + UInt64(index)
                    )
                    for _ in 0..<self.operations { await worker.performAsync() }
                }
            }
        }
        let violations = await scenes.end()
        errors.withLock { $0 += violations }
        if seed % 2 == 0 { await arena.root.close() }
        arena.removeChildren()
        arena.replaceScope(by: nil)
        return (errors.value, arena.ledgers)
    }
}

/// Performs random operations.
private struct Worker {
    let arena: Arena
    let scenes: Scenes
    let errors: Guarded<[String]>
    let activity: Activity
    var random: SplitMix64

    init(_ arena: Arena, _ scenes: Scenes, _ errors: Guarded<[String]>, _ activity: Activity, seed: UInt64) {
        self.arena = arena
        self.scenes = scenes
        self.errors = errors
        self.activity = activity
        random = SplitMix64(seed: seed)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func type() -> ServiceType {
        ServiceType.allCases[Int.random(in: 0..<ServiceType.allCases.count, using: &random)]
    }

    private mutating func key() -> Key? { chance(70) ? nil : .a }

    /// No service depends on itself, so nothing can be a cycle or a deadlock.
    private func check(_ error: any Error, in operation: String) {
        let allowed: [InjectleError] = [
            .missing, .wrongType, .wrongArguments, .factoryFailed, .requiresAsync, .locatorNotFound, .locatorClosed,
            .cancelled,
        ]
        if let error = error as? InjectleError, allowed.contains(error) { return }
        if error is Failed { return }
        errors.withLock { $0.append("\(operation): \(error)") }
    }

    private func attempt(_ name: String, _ body: () throws -> Void) {
        activity.begin(name)
        defer { activity.end() }
        do { try body() } catch { check(error, in: name) }
    }

    private func attemptAsync(_ name: String, _ body: () async throws -> Void) async {
        activity.begin(name)
        defer { activity.end() }
        do { try await body() } catch { check(error, in: name) }
    }

    // MARK: Operations

    mutating func perform() {
        let locator = arena.locator(&random)
        let identity = Identity(type: type(), key: chance(5) ? .one : key())
        switch Scenes.named.isEmpty ? Int.random(in: 0..<100, using: &random) : 71 {
        case 0..<18:
            let key = key()
            activity.begin("register")
            if chance(20) {
                arena.registerForProperties(&random)
            } else if chance(10) {
                arena.registerResettable(in: locator, &random)
            } else {
                arena.register(in: locator, key: key, &random)
            }
            activity.end()
        case 18..<24:
            let handle = arena.takeHandle(&random)
            attempt("remove") { handle?.remove() }
        case 24..<27: attempt("unregister \(identity)") { identity.unregister(from: locator) }
        case 27..<30: attempt("resetInstance") { try Identity(type: .radio, key: .one).reset(in: locator) }
        case 30..<36:
            let child = arena.makeChild(of: locator, chance(50) ? "session" : "request")
            if chance(50) { return arena.addChild(child, &random) }
            attempt("use a child") { _ = try identity.type.resolveOptional(from: child) }
        case 36..<44:
            let number = Int.random(in: 0..<2, using: &random)
            attempt("resolve \(identity) with \(number)") { _ = try locator.resolve(Radio.self, arguments: number) }
        case 44..<50: attempt("resolveAll") { _ = try locator.resolveAll((any Part).self) }
        case 50..<58:
            // Only the root is not closed meanwhile: a property of a closed locator traps.
            activity.begin("properties")
            let property = Locator.$shared.withValue(arena.root) { Optject<Radio>("b") }
            for _ in 0..<3 { _ = property() }
            activity.end()
        case 58..<61:
            let module = FuzzModule(arena: arena, number: random.next(), fails: chance(50))
            attempt("apply") { try locator.apply(module) }
        case 61..<63: arena.replaceScope(by: Locator.Scope())
        case 63..<65: attempt("reset a scope") { arena.resetScope() }
        case 65..<69:
            activity.begin("decorate \(identity)")
            identity.decorate(in: locator)
            activity.end()
        case 69..<71:
            activity.begin("remove from a locator that has gone")
            let number = random.next()
            // The call that registers is the last use of the locator, which the compiler then releases, and of its
            // parent.
            let handle = Locator("parent").child("passing").register(.lazy(.anywhere) { Passing(number: number) })
            handle.remove()
            activity.end()
        case 71..<82:
            activity.begin("perform a scene")
            scenes.perform(&random)
            activity.end()
        default: attempt("resolve \(identity)") { _ = try identity.resolve(from: locator) }
        }
    }

    mutating func performAsync() async {
        let locator = arena.locator(&random)
        let identity = Identity(type: type(), key: key())
        switch Scenes.named.isEmpty ? Int.random(in: 0..<100, using: &random) : 26 {
        case 0..<6: await attemptAsync("start") { try await locator.start() }
        case 6..<12:
            let child = arena.makeChild(of: locator, chance(50) ? "session" : "request")
            if chance(30) { arena.addChild(child, &random) }
            await attemptAsync("use and close a child") {
                _ = try? await identity.type.resolveOptionalAsync(from: child)
                for error in await child.close() { throw error }
            }
        case 12..<18: arena.takeHandle(&random)?.remove()
        case 18..<26:
            await attemptAsync("cancel \(identity)") {
                let task = Task { _ = try await identity.resolveAsync(from: locator) }
                task.cancel()
                try await task.value
            }
        case 26..<50:
            activity.begin("perform a scene in a task")
            await scenes.performAsync(&random)
            activity.end()
        default: await attemptAsync("resolveAsync \(identity)") { _ = try await identity.resolveAsync(from: locator) }
        }
    }
}

private final class Passing: Sendable {
    let number: UInt64
    init(number: UInt64) { self.number = number }
}

/// Registers and resolves under a key of its own, and can fail.
private struct FuzzModule: Locator.Module {
    let arena: Arena
    let number: UInt64
    let fails: Bool

    var id: AnyHashable { number }

    func register(in locator: Locator) throws {
        let ledger = arena.ledger("Radio of a module", .singleton, isDisposed: true)
        locator.register(
            .lazy { locator in Radio(ledger, try locator.resolve(Tag.self).number) }.onDispose {
                ledger.dispose($0.number)
            },
            key: "module"
        )
    }

    func didRegister(in locator: Locator) throws {
        _ = try locator.resolve(Radio.self, key: "module")
        if fails { throw Failed() }
    }
}

// MARK: Calls by dynamic type

extension ServiceType {
    func resolveOptional(from resolver: some Locator.Resolving) throws -> [Product] {
        try resolveIfPresent(Identity(type: self), .none, from: resolver).map { [$0] } ?? []
    }

    func resolveOptionalAsync(from resolver: some Locator.Resolving) async throws -> [Product] {
        try await resolveIfPresentAsync(Identity(type: self), .none, from: resolver).map { [$0] } ?? []
    }
}

extension Identity {
    fileprivate func resolve(from locator: Locator) throws -> Product { try resolveOne(self, .none, from: locator) }

    fileprivate func resolveAsync(from locator: Locator) async throws -> Product {
        try await resolveOneAsync(self, .none, from: locator)
    }

    fileprivate func unregister(from locator: Locator) {
        switch type {
        case .engine: locator.unregister(Engine.self, key: key?.value)
        case .wheel: locator.unregister(Wheel.self, key: key?.value)
        case .radio: locator.unregister(Radio.self, key: key?.value)
        case .part: locator.unregister((any Part).self, key: key?.value)
        }
    }

    /// With decorators that return the service, so that the ledgers count the same.
    fileprivate func decorate(in locator: Locator) {
        switch type {
        case .engine: locator.decorate(Engine.self, key: key?.value) { $0 }
        case .wheel: locator.decorate(Wheel.self, key: key?.value) { $0 }
        case .radio: locator.decorate(Radio.self, key: key?.value) { $0 }
        case .part: locator.decorate((any Part).self, key: key?.value) { $0 }
        }
    }

    fileprivate func reset(in locator: Locator) throws {
        switch type {
        case .engine: try locator.resetInstance(of: Engine.self, key: key?.value)
        case .wheel: try locator.resetInstance(of: Wheel.self, key: key?.value)
        case .radio: try locator.resetInstance(of: Radio.self, key: key?.value)
        case .part: try locator.resetInstance(of: (any Part).self, key: key?.value)
        }
    }
}
