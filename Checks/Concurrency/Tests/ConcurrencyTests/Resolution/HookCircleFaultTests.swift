import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Failure: Error {}

// `@unchecked Sendable`: hooks set the properties before others see the object.
private final class Part: @unchecked Sendable {
    let name: String
    var other: Part?
    var isReady = false
    private let onDeinit: @Sendable () -> Void

    init(_ name: String, onDeinit: @escaping @Sendable () -> Void = {}) {
        self.name = name
        self.onDeinit = onDeinit
    }

    deinit { onDeinit() }
}

/// What fails, ends or is discarded within a circle of hooks.
@Suite struct HookCircleFaultTests {
    private typealias Registration = Locator.Registration<Part>
    private typealias Hook = @Sendable (Locator.Resolver, Part) throws -> Void

    private let locator = Locator("faults")
    private let callLog = CallLog()

    private func register(_ name: String, _ hook: @escaping Hook) { locator.register(part(name, hook), key: name) }

    private func part(_ name: String, _ hook: @escaping Hook) -> Registration {
        .lazy(.anywhere) { [callLog] in
            callLog.record("+\(name)")
            return Part(name)
        }
        .afterInit { (locator, part) in try hook(locator, part) }
    }

    /// The outcome of a request: nil if it does not return.
    private func outcome(_ name: String) async -> String? {
        let locator = locator
        return await onAnotherThreadInTime { () -> String in
            do { return try locator.resolve(Part.self, key: name).name } catch { return "\(error)" }
        }
    }

    // MARK: Code of the program

    @Test(arguments: [true, false])
    func `A deinit of an instance of the circle may wait for others`(_ fails: Bool) async {
        let (locator, released) = (locator, Signal())
        register("b") { locator, _ in _ = try locator.resolve(Part.self, key: "a") }
        register("c") { _, _ in }
        locator.register(
            .lazy(.anywhere) {
                Part("a") {
                    // Another thread, since the lock of this one is not recursive.
                    onThreads(2) { _ in _ = try? locator.resolve(Part.self, key: "c") }
                    released.set()
                }
            }
            .afterInit { locator, part in
                _ = try locator.resolve(Part.self, key: "b")
                if fails { throw Failure() }
                part = Part("a again")
            },
            key: "a"
        )
        #expect(await outcome("a") != nil)
        #expect(await inTime { await released.reached() } != nil)
    }

    @Test func `A disposer of a discarded instance resolves another one, in reverse order of creation`() async {
        let (locator, callLog) = (locator, callLog)
        for (name, other) in [("b", "c"), ("c", "d"), ("d", "b")] {
            let part = part(name) { locator, part in part.other = try locator.resolve(key: "a") }
            locator.register(
                part.onDispose { _ in
                    callLog.record("-\(name)")
                    _ = try? locator.resolve(Part.self, key: other)
                },
                key: name
            )
        }
        let isFirst = Guarded(true)
        register("a") { locator, _ in
            guard
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { throw Failure() }
            for name in ["b", "c", "d"] { _ = try locator.resolve(Part.self, key: name) }
            throw Failure()
        }
        #expect(await outcome("a") != nil)
        let disposed = callLog.entries.filter { $0.hasPrefix("-") }
        #expect(disposed.prefix(1) == ["-d"])
        #expect(disposed.contains("-c") && disposed.contains("-b"))
    }

    @Test func `A disposer of an instance whose cell has ended resolves the circle`() async {
        let (locator, callLog) = (locator, callLog)
        let b = part("b") { locator, part in part.other = try locator.resolve(key: "a") }
        locator.register(
            b.onDispose { _ in
                callLog.record("-b")
                _ = try? locator.resolve(Part.self, key: "a")
            },
            key: "b"
        )
        register("a") { resolver, _ in
            _ = try resolver.resolve(Part.self, key: "b")
            try locator.resetInstance(of: Part.self, key: "b")
        }
        #expect(await outcome("a") == "a")
        #expect(callLog.entries == ["+a", "+b", "-b"])
    }

    @Test func `A disposer resolves a service whose creation waits for the disposed one`() async {
        let (locator, begun, waits) = (locator, Signal(), Signal())
        let isFirst = Guarded(true)
        locator.register(
            .lazy(.anywhere) { () throws -> Part in
                if isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                }) {
                    begun.set()
                    waits.wait()
                    // Until the other thread waits.
                    for _ in 0..<1_000 { sched_yield() }
                    try locator.resetInstance(of: Part.self, key: "b")
                }
                return Part("b")
            }
            .onDispose { (_: Part) in _ = try? locator.resolve(Part.self, key: "z") },
            key: "b"
        )
        locator.register(
            .lazy(.anywhere) { locator in
                waits.set()
                let part = Part("z")
                part.other = try locator.resolve(key: "b")
                return part
            },
            key: "z"
        )
        async let b = outcome("b")
        await begun.reached()
        async let z = outcome("z")
        #expect(await [b, z] == ["b", "z"])
    }

    // MARK: Requests that work alone

    @Test func `A request whose hook uses its dependency works beside another one`() async {
        let (henBegun, eggBegun) = (Signal(), Signal())
        register("hen") { locator, hen in
            henBegun.set()
            eggBegun.wait()
            hen.other = try locator.resolve(key: "egg")
            hen.isReady = true
        }
        register("egg") { locator, egg in
            eggBegun.set()
            henBegun.wait()
            let hen: Part = try locator.resolve(key: "hen")
            guard hen.isReady else { throw Failure() }
            egg.other = hen
        }
        // Alone, both work: the egg creates the hen, which gets the early egg.
        async let hen = outcome("hen")
        await henBegun.reached()
        async let egg = outcome("egg")
        #expect(await egg == "egg")
        _ = await hen
    }

    // MARK: Endings

    @Test func `An instance of a circle that was unregistered meanwhile is used by the circle`() async {
        let locator = locator
        register("b") { resolver, part in
            part.other = try resolver.resolve(key: "a")
            locator.unregister(Part.self, key: "b")
        }
        register("a") { locator, part in part.other = try locator.resolve(key: "b") }
        #expect(await outcome("a") == "a")
        #expect(callLog.entries == ["+a", "+b"])
    }

    @Test func `A hook that resets its instance is called once`() async {
        let locator = locator
        register("b") { resolver, part in
            part.other = try resolver.resolve(key: "a")
            try locator.resetInstance(of: Part.self, key: "b")
        }
        register("a") { locator, part in part.other = try locator.resolve(key: "b") }
        #expect(await outcome("a") == "a")
        #expect(callLog.entries == ["+a", "+b"])
    }

    @Test func `After a reset in a hook, nobody gets an object of the circle before it is complete`() async throws {
        let (locator, other) = (locator, Guarded<Task<Bool?, Never>?>(nil))
        register("b") { locator, part in part.other = try locator.resolve(key: "a") }
        register("a") { resolver, part in
            try locator.resetInstance(of: Part.self, key: "a")
            _ = try resolver.resolve(Part.self, key: "b")
            let task = Task {
                await onAnotherThreadInTime {
                    (try? locator.resolve(Part.self, key: "b"))?.other?.isReady ?? false
                }
            }
            other.withLock { $0 = task }
            // Until the other thread has got an incomplete one.
            for _ in 0..<1_000 { sched_yield() }
            part.isReady = true
        }
        #expect(await outcome("a") == "a")
        let task = try #require(other.value)
        #expect(await task.value == true)
    }
}
