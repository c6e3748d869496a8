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

private final class Part: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// A weak service is shared while somebody else holds it.
@Suite struct WeakLifetimeTests {
    private let locator = Locator("weak")
    private let log = Tracked.Log()

    @Test func aWeakServiceIsSharedForAsLongAsSomebodyHoldsIt() throws {
        locator.register(.lifetime(.weak) { [log] in Tracked(log) })
        #expect(log.made == 0)
        do {
            let first = try locator.resolve(Tracked.self)
            #expect(try locator.resolve(Tracked.self) === first)
            #expect(try locator.child().resolve(Tracked.self) === first)
            #expect(log.made == 1)
        }
        #expect(log.alive == 0)
        for count in 2...3 {
            _ = try locator.resolve(Tracked.self)
            #expect(log.made == count)
            #expect(log.alive == 0)
        }
    }

    @Test func anExistentialOfAClassIsKeptWeaklyToo() throws {
        locator.register(.lifetime(.weak) { [log] in ImageCache(log) }, for: (any Cache).self)
        do {
            let first = try locator.resolve((any Cache).self)
            #expect(try locator.resolve((any Cache).self) === first)
        }
        #expect(log.alive == 0)
        _ = try locator.resolve((any Cache).self)
        #expect(log.made == 2)
        #expect(log.alive == 0)
    }

    @Test func anActorIsKeptWeaklyToo() throws {
        actor Worker {}
        locator.register(.lifetime(.weak) { Worker() })
        let first = try locator.resolve(Worker.self)
        #expect(try locator.resolve(Worker.self) === first)
    }

    @Test func aStructureCannotBeKeptWeakly() {
        locator.register(.lifetime(.weak) { Settings() })
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Settings.self) }
            #expect(error?.code == InjectleError.notAnObject)
            let text = error?.description ?? ""
            #expect(text.contains("Settings is no object"))
            #expect(text.contains("InjectleTests/WeakLifetimeTests.swift:"))
            #expect(text.contains(", weak"))
            #expect(text.contains("register it by `.lazy { … }`, or make InjectleTests.Settings a class"))
        }
    }

    @Test func aStructureBehindAProtocolCannotBeKeptWeaklyEither() {
        locator.register(.lifetime(.weak) { Settings() as any Sendable }, for: (any Sendable).self)
        let error = #expect(throws: InjectleError.self) { try locator.resolve((any Sendable).self) }
        #expect(error?.code == InjectleError.notAnObject)
    }

    @Test func thatAStructureCannotBeKeptWeaklyIsAnErrorAlsoWhereNilIsAnAnswer() {
        locator.register(.lifetime(.weak) { Settings() })
        let error = #expect(throws: InjectleError.self) { try locator.resolveOptional(Settings.self) }
        #expect(error?.code == InjectleError.notAnObject)
    }

    @Test func propertiesThatHaveReadItHoldItAndShareIt() throws {
        locator.register(.lifetime(.weak) { [log] in Tracked(log) })
        do {
            let (first, second) = Locator.$shared.withValue(locator) { (Inject<Tracked>(), Inject<Tracked>()) }
            let id = ObjectIdentifier(first())
            #expect(log.alive == 1)
            for _ in 0..<3 {
                #expect(ObjectIdentifier(second()) == id)
                #expect(ObjectIdentifier(first()) == id)
            }
            #expect(ObjectIdentifier(try locator.resolve(Tracked.self)) == id)
            #expect(log.made == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func aPropertyThatIsSetToNilLetsGoOfIt() throws {
        final class Owner: Sendable {
            let tracked = Optject<Tracked>()
        }
        locator.register(.lifetime(.weak) { [log] in Tracked(log) })
        let owner = Locator.$shared.withValue(locator) { Owner() }
        for _ in 0..<3 { #expect(owner.tracked() != nil) }
        #expect(log.made == 1)
        #expect(log.alive == 1)
        owner.tracked.wrappedValue = nil
        #expect(log.alive == 0)
        #expect(owner.tracked() == nil)
        _ = try locator.resolve(Tracked.self)
        #expect(log.made == 2)
    }

    @Test func itIsMadeOnceHoweverManyThreadsAsk() async {
        let (locator, log) = (locator, log)
        locator.register(.lifetime(.weak, .anywhere) { Tracked(log) })
        for round in 1...50 {
            let held = Guarded<[Tracked?]>([])
            await onThreadsAsync(8) { _ in
                let tracked = try? locator.resolve(Tracked.self)
                held.withLock { $0.append(tracked) }
            }
            #expect(Set(held.value.map { $0.map(ObjectIdentifier.init) }).count == 1)
            #expect(held.value.first.flatMap(\.self) != nil)
            #expect(log.made == round)
            held.withLock { $0 = [] }
            #expect(log.alive == 0)
        }
    }

    @Test func threadsMayTakeItAndDropItAtTheSameTime() async {
        let (locator, log) = (locator, log)
        locator.register(.lifetime(.weak, .anywhere) { Tracked(log) })
        let failures = Counter()
        await onThreadsAsync(8) { _ in
            for _ in 0..<500 where (try? locator.resolve(Tracked.self)) == nil { failures.increment() }
        }
        #expect(failures.value == 0)
        #expect(log.made > 0)
        #expect(log.alive == 0)
    }

    @Test func itsDependenciesComeFromTheLocatorThatRegisteredIt() throws {
        final class Whole: Sendable {
            let part: Part
            init(_ part: Part) { self.part = part }
        }
        locator.register(.eager(Part(1)))
        locator.register(.lifetime(.weak) { locator in Whole(try locator.resolve()) })
        let child = locator.child()
        child.register(.eager(Part(2)))
        let whole = try child.resolve(Whole.self)
        #expect(whole.part.number == 1)
        #expect(try locator.resolve(Whole.self) === whole)
    }

    @Test func itsHookRunsOnceForEachInstance() throws {
        let finished = Counter()
        locator.register(.lifetime(.weak) { [log] in Tracked(log) }.afterInit { _, _ in finished.increment() })
        do {
            let first = try locator.resolve(Tracked.self)
            #expect(try locator.resolve(Tracked.self) === first)
            #expect(finished.value == 1)
        }
        _ = try locator.resolve(Tracked.self)
        #expect(finished.value == 2)
    }

    @Test func allItsIdentitiesLeadToOneObject() throws {
        locator.register(.lifetime(.weak) { [log] in ImageCache(log) }.as((any Cache).self).asSelf(key: "images"))
        do {
            let cache = try locator.resolve((any Cache).self)
            #expect(try locator.resolve(ImageCache.self, key: "images") === cache)
            let property = Locator.$shared.withValue(locator) { Inject<ImageCache>("images") }
            #expect(property() === cache)
            #expect(log.made == 1)
        }
        #expect(log.alive == 0)
    }

    @Test func anObjectIsMadeByTheRegistrationThatStandsNow() throws {
        locator.register(.lifetime(.weak) { Part(1) })
        let held = try locator.resolve(Part.self)
        locator.register(.lifetime(.weak) { Part(2) })
        #expect(try locator.resolve(Part.self).number == 2)
        #expect(held.number == 1)
    }

    @Test func aPropertyLetsGoOfItWhenTheRegistrationHasGone() {
        locator.register(.lifetime(.weak) { [log] in Tracked(log) })
        let property = Locator.$shared.withValue(locator) { Optject<Tracked>() }
        for _ in 0..<3 { #expect(property() != nil) }
        locator.unregisterService(Tracked.self)
        #expect(property() == nil)
        #expect(log.made == 1)
        #expect(log.alive == 0)
    }

    @Test func itIsListedAsMadeWhileItIsThere() throws {
        locator.register(.lifetime(.weak) { [log] in Tracked(log) })
        #expect(locator.registrations.map(\.isCreated) == [false])
        do {
            let tracked = try locator.resolve(Tracked.self)
            #expect(locator.registrations.map(\.isCreated) == [true])
            withExtendedLifetime(tracked) {}
        }
        #expect(log.alive == 0)
        #expect(locator.registrations.map(\.isCreated) == [false])
    }

    @Test func whatComesCloseToAMissingServiceMayBeWeak() throws {
        locator.register(.lifetime(.weak) { [log] in ImageCache(log) })
        let cache = try locator.resolve(ImageCache.self)
        let error = #expect(throws: InjectleError.self) { try locator.resolve((any Cache).self) }
        #expect(error?.code == InjectleError.missing)
        // As for a lazy one, whose instance is there and is what was asked for.
        #expect(error?.description.contains("ImageCache, which is one") == true)
        withExtendedLifetime(cache) {}
    }

    @Test func whatCannotBeMadeIsTriedAgain() throws {
        struct Broken: Error {}
        let attempts = Counter()
        locator.register(
            .lifetime(.weak) { [log] () throws -> Tracked in
                if attempts.increment() == 1 { throw Broken() }
                return Tracked(log)
            }
        )
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Tracked.self) }
        #expect(error?.underlying is Broken)
        let tracked = try locator.resolve(Tracked.self)
        #expect(try locator.resolve(Tracked.self) === tracked)
    }
}
