import Injectle
import InjectleTestSupport
import Testing

private protocol Vehicle: Sendable {}
private final class Engine: Sendable {}
private final class Car: Vehicle {
    let engine: Engine
    init(engine: Engine) { self.engine = engine }
}
private final class Bus: Vehicle {}
private final class ViewModel: Sendable {}
private struct Broken: Error, Equatable {}

/// The events that behaviors receive, and their order.
@Suite struct BehaviorTests {
    private let locator = Locator("garage")
    private let collector = EventCollector()

    // MARK: Registering

    @Test func `A registration is reported once with all identities`() throws {
        locator.add(collector)
        locator.register(.lazy { Bus() }.as((any Vehicle).self).asSelf(key: "bus"))
        #expect(collector.kinds == [.didRegister])
        let event = try #require(collector.events.first)
        #expect(event.identity == Locator.Identity((any Vehicle).self))
        #expect(event.identities == [Locator.Identity((any Vehicle).self), Locator.Identity(Bus.self, key: "bus")])
        #expect(event.lifetime == .lazy)
        #expect(event.locatorName == "garage")
        #expect(event.locator == "the locator \"garage\"")
        #expect(event.path == [event.identity])
        #expect(event.duration == nil)
        #expect(event.failure == nil)
    }

    @Test func `didRegister follows the insertion`() {
        let isIn = Guarded<[Bool]>([])
        let locator = locator
        let collector = EventCollector { [weak locator] _ in
            guard let locator else { return }
            isIn.withLock { $0.append(locator.isRegistered(Bus.self)) }
        }
        locator.add(collector)
        locator.register(.lazy { Bus() })
        locator.register(.lazy { Bus() }.asSelf().as((any Vehicle).self))
        #expect(collector.kinds == [.didRegister, .didUnregister, .didRegister])
        #expect(isIn.value == [true, true, true])
    }

    @Test func `A refused registration produces no event`() throws {
        locator.register(.eager(Bus()))
        locator.add(collector)
        #expect(throws: InjectleError.self) {
            try locator.register(.eager(Bus()), and: forbidReassignment)
        }
        #expect(collector.kinds == [])
    }

    @Test func `A registration inside a factory carries the creation path`() throws {
        locator.add(collector)
        locator.register(
            .lazy { [unowned locator] in
                locator.register(.eager(1))
                return Bus()
            }
        )
        _ = try locator.resolve(Bus.self)
        #expect(collector.events(.didRegister).last?.path == [Locator.Identity(Bus.self), Locator.Identity(Int.self)])
    }

    // MARK: Unregistering

    @Test func `didUnregister reports every way of removal`() {
        let ways: [(Locator, Locator.RegistrationHandle) -> Void] = [
            { locator, _ in locator.register(.lazy { Bus() }) },
            { locator, _ in locator.register(.lazy { Bus() }.asSelf().as((any Vehicle).self)) },
            { locator, _ in locator.unregisterService(Bus.self) },
            { locator, _ in locator.reset() },
            { _, registered in registered.remove() },
        ]
        for way in ways {
            let locator = Locator("garage")
            let collector = EventCollector()
            let registered = locator.register(.lazy { Bus() })
            locator.add(collector)
            way(locator, registered)
            #expect(collector.identities(.didUnregister) == [Locator.Identity(Bus.self)])
            #expect(collector.events(.didUnregister).first?.locatorName == "garage")
        }
    }

    @Test(arguments: [false, true])
    func `didUnregister reports registrations of a released locator`(coreStays: Bool) throws {
        let parent = Locator("parent")
        parent.add(collector)
        var child: Locator? = parent.child("child")
        child?.add(collector)
        child?.register(.lazy { Bus() })
        let resolver = coreStays ? try child?.resolve(Locator.Resolver.self) : nil
        collector.clear()
        child = nil
        #expect(collector.kinds == [.didUnregister, .didUnregister])
        #expect(collector.events.allSatisfy { $0.locatorName == "child" && $0.identity == Locator.Identity(Bus.self) })
        #expect(resolver?.isValid != true)
    }

    @Test func `didUnregister follows the removal of the last identity`() {
        let isIn = Guarded<[Bool]>([])
        let locator = locator
        let collector = EventCollector { [weak locator] _ in
            guard let locator else { return }
            isIn.withLock { $0.append(locator.isRegistered(Bus.self)) }
        }
        locator.register(.lazy { Bus() }.asSelf().as((any Vehicle).self).asSelf(key: "bus"))
        locator.add(collector)
        locator.unregisterService((any Vehicle).self)
        locator.unregisterService(withKey: "bus")
        #expect(collector.kinds == [])
        locator.unregisterService(Bus.self)
        #expect(collector.kinds == [.didUnregister])
        #expect(collector.events.first?.identities.count == 3)
        #expect(isIn.value == [false])
    }

    // MARK: Creation

    @Test func `Creation events carry order, paths and durations`() throws {
        locator.register(.lazy { locator in Car(engine: try locator.resolve()) })
        locator.register(.volatile { Engine() })
        locator.add(collector)
        _ = try locator.resolve(Car.self)
        let (car, engine) = (Locator.Identity(Car.self), Locator.Identity(Engine.self))
        #expect(collector.kinds == [.willCreate, .willCreate, .didCreate, .didResolve, .didCreate, .didResolve])
        #expect(collector.events.map(\.identity) == [car, engine, engine, engine, car, car])
        let (outer, inner) = ([car], [car, engine])
        #expect(collector.events.map(\.path) == [outer, inner, inner, inner, outer, outer])
        #expect(collector.events.map { $0.duration != nil } == [false, false, true, true, true, true])
        #expect(collector.events.allSatisfy { $0.failure == nil && !$0.isAsynchronous })
        let began = collector.events.map(\.began)
        // Starts are ordered, and an outer duration is not shorter than an inner one.
        #expect(began[0] <= began[1])
        #expect(began[4] <= began[2])
        let durations = collector.events.compactMap(\.duration)
        #expect(durations.count == 4)
        #expect(durations[2] >= durations[0])
        #expect(durations[3] >= durations[2])
    }

    @Test(arguments: [Locator.Lifetime.lazy, .volatile, .weak, .perLocator])
    func `willCreate precedes the closure and didCreate follows the hooks`(lifetime: Locator.Lifetime) throws {
        let steps = Guarded<[String]>([])
        let collector = EventCollector { event in steps.withLock { $0.append(event.kind.description) } }
        locator.register(
            .lazy {
                steps.withLock { $0.append("closure") }
                return Bus()
            }.lifetime(lifetime)
                .afterInit { _, _ in steps.withLock { $0.append("hook") } }
        )
        locator.add(collector)
        _ = try locator.resolve(Bus.self)
        #expect(steps.value == ["willCreate", "closure", "hook", "didCreate", "didResolve"])
    }

    @Test func `didCreate carries the error of a closure or hook`() throws {
        let fails = Guarded(true)
        locator.register(.lazy { if fails.value { throw Broken() } else { Bus() } })
        locator.register(.lazy { Engine() }.afterInit { _, _ in throw Broken() })
        locator.add(collector)
        #expect(throws: InjectleError.self) { try locator.resolve(Bus.self) }
        #expect(throws: InjectleError.self) { try locator.resolve(Engine.self) }
        #expect(collector.kinds == [.willCreate, .didCreate, .willCreate, .didCreate])
        #expect(collector.events(.didCreate).allSatisfy { $0.failure is Broken && $0.duration != nil })
        collector.clear()
        fails.withLock { $0 = false }
        _ = try locator.resolve(Bus.self)
        #expect(collector.kinds == [.willCreate, .didCreate, .didResolve])
    }

    @Test func `The service is unavailable during its own creation events`() throws {
        let codes = Guarded<[InjectleError?]>([])
        let locator = locator
        locator.register(.lazy { Bus() })
        let collector = EventCollector { [weak locator] event in
            guard let locator, event.kind == .willCreate || event.kind == .didCreate else { return }
            do throws(InjectleError) {
                _ = try locator.resolve(Bus.self)
                codes.withLock { $0.append(nil) }
            } catch {
                codes.withLock { $0.append(error) }
            }
        }
        locator.add(collector)
        _ = try locator.resolve(Bus.self)
        #expect(codes.value == [InjectleError.circularDependency, InjectleError.circularDependency])
        #expect(collector.kinds == [.willCreate, .didCreate, .didResolve])
    }

    // MARK: Threads

    @Test func `A creation on the main actor is an event there, and its resolve one of the caller`() async {
        let locator = locator
        locator.register(.lazy(.main) { ViewModel() })
        locator.add(collector)
        let isCreated = await onAnotherThread { (try? locator.resolve(ViewModel.self)) != nil }
        #expect(isCreated)
        #expect(collector.kinds == [.willCreate, .didCreate, .didResolve])
        #expect(collector.events.map(\.isOnMainThread) == [true, true, false])
        #expect(collector.events[2].thread != collector.events[0].thread)
        collector.clear()
        // The instance exists now.
        _ = await onAnotherThread { try? locator.resolve(ViewModel.self) }
        #expect(collector.kinds == [.didResolve])
    }

    @Test @MainActor func `Events of the main actor are on its thread`() throws {
        locator.register(.lazy(.main) { ViewModel() })
        locator.add(collector)
        _ = try locator.resolve(ViewModel.self)
        #expect(collector.events.map(\.isOnMainThread) == [true, true, true])
    }
}
