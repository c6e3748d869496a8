import Injectle
import InjectleTestSupport
import Testing

/// Calls a closure when it is released.
private final class Final: Hashable, Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }

    static func == (left: Final, right: Final) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(0) }
}

private struct FinalLifetime: Locator.CustomLifetime {
    let object: Final
    let scope = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Service: Sendable {
    let object: Final?
    init(_ object: Final? = nil) { self.object = object }
}

/// Defects that an engine can have and that no other suite would find.
@Suite struct DefectTests {
    private let locator = Locator("defects")

    // MARK: Locks

    private enum Holder: CaseIterable {
        case capture, hook, disposer, key, argument, lifetime, instance, eager, behavior
    }
    private enum Removal: CaseIterable { case unregistering, replacement, reset, handle, close }

    private struct Observer: Locator.Behavior {
        let object: Final
        func handle(_ event: Locator.Event) {}
    }

    private func register(_ holder: Holder, _ object: Final) throws -> Locator.RegistrationHandle {
        let lazy = Locator.Registration<Service>.lazy(.anywhere) { Service() }
        switch holder {
        case .capture: return locator.register(.lazy(.anywhere) { [object] in Service(object) }.lifetime(.volatile))
        case .hook: return locator.register(lazy.afterInit { [object] _, _ in withExtendedLifetime(object) {} })
        case .disposer: return locator.register(lazy.onDispose { [object] _ in withExtendedLifetime(object) {} })
        case .key: return locator.register(lazy.asSelf(), key: AnyHashable(object))
        case .argument:
            let page = Locator.Registration<Service>.lazy(.anywhere) { (_, _: Final) in Service() }
            let handle = locator.register(page.lifetime(.perArgument))
            _ = try locator.resolve(Service.self, arguments: object)
            return handle
        case .lifetime: return locator.register(lazy.lifetime(.custom(FinalLifetime(object: object))))
        case .instance: return locator.register(.lazy(.anywhere) { [weak object] in Service(object) })
        case .eager: return locator.register(.eager(Service(object)))
        case .behavior:
            locator.add(Observer(object: object))
            return locator.register(lazy)
        }
    }

    @Test(arguments: Holder.allCases, Removal.allCases)
    private func `A deinit calls the locator`(_ holder: Holder, _ removal: Removal) async throws {
        let (locator, released) = (Locator("other"), Counter())
        let target = self.locator
        func fill() throws -> Locator.RegistrationHandle {
            let object = Final {
                target.register(.eager(1))
                _ = try? target.resolve(Int.self)
                _ = try? target.resolveOptional(Service.self)
                target.register(.eager("key"), key: "key")
                target.unregister(String.self, key: "key")
                target.unregister(Int.self)
                released.increment()
            }
            let handle = try register(holder, object)
            _ = try? target.resolve(Service.self)
            return handle
        }
        let handle = try fill()
        switch removal {
        case .unregistering:
            target.unregister(Service.self)
            target.reset()
        case .replacement:
            target.register(.eager(Service()))
            target.reset()
        case .reset: target.reset()
        case .handle: handle.remove()
        case .close: await target.close()
        }
        if holder == .behavior { await target.close() }
        #expect(released.value == 1)
        withExtendedLifetime((locator, handle)) {}
    }

    @Test func `The deinit of a module's identifier calls the locator`() throws {
        let released = Counter()
        let locator = locator
        func apply() throws {
            let id = Final {
                try? locator.apply(ClosureModule(id: "from a deinit") { _ in })
                released.increment()
            }
            try locator.apply(ClosureModule(id: AnyHashable(id)) { _ in })
            try locator.apply(ClosureModule(id: "other") { _ in })
        }
        try apply()
        #expect(released.value == 0)
        locator.reset()
        #expect(released.value == 1)
    }

    @Test func `The deinit of a key calls the locator during a registration again`() async {
        let locator = locator
        let released = Counter()
        func key() -> AnyHashable {
            AnyHashable(
                Final {
                    _ = locator.registrations.count
                    released.increment()
                }
            )
        }
        let (ended, mayEnd) = (Signal(), Signal())
        func fill() {
            let registration = Locator.Registration.eager("value").onDispose { _ async in
                await mayEnd.reached()
                ended.set()
            }
            locator.register(registration, key: key()).remove()
            locator.register(registration, key: key()).remove()
        }
        fill()
        mayEnd.set()
        await ended.reached()
        while released.value < 2 { await Task.yield() }
    }

    // MARK: Identities and errors

    @Test func `Identities outlive their locator`() throws {
        func inspect() throws -> ([Locator.RegistrationInfo], InjectleError?, Locator.RegistrationHandle) {
            let locator = Locator("gone")
            let handle = locator.register(.lazy { () throws -> Int in throw CancellationError() }, key: "key")
            let error = thrown { try locator.child().resolve(Int.self, key: "key") }
            return (locator.registrations, error, handle)
        }
        let (registrations, error, handle) = try inspect()
        #expect(registrations.map(\.description) == ["Int under the key \"key\": lazy"])
        #expect(error?.identity == Locator.Identity(Int.self, key: "key"))
        #expect(error?.description.contains("\"key\"") == true)
        handle.remove()
    }

    @Test func `A decorated service keeps its key`() throws {
        locator.register(.eager("value"), key: "key")
        for _ in 0..<2 { locator.decorate(String.self, key: "key") { $0 + "!" } }
        #expect(locator.registrations.map(\.identity.key) == ["key"])
        #expect(try locator.resolve(String.self, key: "key") == "value!!")
    }

    @Test func `Printing an error changes no locator`() throws {
        let key = ServiceKey<[Int: String]>("printed", default: .eager([1: "one"]))
        let others = [Locator.default, Locator.test, locator.child(), Locator("override")]
        let error = Locator.$shared.withValue(others[3]) {
            thrown { try locator.resolve([Int: Int].self, key: key) }
        }
        let missing = thrown { try locator.resolve(Set<Int>.self) }
        locator.unregister([Int: String].self, key: key)
        #expect(error?.description.contains("Int") == true)
        #expect(missing?.description.contains("Set<Int>") == true)
        #expect(!others.contains { $0.isRegistered([Int: String].self, key: key) })
        #expect(locator.registrations.isEmpty)
    }

    @Test func `Threads register and resolve`() async throws {
        let (locator, child) = (locator, locator.child())
        let wrong = Counter()
        let rounds = Stress.rounds(10_000)
        locator.register(.eager(0))
        locator.register(.eager(0), key: "key")
        await onThreadsAsync(2) { thread in
            for round in 0..<rounds {
                if thread == 0 {
                    locator.register(.eager(round))
                    locator.register(.lazy(.anywhere) { round }, key: "key")
                } else {
                    let first = try? child.resolve(Int.self)
                    let second = try? child.resolve(Int.self, key: "key")
                    if first == nil || second == nil { wrong.increment() }
                }
            }
        }
        #expect(wrong.value == 0)
        #expect(try locator.resolve(Int.self) == rounds - 1)
    }
}
