import Injectle
import InjectleTestSupport
import Testing

private protocol Part: AnyObject, Sendable {}
private final class Wheel: Part {}
private final class Bolt: Sendable {}

private final class Axle: Sendable {
    let wheel: any Part
    let bolt = Inject<Bolt>()
    init(_ wheel: any Part) { self.wheel = wheel }
}

private struct Broken: Error {}

/// Volatile services. The inline path must keep the closure and its captures alive during the call.
@Suite struct VolatileLifetimeTests {
    private let locator = Locator("volatile")
    private let log = Tracked.Log()

    /// Registers a service whose closure retains an object and calls `body`.
    private func register(_ body: @escaping @Sendable () throws -> Void) {
        let tracked = Tracked(log)
        locator.register(
            .volatile(.anywhere) {
                try body()
                // Used after `body`, which may have replaced this closure.
                withExtendedLifetime(tracked) {}
                return Wheel()
            },
            for: (any Part).self
        )
    }

    @Test func `A closure that replaces itself is freed after its call`() throws {
        let (locator, log) = (locator, log)
        register {
            locator.register(.volatile { Wheel() }, for: (any Part).self)
            #expect(log.alive == 1)
        }
        _ = try locator.resolve((any Part).self)
        #expect(log.alive == 0)
    }

    @Test func `A closure that unregisters itself is freed after its call`() throws {
        let (locator, log) = (locator, log)
        register {
            locator.unregisterService((any Part).self)
            #expect(log.alive == 1)
        }
        _ = try locator.resolve((any Part).self)
        #expect(log.alive == 0)
        #expect(try locator.resolveOptional((any Part).self) == nil)
    }

    @Test func `A closure that resets and throws is freed after its call`() throws {
        let (locator, log) = (locator, log)
        register {
            locator.reset()
            throw Broken()
        }
        let error = try #require(throws: InjectleError.self) { try locator.resolve((any Part).self) }
        #expect(error == .factoryFailed)
        #expect(error.underlying is Broken)
        #expect(log.alive == 0)
    }

    @Test func `A closure replaced in a nested creation is freed at its end`() throws {
        let (locator, log) = (locator, log)
        register { locator.reset() }
        locator.register(
            .volatile(.anywhere) { inner in
                let axle = Axle(try inner.resolve())
                #expect(log.alive == 0)
                return axle
            }
        )
        _ = try locator.resolve(Axle.self)
        #expect(log.alive == 0)
    }

    @Test func `A closure replaced by another thread is freed after its call`() async throws {
        let (isRunning, isReplaced) = (Signal(), Signal())
        register {
            isRunning.set()
            isReplaced.wait()
        }
        let (locator, log) = (locator, log)
        async let part = onAnotherThread { try? locator.resolve((any Part).self) }
        await isRunning.reached()
        locator.register(.volatile { Wheel() }, for: (any Part).self)
        #expect(log.alive == 1)
        isReplaced.set()
        #expect(await part != nil)
        #expect(log.alive == 0)
    }

    @Test func `The last handle may be released during creation`() throws {
        let log = log
        let handle = Guarded<Locator?>(Locator("short"))
        let tracked = Tracked(log)
        handle.value?.register(
            .volatile(.anywhere) { resolver in
                handle.withLock { $0 = nil }
                withExtendedLifetime(tracked) {}
                return Axle(try resolver.resolveOptional((any Part).self) ?? Wheel())
            }
        )
        _ = try handle.value?.resolve(Axle.self)
        #expect(handle.value == nil)
    }

    @Test func `150 nested creations are not mistaken for a cycle`() throws {
        // More creations than the inline path can track.
        struct Key: Hashable { let number: Int }
        let depth = 150
        for number in 0..<depth {
            locator.register(
                .volatile(.anywhere) { try $0.resolve([Int].self, key: Key(number: number + 1)) + [number] },
                key: Key(number: number)
            )
        }
        locator.register(.volatile { [depth] }, key: Key(number: depth))
        locator.register(.volatile { try $0.resolve([Int].self, key: Key(number: 0)) })
        #expect(try locator.resolve([Int].self).count == depth + 1)
    }

    @Test func `A cycle throws and the next resolve succeeds`() throws {
        locator.register(.volatile { Axle(try $0.resolve()) })
        locator.register(.volatile { try $0.resolve(Axle.self).wheel }, for: (any Part).self)
        for _ in 0..<2 {
            let error = try #require(throws: InjectleError.self) { try locator.resolve(Axle.self) }
            #expect(error == .circularDependency)
        }
        locator.register(.volatile { Wheel() }, for: (any Part).self)
        _ = try locator.resolve(Axle.self)
    }

    @Test @MainActor func `A main actor closure runs on the main actor`() throws {
        locator.register(
            .volatile(.main) {
                MainActor.assertIsolated()
                return Wheel()
            },
            for: (any Part).self
        )
        _ = try locator.resolve((any Part).self)
    }

    @Test func `Optional resolves create the same way`() throws {
        let none: (any Part)? = try locator.resolve()
        #expect(none == nil)
        register {}
        let some: (any Part)? = try locator.resolve()
        #expect(some != nil)
        #expect(try locator.resolve((any Part)?.self) !== some)
        register { throw Broken() }
        #expect(throws: InjectleError.self) { let _: (any Part)? = try locator.resolve() }
    }
}
