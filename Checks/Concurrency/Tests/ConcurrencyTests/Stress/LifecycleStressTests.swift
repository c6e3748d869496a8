import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// A service with its dependencies.
private final class Node: Sendable {
    let number: Int
    let needs: [Node]
    init(_ number: Int, _ needs: [Node]) {
        self.number = number
        self.needs = needs
    }
}

/// A deterministic random number generator.
private struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x9E37_79B9_7F4A_7C15 | 1 }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// Services with random dependencies that record creation and disposal.
private struct Web: Sendable {
    enum Kind { case asynchronous, marked, lazy }

    let needs: [[Int]]
    let kinds: [Kind]
    let created = Guarded<[Int]>([])
    let ended = Guarded<[Int]>([])

    init(_ count: Int, seed: Int) {
        var dice = Dice(seed)
        needs = (0..<count).map { number in
            let count = number == 0 ? 0 : Int.random(in: 0...3, using: &dice)
            return (0..<count).map { _ in Int.random(in: 0..<number, using: &dice) }
        }
        kinds = (0..<count).map { _ in [.asynchronous, .asynchronous, .marked, .lazy].randomElement(using: &dice)! }
    }

    func register(in locator: Locator) {
        for number in needs.indices.reversed() { register(number, in: locator) }
    }

    private func register(_ number: Int, in locator: Locator) {
        let registration =
            switch kinds[number] {
            case .asynchronous: awaiting(number)
            case .marked: immediate(number).atStart()
            case .lazy: immediate(number)
            }
        // Some disposers are async.
        if number % 3 == 0 {
            locator.register(
                registration.onDispose { node in
                    await Task.yield()
                    end(node)
                },
                key: number
            )
        } else {
            locator.register(registration.onDispose { end($0) }, key: number)
        }
    }

    private func awaiting(_ number: Int) -> Locator.Registration<Node> {
        .lazy(.anywhere) { locator in
            var nodes: [Node] = []
            for need in needs[number] { nodes.append(try await locator.resolveAsync(key: need)) }
            return make(number, nodes)
        }
    }

    private func immediate(_ number: Int) -> Locator.Registration<Node> {
        .lazy(.anywhere) { locator in make(number, try needs[number].map { try locator.resolve(Node.self, key: $0) }) }
    }

    private func make(_ number: Int, _ needs: [Node]) -> Node {
        created.withLock { $0.append(number) }
        return Node(number, needs)
    }

    private func end(_ node: Node) { ended.withLock { $0.append(node.number) } }

    /// Counts dependencies that the order violates.
    func violations(of order: [Int], isReversed: Bool) -> Int {
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        var count = 0
        for number in order {
            for need in needs[number] {
                guard let place = places[need], let own = places[number] else { continue }
                if (place < own) == isReversed { count += 1 }
            }
        }
        return count
    }

    /// Whether each created instance was disposed once.
    var isEndedOnce: Bool { created.value.sorted() == ended.value.sorted() }
}

private final class Disposable: Sendable {
    let count = Counter()
}

/// Registers services under the keys 0 to 19, whose instances are added to `all`.
private func registerTwenty(_ lifetime: Locator.Lifetime, in locator: Locator, _ all: Guarded<[Disposable]>) {
    for key in 0..<20 {
        let registration: Locator.Registration<Disposable> = .lazy(.anywhere) {
            let service = Disposable()
            all.withLock { $0.append(service) }
            return service
        }
        locator.register(registration.lifetime(lifetime).onDispose { $0.count.increment() }, key: key)
    }
}

/// Concurrent start, close and disposal. Scaled and run as `StressTests`.
@Suite(.serialized) struct LifecycleStressTests {
    @Test func `close disposes in reverse order of start`() async throws {
        for round in 0..<Stress.rounds(100) {
            let web = Web(200, seed: round)
            let locator = Locator("web")
            web.register(in: locator)
            try await locator.start()
            let created = web.created.value
            #expect(Set(created).count == created.count)
            #expect(Set(created).isSuperset(of: web.kinds.indices.filter { web.kinds[$0] != .lazy }))
            #expect(web.violations(of: created, isReversed: false) == 0)
            #expect(await locator.close().isEmpty)
            #expect(web.isEndedOnce)
            #expect(web.violations(of: web.ended.value, isReversed: true) == 0)
        }
    }

    @Test func `Closing during start disposes each instance once`() async throws {
        let rounds = Stress.rounds(400)
        var failures = 0
        var partial = 0
        for round in 0..<rounds {
            let web = Web(30, seed: round)
            let locator = Locator("web")
            web.register(in: locator)
            let hasStarted = Guarded(false)
            let start = Task {
                defer { hasStarted.withLock { $0 = true } }
                return await thrown { try await locator.start() }
            }
            while web.created.value.count < round % 10, !hasStarted.value { await Task.yield() }
            await locator.close()
            let (created, ended) = (web.created.value, web.ended.value)
            if !web.isEndedOnce || web.violations(of: ended, isReversed: true) > 0 { failures += 1 }
            let error = await start.value
            if error != nil, !created.isEmpty { partial += 1 }
            if let error, error != .locatorClosed { failures += 1 }
            if web.created.value != created || web.ended.value != ended { failures += 1 }
        }
        #expect(failures == 0)
        // Some rounds closed in the middle of the start.
        #expect(partial > 0)
    }

    @Test func `Concurrent replacement and removal dispose each instance once`() async {
        let locator = Locator("replaced")
        let child = locator.child()
        let all = Guarded<[Disposable]>([])
        let rounds = Stress.rounds(3_000)
        @Sendable func registration(_ lifetime: Locator.Lifetime) -> Locator.Registration<Disposable> {
            .lazy(.anywhere) {
                let service = Disposable()
                all.withLock { $0.append(service) }
                return service
            }.lifetime(lifetime).onDispose { $0.count.increment() }
        }
        await onThreadsAsync(6) { index in
            for round in 0..<rounds {
                switch index {
                case 0: locator.register(registration([.lazy, .perLocator, .perArgument][round % 3]))
                case 1 where round % 3 == 0: locator.unregisterService(Disposable.self)
                case 1 where round % 50 == 1: locator.reset()
                case 2: locator.register(registration(.lazy)).remove()
                case 3: try? locator.resetInstance(of: Disposable.self)
                case 4: _ = try? child.resolveOptional(Disposable.self)
                default: _ = try? locator.resolveOptional(Disposable.self)
                }
            }
        }
        // Creates at least this instance.
        locator.register(registration(.lazy))
        _ = try? locator.resolve(Disposable.self)
        await locator.close()
        #expect(!all.value.isEmpty)
        #expect(all.value.filter { $0.count.value != 1 }.isEmpty)
    }

    @Test(arguments: [false, true])
    func `Removal during close disposes each instance once`(ofChildren: Bool) async {
        let rounds = Stress.rounds(300)
        var failures = 0
        for round in 0..<rounds {
            let locator = Locator("server")
            let all = Guarded<[Disposable]>([])
            registerTwenty(ofChildren ? .perLocator : .lazy, in: locator, all)
            let closed = ofChildren ? (0..<4).map { _ in locator.child("request") } : [locator]
            let begun = Barrier(3)
            async let closing: Void = {
                await begun.arrive()
                for _ in 0..<round % 20 { await Task.yield() }
                for locator in closed { await locator.close() }
            }()
            await onThreadsAsync(2) { index in
                begun.wait()
                for key in 0..<20 {
                    if index == 0 { for locator in closed { _ = try? locator.resolve(Disposable.self, key: key) } }
                    if index == 1 { locator.unregisterService(withKey: key) }
                }
            }
            await closing
            if all.value.contains(where: { $0.count.value != 1 }) { failures += 1 }
        }
        #expect(failures == 0)
    }

    @Test func `A close and a copy read given instances while these are unregistered`() async {
        let rounds = Stress.rounds(100)
        let failures = Counter()
        for round in 0..<rounds {
            let locator = Locator("server")
            let (all, kept) = (Guarded<[Disposable]>([]), Guarded<[Disposable]>([]))
            let begun = Barrier(3)
            async let registering: Void = onThreadsAsync(1) { _ in
                begun.wait()
                for key in 0..<20 {
                    let service = Disposable()
                    all.withLock { $0.append(service) }
                    locator.register(.eager(service).onDispose { $0.count.increment() }, key: key)
                    // After the close, the locator ignores registrations.
                    if locator.isRegistered(Disposable.self, key: key) { kept.withLock { $0.append(service) } }
                    locator.unregisterService(withKey: key)
                }
            }
            async let reading: Void = {
                await onThreadsAsync(1) { _ in
                    begun.wait()
                    for _ in 0..<10 {
                        let copy = Locator(copying: locator)
                        for key in 0..<20 { _ = try? copy.resolveOptional(Disposable.self, key: key) }
                    }
                }
            }()
            await begun.arrive()
            while all.value.count < round % 20 { await Task.yield() }
            await locator.close()
            _ = await (registering, reading)
            if all.value.contains(where: { $0.count.value > 1 }) { failures.increment() }
            if kept.value.contains(where: { $0.count.value != 1 }) { failures.increment() }
        }
        #expect(failures.value == 0)
    }
}
