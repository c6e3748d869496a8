import Injectle
import InjectleTestSupport
import Testing

private protocol Cache: AnyObject, Sendable {}

private final class ImageCache: Cache {
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

private struct Settings: Sendable, Equatable {
    var isDark = false
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

    @Test func `A value of type Any is cached weakly`() throws {
        locator.register(.lazy { [log] in Tracked(log) as any Sendable }.lifetime(.weak))
        do {
            let first = try locator.resolve((any Sendable).self)
            #expect(try locator.resolve((any Sendable).self) as? Tracked === first as? Tracked)
            #expect(log.created == 1)
        }
        #expect(log.alive == 0)
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
}
