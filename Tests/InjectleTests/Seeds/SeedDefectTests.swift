import Injectle
import InjectleTestSupport
import Testing

private struct Config: Sendable { let origin = "InjectleTests" }
private struct Box<Content>: Sendable { let name: String }
private struct User: Sendable { let name: String }
private final class DeLorean: Sendable {}

private final class Holder: Sendable {
    let shared = Inject<DeLorean>()
    let own = Inject<Tracked>()
}

private final class Ring: Sendable {
    let next = Inject<Ring>()
    let tracked: Tracked
    init(_ log: Tracked.Log) { tracked = Tracked(log) }
}

/// What the libraries that this one takes after get wrong, one test for each.
@Suite struct SeedDefectTests {
    let locator = Locator("defects")

    @Test func sameNamedTypesInTwoModulesAreNotMixedUp() throws {
        locator.registerSingleton(Config())
        locator.registerSingleton(InjectleTestSupport.Config())
        #expect(try locator.resolve(Config.self).origin == "InjectleTests")
        #expect(try locator.resolve(InjectleTestSupport.Config.self).origin == "InjectleTestSupport")
    }

    @Test func sameNamedTypesInTwoParentsAreNotMixedUp() throws {
        locator.registerSingleton(Left.Engine())
        #expect(try locator.resolveOptional(Right.Engine.self) == nil)
        locator.registerSingleton(Right.Engine())
        locator.unregisterService(Left.Engine.self)
        #expect(try locator.resolveOptional(Right.Engine.self) != nil)
    }

    @Test func genericServicesAreNotMixedUpWithTheirArguments() throws {
        locator.registerSingleton(User(name: "user"))
        locator.registerSingleton(Box<User>(name: "box"))
        #expect(try locator.resolve(User.self).name == "user")
        #expect(try locator.resolve(Box<User>.self).name == "box")
        locator.unregisterService(User.self)
        #expect(locator.isRegistered(Box<User>.self))
    }

    @Test func `A key may contain angle brackets`() throws {
        locator.registerSingleton(User(name: "keyed"), forKey: "Box<User>")
        locator.registerSingleton(Box<User>(name: "box"))
        locator.registerSingleton(User(name: "odd"), forKey: "<")
        #expect(try locator.resolve(User.self, key: "Box<User>").name == "keyed")
        #expect(try locator.resolve(Box<User>.self).name == "box")
        #expect(try locator.resolve(User.self, key: "<").name == "odd")
    }

    @Test func aTypeMayBeNamedLikeAKey() throws {
        try locator.registerSingleton(User(name: "keyed"), forKey: "User", and: forbidReassignment)
        try locator.registerSingleton(User(name: "typed"), and: forbidReassignment)
        #expect(try locator.resolve(User.self, key: "User").name == "keyed")
        #expect(try locator.resolve(User.self).name == "typed")
    }

    @Test func aThousandDeadHoldersLeaveNoObjectAndNoRecordBehind() {
        let log = Tracked.Log()
        weak var last: Holder?
        locator.register(.lazy { DeLorean() })
        locator.register(.volatile { Tracked(log) })
        Locator.$shared.withValue(locator) {
            for _ in 0..<1_000 {
                let holder = Holder()
                for _ in 0..<3 { _ = (holder.own(), holder.shared()) }
                last = holder
            }
        }
        #expect(last == nil)
        #expect(log.made == 1_000)
        #expect(log.alive == 0)
        #expect(locator.registrations.count == 2)
    }

    /// A locator that kept a record of each property would search or grow with them. What a read does is counted in
    /// work, not in time: the first property and the 10,000th find the same remembered slot, and the locator is not
    /// asked.
    @Test func `A read costs the same for ten thousand properties`() throws {
        locator.register(.lazy { DeLorean() })
        let lookups = Counter()
        let properties = Locator.$shared.withValue(locator) {
            (0..<10_000).map { _ in Inject<DeLorean>(Asked(lookups)) }
        }
        locator.register(.lazy { DeLorean() }, key: Asked(lookups))
        let (first, last) = (properties[0], properties[9_999])
        for property in [first, last] { for _ in 0..<2 { _ = property() } }
        let before = lookups.value
        for _ in 0..<100 { _ = first() }
        let afterFirst = lookups.value
        for _ in 0..<100 { _ = last() }
        #expect(afterFirst == before)
        #expect(lookups.value == before)
    }

    @Test func `An Optject set to nil before registration stays nil`() {
        let car = Locator.$shared.withValue(locator) { Optject<DeLorean>() }
        car.wrappedValue = nil
        locator.registerSingleton(DeLorean())
        #expect(car() == nil)
    }

    @Test func aLazyFactoryThatResolvesItselfIsAnErrorAndNotAStackOverflow() {
        locator.register(.lazy { locator in Box<Int>(name: try locator.resolve(Box<Int>.self).name) })
        locator.register(.lazy { locator in User(name: try locator.resolve(Box<User>.self).name) })
        locator.register(.lazy { locator in Box<User>(name: try locator.resolve(User.self).name) })
        for ask in [{ _ = try locator.resolve(Box<Int>.self) }, { _ = try locator.resolve(User.self) }] {
            #expect(throws: InjectleError.self) { try ask() }
        }
    }

    @Test func aLazyFactorysCapturesAreFreedOnceItHasRun() throws {
        let log = Tracked.Log()
        var captured: Tracked? = Tracked(log)
        locator.register(.lazy { [captured] in captured == nil ? 0 : 1 })
        captured = nil
        #expect(log.alive == 1)
        #expect(try locator.resolve(Int.self) == 1)
        #expect(log.alive == 0)
        #expect(try locator.resolve(Int.self) == 1)
    }

    @Test func aHolderCreatedInAnOverrideAndReadOutsideOrOnAnotherThreadKeepsIt() async {
        locator.registerSingleton(DeLorean())
        let holder = Locator.$shared.withValue(locator) { Holder() }
        let expected = try? locator.resolve(DeLorean.self)
        #expect(expected != nil)
        #expect(await onAnotherThread { holder.shared() } === expected)
        #expect(holder.shared() === expected)
        await Task.detached { #expect(holder.shared() === expected) }.value
    }

    @Test(.processWide) func aServiceMissingInAnOverrideIsAnErrorThatNamesItAndSaysWhereElseItIs() throws {
        Injectle[.default].registerSingleton(User(name: "default"))
        try Locator.$shared.withValue(locator) { () throws in
            let error = #expect(throws: InjectleError.self) { try Locator.shared.resolve(User.self) }
            #expect(error?.description.contains("the locator \"defects\", the override in force") == true)
            #expect(error?.description.contains("the default locator has it") == true)
        }
    }

    @Test func aLocatorWhoseInstancesReferToItByTheirPropertiesIsFreed() throws {
        let log = Tracked.Log()
        var locator: Locator? = Locator()
        weak let weakly = locator
        locator?.register(.lazy { Ring(log) })
        for _ in 0..<3 { _ = try locator?.resolve(Ring.self).next().next() }
        #expect(log.alive == 1)
        locator = nil
        #expect(weakly == nil)
        #expect(log.alive == 0)
    }

    @Test func `One key serves several types`() throws {
        locator.registerSingleton(User(name: "user"), forKey: "main")
        locator.registerSingleton(Box<Int>(name: "box"), forKey: "main")
        #expect(try locator.resolve(User.self, key: "main").name == "user")
        #expect(try locator.resolve(Box<Int>.self, key: "main").name == "box")
    }

    /// The rest of this defect, with more threads and rounds, is in `StressTests`.
    @Test func registeringResolvingUnregisteringAndResettingSideBySideNeverCrashes() async {
        let locator = locator
        let failures = Counter()
        await onThreadsAsync(4) { index in
            for round in 0..<500 {
                switch (index + round) % 4 {
                case 0: locator.register(.lazy { User(name: "\(round)") })
                case 1: locator.unregisterService(User.self)
                case 2 where round % 50 == 0: locator.reset()
                default: if (try? locator.resolveOptional(User.self)) == nil { failures.increment() }
                }
            }
        }
        locator.registerSingleton(User(name: "after"))
        #expect((try? locator.resolve(User.self).name) == "after")
    }
}

/// A key that counts how often it is asked for its hash or its equality.
private struct Asked: Hashable, Sendable {
    let counter: Counter

    init(_ counter: Counter) { self.counter = counter }

    static func == (left: Asked, right: Asked) -> Bool {
        left.counter.increment()
        return left.counter === right.counter
    }

    func hash(into hasher: inout Hasher) {
        counter.increment()
    }
}
