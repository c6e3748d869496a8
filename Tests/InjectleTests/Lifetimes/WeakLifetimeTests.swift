import Injectle
import InjectleTestSupport
import Testing

private protocol Cache: AnyObject, Sendable {}

private final class ImageCache: Cache {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

private final class DiskCache: Cache, CustomStringConvertible {
    let tracked: Tracked
    let description = "on disk"
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

private struct Settings: Sendable, Equatable {
    var isDark = false
}

private final class Part: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

@Suite struct WeakLifetimeTests {
    private let locator = Locator("weak")
    private let log = Tracked.Log()

    @Test func `A weak service is shared while a caller holds it`() throws {
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(.weak))
        #expect(log.created == 0)
        do {
            let first = try locator.resolve(Tracked.self)
            #expect(try locator.resolve(Tracked.self) === first)
            #expect(try locator.child().resolve(Tracked.self) === first)
            #expect(log.created == 1)
        }
        #expect(log.alive == 0)
        for count in 2...3 {
            _ = try locator.resolve(Tracked.self)
            #expect(log.created == count)
            #expect(log.alive == 0)
        }
    }

    @Test func `A class existential is cached weakly`() throws {
        locator.register(.lazy { [log] in ImageCache(log) }.lifetime(.weak), for: (any Cache).self)
        do {
            let first = try locator.resolve((any Cache).self)
            #expect(try locator.resolve((any Cache).self) === first)
        }
        #expect(log.alive == 0)
        _ = try locator.resolve((any Cache).self)
        #expect(log.created == 2)
        #expect(log.alive == 0)
    }

    @Test func `A value of several protocols is cached weakly`() throws {
        locator.register(
            .lazy { [log] in DiskCache(log) as any CustomStringConvertible & Cache & Sendable }.lifetime(.weak)
        )
        do {
            let first = try locator.resolve((any CustomStringConvertible & Cache & Sendable).self)
            for _ in 0..<3 {
                let again = try locator.resolve((any CustomStringConvertible & Cache & Sendable).self)
                #expect(again === first)
                #expect(again.description == "on disk")
            }
            #expect(log.created == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func `A value of type Any is cached weakly`() throws {
        locator.register(.lazy { [log] in Tracked(log) as any Sendable }.lifetime(.weak))
        do {
            let first = try locator.resolve((any Sendable).self)
            #expect(try locator.resolve((any Sendable).self) as? Tracked === first as? Tracked)
            #expect(log.created == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func `An actor is cached weakly`() throws {
        actor Worker {}
        locator.register(.lazy { Worker() }.lifetime(.weak))
        let first = try locator.resolve(Worker.self)
        #expect(try locator.resolve(Worker.self) === first)
    }

    @Test func `A structure throws notAnObject with the fix`() {
        locator.register(.lazy { Settings() }.lifetime(.weak))
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Settings.self) }
            #expect(error == .invalidRegistration)
            let text = error?.description ?? ""
            #expect(text.contains("Settings is not an object"))
            #expect(text.contains("InjectleTests/WeakLifetimeTests.swift:"))
            #expect(text.contains(", weak"))
            #expect(text.contains("register it by `.lazy { … }`, or make InjectleTests.Settings a class"))
        }
    }

    @Test func `A structure behind a protocol throws notAnObject`() {
        locator.register(.lazy { Settings() as any Sendable }.lifetime(.weak), for: (any Sendable).self)
        let error = #expect(throws: InjectleError.self) { try locator.resolve((any Sendable).self) }
        #expect(error == .invalidRegistration)
    }

    @Test func `A structure throws notAnObject in an optional resolve`() {
        locator.register(.lazy { Settings() }.lifetime(.weak))
        let error = #expect(throws: InjectleError.self) { try locator.resolveOptional(Settings.self) }
        #expect(error == .invalidRegistration)
    }

    @Test func `Properties retain and share the weak instance`() throws {
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(.weak))
        do {
            let (first, second) = Locator.$shared.withValue(locator) { (Inject<Tracked>(), Inject<Tracked>()) }
            let id = ObjectIdentifier(first())
            #expect(log.alive == 1)
            for _ in 0..<3 {
                #expect(ObjectIdentifier(second()) == id)
                #expect(ObjectIdentifier(first()) == id)
            }
            #expect(ObjectIdentifier(try locator.resolve(Tracked.self)) == id)
            #expect(log.created == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func `A property set to nil releases the weak instance`() throws {
        final class Owner: Sendable {
            let tracked = Optject<Tracked>()
        }
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(.weak))
        let owner = Locator.$shared.withValue(locator) { Owner() }
        for _ in 0..<3 { #expect(owner.tracked() != nil) }
        #expect(log.created == 1)
        #expect(log.alive == 1)
        owner.tracked.wrappedValue = nil
        #expect(log.alive == 0)
        #expect(owner.tracked() == nil)
        _ = try locator.resolve(Tracked.self)
        #expect(log.created == 2)
    }

    @Test func `Concurrent callers share one weak instance`() async {
        let (locator, log) = (locator, log)
        locator.register(.lazy(.anywhere) { Tracked(log) }.lifetime(.weak))
        for round in 1...50 {
            let held = Guarded<[Tracked?]>([])
            await onThreadsAsync(8) { _ in
                let tracked = try? locator.resolve(Tracked.self)
                held.withLock { $0.append(tracked) }
            }
            #expect(Set(held.value.map { $0.map(ObjectIdentifier.init) }).count == 1)
            #expect(held.value.first.flatMap(\.self) != nil)
            #expect(log.created == round)
            held.withLock { $0 = [] }
            #expect(log.alive == 0)
        }
    }

    @Test func `Threads may resolve and release concurrently`() async {
        let (locator, log) = (locator, log)
        locator.register(.lazy(.anywhere) { Tracked(log) }.lifetime(.weak))
        let failures = Counter()
        await onThreadsAsync(8) { _ in
            for _ in 0..<500 where (try? locator.resolve(Tracked.self)) == nil { failures.increment() }
        }
        #expect(failures.value == 0)
        #expect(log.created > 0)
        #expect(log.alive == 0)
    }

    @Test func `Weak dependencies come from the registering locator`() throws {
        final class Whole: Sendable {
            let part: Part
            init(_ part: Part) { self.part = part }
        }
        locator.register(.eager(Part(1)))
        locator.register(.lazy { locator in Whole(try locator.resolve()) }.lifetime(.weak))
        let child = locator.child()
        child.register(.eager(Part(2)))
        let whole = try child.resolve(Whole.self)
        #expect(whole.part.number == 1)
        #expect(try locator.resolve(Whole.self) === whole)
    }

    @Test func `Hooks run once for each weak instance`() throws {
        let finished = Counter()
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(.weak).afterInit { _, _ in finished.increment() })
        do {
            let first = try locator.resolve(Tracked.self)
            #expect(try locator.resolve(Tracked.self) === first)
            #expect(finished.value == 1)
        }
        _ = try locator.resolve(Tracked.self)
        #expect(finished.value == 2)
    }

    @Test func `All identities share one weak instance`() throws {
        locator.register(.lazy { [log] in ImageCache(log) }.lifetime(.weak).as((any Cache).self).asSelf(key: "images"))
        do {
            let cache = try locator.resolve((any Cache).self)
            #expect(try locator.resolve(ImageCache.self, key: "images") === cache)
            let property = Locator.$shared.withValue(locator) { Inject<ImageCache>("images") }
            #expect(property() === cache)
            #expect(log.created == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func `A new registration does not return the old instance`() throws {
        locator.register(.lazy { Part(1) }.lifetime(.weak))
        let held = try locator.resolve(Part.self)
        locator.register(.lazy { Part(2) }.lifetime(.weak))
        #expect(try locator.resolve(Part.self).number == 2)
        #expect(held.number == 1)
    }

    @Test func `A property releases the instance after unregistration`() {
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(.weak))
        let property = Locator.$shared.withValue(locator) { Optject<Tracked>() }
        for _ in 0..<3 { #expect(property() != nil) }
        locator.unregisterService(Tracked.self)
        #expect(property() == nil)
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A weak service is listed as created while it is alive`() throws {
        locator.register(.lazy { [log] in Tracked(log) }.lifetime(.weak))
        #expect(locator.registrations.map(\.isCreated) == [false])
        do {
            let tracked = try locator.resolve(Tracked.self)
            #expect(locator.registrations.map(\.isCreated) == [true])
            withExtendedLifetime(tracked) {}
        }
        #expect(log.alive == 0)
        #expect(locator.registrations.map(\.isCreated) == [false])
    }

    @Test func `An error suggests a living weak instance`() throws {
        locator.register(.lazy { [log] in ImageCache(log) }.lifetime(.weak))
        let cache = try locator.resolve(ImageCache.self)
        let error = #expect(throws: InjectleError.self) { try locator.resolve((any Cache).self) }
        #expect(error == .missing)
        // As for a lazy service with an instance that conforms.
        #expect(error?.description.contains("ImageCache, which is of this type") == true)
        withExtendedLifetime(cache) {}
    }

    @Test func `A failed weak creation runs again`() throws {
        struct Broken: Error {}
        let attempts = Counter()
        locator.register(
            .lazy { [log] () throws -> Tracked in
                if attempts.increment() == 1 { throw Broken() }
                return Tracked(log)
            }.lifetime(.weak)
        )
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Tracked.self) }
        #expect(error?.underlying is Broken)
        let tracked = try locator.resolve(Tracked.self)
        #expect(try locator.resolve(Tracked.self) === tracked)
    }
}
