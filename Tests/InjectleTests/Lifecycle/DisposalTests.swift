import Injectle
import InjectleTestSupport
import Testing

private protocol Closable {}
extension Part: Closable {}

private struct Stop: Error {
    let name: String
}

/// Rule 10: when what a locator made is disposed of, where nothing can be awaited.
@Suite struct DisposalTests {
    private let locator = Locator("disposal")
    private let diary = Diary()

    private func part(_ name: String) -> Locator.Registration<Part> {
        .lazy(.anywhere) { [diary] in Part(name, diary) }.onDispose { $0.close() }
    }

    // MARK: By whatever it goes

    enum Way: CaseIterable {
        case unregister, unregisterService, withKey, handle, reset, resetInstance, replaced

        func end(_ handle: Locator.RegistrationHandle, key: String?, in locator: Locator) throws {
            switch self {
            case .unregister: locator.unregister(Part.self, key: key)
            case .unregisterService: locator.unregisterService(Part.self)
            case .withKey: locator.unregisterService(withKey: key)
            case .handle: handle.remove()
            case .reset: locator.reset()
            case .resetInstance: try locator.resetInstance(of: Part.self, key: key)
            case .replaced: locator.register(.lazy { throw Stop(name: "new") }, for: Part.self, key: key)
            }
        }

        /// The keys that it can be used with.
        var keys: [String?] {
            switch self {
            case .unregisterService: [nil]
            case .withKey: ["key"]
            default: [nil, "key"]
            }
        }
    }

    @Test(arguments: Way.allCases) func `Every way of removal disposes exactly once`(by way: Way) async throws {
        for key in way.keys {
            let locator = Locator()
            let handle = locator.register(part("a").resettable(), for: Part.self, key: key)
            _ = try locator.resolve(Part.self, key: key)
            #expect(diary.take() == ["+a"])
            try way.end(handle, key: key, in: locator)
            #expect(diary.take() == ["-a"])
            #expect(await locator.close().isEmpty)
            #expect(diary.take() == [])
        }
    }

    @Test(arguments: Way.allCases) func `A service that was never created is not disposed`(by way: Way) throws {
        for key in way.keys {
            let handle = locator.register(part("a").resettable(), for: Part.self, key: key)
            try way.end(handle, key: key, in: locator)
            #expect(diary.take() == [])
        }
    }

    @Test func `An eager instance is disposed although it was never resolved`() {
        let given = Part("given", diary)
        let handle = locator.register(.eager(given).onDispose { $0.close() })
        #expect(diary.take() == ["+given"])
        handle.remove()
        #expect(diary.take() == ["-given"])
    }

    @Test func `Each instance after resetInstance is disposed`() throws {
        locator.register(part("a").resettable())
        for _ in 0..<3 {
            _ = try locator.resolve(Part.self)
            try locator.resetInstance(of: Part.self)
            #expect(diary.take() == ["+a", "-a"])
        }
    }

    // MARK: After the change

    @Test func `The new registration is available to the old disposer`() throws {
        let other = Part("new", diary)
        let found = Guarded<[String]>([])
        locator.register(
            part("old").onDispose { [weak locator] _ in
                let service = try locator?.resolve(Part.self)
                found.withLock { $0.append(service?.name ?? "none") }
            }
        )
        _ = try locator.resolve(Part.self)
        locator.register(.eager(other))
        #expect(found.value == ["new"])
    }

    @Test func `The instance is unavailable during its disposal`() throws {
        let found = Guarded<[Bool]>([])
        locator.register(
            part("a").onDispose { [weak locator] _ in
                let service = try locator?.resolveOptional(Part.self)
                found.withLock { $0.append(service != nil) }
            }
        )
        _ = try locator.resolve(Part.self)
        locator.unregisterService(Part.self)
        #expect(found.value == [false])
    }

    @Test func `A disposer may change its locator from another thread`() async throws {
        locator.register(part("other"), for: "other")
        locator.register(
            part("a").onDispose { [weak locator, diary] _ in
                locator?.unregisterService(withKey: "other")
                // No lock is held, so another thread gets through.
                onThreads(1) { [locator] _ in locator?.register(.eager("made by a disposer")) }
                diary.note(try locator?.resolve(String.self) ?? "none")
            }
        )
        _ = try locator.resolve(Part.self, key: "other")
        _ = try locator.resolve(Part.self)
        _ = diary.take()
        await onThreadsAsync(1) { [locator] _ in locator.unregisterService(Part.self) }
        #expect(diary.take() == ["-a", "-other", "made by a disposer"])
    }

    // MARK: With the last who keeps it

    @Test func `A service is disposed with its last identity`() throws {
        locator.register(part("a").as((any Closable).self).asSelf().as(Part.self, key: "key"))
        _ = try locator.resolve((any Closable).self)
        locator.unregisterService((any Closable).self)
        locator.unregisterService(withKey: "key")
        #expect(diary.take() == ["+a"])
        locator.unregisterService(Part.self)
        #expect(diary.take() == ["-a"])
    }

    @Test func `An eager instance in two locators is disposed by the last`() async {
        let registration = Locator.Registration.eager(Part("a", diary)).onDispose { $0.close() }
        let other = Locator()
        locator.register(registration)
        other.register(registration)
        locator.unregisterService(Part.self)
        #expect(diary.take() == ["+a"])
        other.reset()
        #expect(diary.take() == ["-a"])
    }

    @Test func `An eager instance in two locators survives the first close`() async throws {
        let registration = Locator.Registration.eager(Part("a", diary)).onDispose { $0.close() }
        let other = Locator()
        locator.register(registration)
        other.register(registration)
        await locator.close()
        #expect(diary.take() == ["+a"])
        _ = try other.resolve(Part.self)
        await other.close()
        #expect(diary.take() == ["-a"])
    }

    @Test func `An eager instance in parent and child is disposed once`() async {
        let registration = Locator.Registration.eager(Part("a", diary)).onDispose { $0.close() }
        let child = locator.child()
        locator.register(registration)
        child.register(registration)
        await locator.close()
        #expect(diary.take() == ["+a", "-a"])
    }

    @Test func `An eager registration that replaces itself is not disposed`() {
        let registration = Locator.Registration.eager(Part("a", diary)).onDispose { $0.close() }
        locator.register(registration)
        locator.register(registration)
        #expect(diary.take() == ["+a"])
        locator.reset()
        #expect(diary.take() == ["-a"])
    }

    @Test func `An eager instance is disposed after each registration`() async {
        let registration = Locator.Registration.eager(Part("a", diary)).onDispose { $0.close() }
        for _ in 0..<2 {
            locator.register(registration)
            locator.reset()
            #expect(diary.take().last == "-a")
        }
        locator.register(registration)
        await locator.close()
        #expect(diary.take() == ["-a"])
    }

    // MARK: Which cannot be awaited

    @Test(arguments: Way.allCases) func `A synchronous removal skips async disposers`(by way: Way) throws {
        for key in way.keys {
            let registration = part("a").onDispose { [diary] _ in
                await Task.yield()
                diary.note("awaited")
            }
            let handle = locator.register(registration.resettable(), for: Part.self, key: key)
            _ = try locator.resolve(Part.self, key: key)
            try way.end(handle, key: key, in: locator)
            #expect(diary.take() == ["+a", "-a"])
            locator.reset()
        }
    }

    @Test func `An async removal runs async disposers`() async throws {
        func register() throws -> Locator.RegistrationHandle {
            let handle = locator.register(
                part("a").onDispose { [diary] part in
                    await Task.yield()
                    diary.note("awaited")
                    throw Stop(name: part.name)
                }
            )
            _ = try locator.resolve(Part.self)
            return handle
        }
        let ways: [(Locator.RegistrationHandle) async -> [InjectleError]] = [
            { [locator] _ in await locator.unregisterAsync(Part.self) },
            { [locator] _ in await locator.resetAsync() },
            { await $0.removeAsync() },
            { [locator] _ in await locator.close() },
        ]
        for end in ways {
            let errors = await end(try register())
            #expect(diary.take() == ["+a", "-a", "awaited"])
            #expect(errors.map(\.code) == [InjectleError.disposalFailed])
            #expect((errors.first?.underlying as? Stop)?.name == "a")
        }
    }

    @Test func `unregisterAsync removes the service with the key`() async throws {
        locator.register(part("a"))
        locator.register(part("b"), key: "b")
        _ = try locator.resolve(Part.self)
        _ = try locator.resolve(Part.self, key: "b")
        await locator.unregisterAsync(Part.self, key: "b")
        #expect(diary.take() == ["+a", "+b", "-b"])
        #expect(locator.isRegistered(Part.self))
    }

    @Test func `resetAsync disposes in reverse order and keeps the locator usable`() async throws {
        for name in ["a", "b", "c"] {
            locator.register(part(name).onDispose { _ in await Task.yield() }, key: name)
        }
        for key in ["b", "c", "a"] { _ = try locator.resolve(Part.self, key: key) }
        await locator.resetAsync()
        #expect(diary.take() == ["+b", "+c", "+a", "-a", "-c", "-b"])
        locator.register(part("d"))
        #expect(try locator.resolve(Part.self).name == "d")
    }

    // MARK: While it is made

    @Test func `An instance unregistered during creation is disposed afterwards`() throws {
        locator.register(
            .lazy(.anywhere) { [diary, weak locator] in
                locator?.unregisterService(Part.self)
                diary.note("unregistered")
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        #expect(try locator.resolve(Part.self).name == "a")
        #expect(diary.take() == ["unregistered", "+a", "-a"])
    }

    @Test func `An instance unregistered during async creation is disposed afterwards`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [diary] in
                hasBegun.set()
                await mayGoOn.reached()
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        async let service = locator.resolveAsync(Part.self)
        await hasBegun.reached()
        locator.unregisterService(Part.self)
        diary.note("unregistered")
        mayGoOn.set()
        #expect(try await service.name == "a")
        #expect(diary.take() == ["unregistered", "+a", "-a"])
    }

    @Test func `A failed creation is not disposed`() async throws {
        locator.register(
            .lazy(.anywhere) { () throws -> Part in throw Stop(name: "a") }.onDispose { $0.close() }
        )
        #expect(thrown { try locator.resolve(Part.self) }?.code == InjectleError.factoryFailed)
        #expect(await locator.close().isEmpty)
        #expect(diary.take() == [])
    }
}
