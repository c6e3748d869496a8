import Injectle
import InjectleTestSupport
import Testing

private protocol Step: Sendable { var name: String { get } }

private final class Fare: Step {
    let name: String
    init(_ name: String = "fare") { self.name = name }
}

private final class Route: Step {
    let name = "route"
    init() {}
}

private final class Leg: Step {
    let name = "leg"
    let tracked: Tracked
    init(tracked: Tracked) { self.tracked = tracked }
}

private final class Planner: Step {
    let name = "planner"
    let steps: [any Step]
    init(steps: [any Step]) { self.steps = steps }
}

private final class Screen {
    @Inject var all: [any Step]
    @Inject("night") var night: [any Step]
    @Optject var optional: [any Step]?
}

private struct Broken: Error {}

/// Services that contribute to a list.
@Suite struct ContributionTests {
    private let locator = Locator("contributions")
    private let list = (any Step).self

    private func names(_ locator: Locator? = nil, key: AnyHashable? = nil) throws -> [String] {
        try (locator ?? self.locator).resolveAll((any Step).self, key: key).map(\.name)
    }

    // MARK: The list

    @Test func `A list has the order of registration`() throws {
        #expect(try names().isEmpty)
        locator.register(.lazy { Fare("1") }.contributing(to: list))
        locator.register(.lazy { Route() }.contributing(to: list))
        locator.register(.eager(Fare("3")).contributing(to: list))
        for number in 4...40 { locator.register(.volatile { Fare("\(number)") }.contributing(to: list)) }
        #expect(try names() == ["1", "route"] + (3...40).map { "\($0)" })
    }

    @Test func `A contribution with arguments needs them, also if its instance exists`() throws {
        locator.register(
            .lazy { (_, name: String) in Fare(name) }.as((any Step).self).contributing(to: (any Step).self)
        )
        #expect(try locator.resolve((any Step).self, arguments: "day").name == "day")
        #expect(thrown { _ = try names() } == .wrongArguments)
    }

    @Test func `A service that is also a contribution keeps its other identities`() throws {
        let fare = Locator.Registration<Fare>.lazy { Fare("day") }.contributing(to: (any Step).self)
        locator.register(fare.as((any Step).self).as((any Step).self, key: "b"))
        locator.unregister((any Step).self)
        #expect(!locator.isRegistered((any Step).self))
        #expect(try locator.resolve((any Step).self, key: "b").name == "day")
    }

    @Test func `A key identifies a separate list`() throws {
        locator.register(.lazy { Fare("day") }.contributing(to: list))
        locator.register(.lazy { Fare("night") }.contributing(to: list, key: "night"))
        locator.register(.lazy { Fare("both") }.contributing(to: list).contributing(to: list, key: "night"))
        #expect(try names() == ["day", "both"])
        #expect(try names(key: "night") == ["night", "both"])
        #expect(try names(key: "noon").isEmpty)
    }

    @Test func `A list resolves like a service`() throws {
        locator.register(.lazy { Fare() }.contributing(to: list))
        locator.register(.lazy { Route() }.contributing(to: list, key: "night"))
        #expect(try locator.resolve([any Step].self).map(\.name) == ["fare"])
        #expect(try locator.resolve([any Step].self, key: "night").map(\.name) == ["route"])
        #expect(try locator.resolveOptional([any Step].self)?.map(\.name) == ["fare"])
        #expect(try locator.resolve([any Step]?.self)?.map(\.name) == ["fare"])
        #expect(try locator.resolve([Int].self).isEmpty)
    }

    @Test func `A registered list takes precedence except in resolveAll`() throws {
        locator.register(.lazy { Fare() }.contributing(to: list))
        locator.register(.eager([Route()]), for: [any Step].self)
        #expect(try locator.resolve([any Step].self).map(\.name) == ["route"])
        #expect(try names() == ["fare"])
    }

    @Test func `A property follows contributions`() throws {
        let screen = Locator.$shared.withValue(locator) { Screen() }
        #expect(screen.all.isEmpty)
        #expect(screen.optional?.isEmpty == true)
        let fare = locator.register(.lazy { Fare() }.contributing(to: list))
        #expect(screen.all.map(\.name) == ["fare"])
        locator.register(.lazy { Route() }.contributing(to: list))
        locator.register(.lazy { Route() }.contributing(to: list, key: "night"))
        #expect(screen.all.map(\.name) == ["fare", "route"])
        #expect(screen.night.map(\.name) == ["route"])
        fare.remove()
        #expect(screen.all.map(\.name) == ["route"])
        locator.reset()
        #expect(screen.all.isEmpty)
        #expect(screen.night.isEmpty)
    }

    @Test func `A child's list hides the list of its parent`() throws {
        locator.register(.lazy { Fare("parent") }.contributing(to: list))
        locator.register(.lazy { Fare("parent") }.contributing(to: list, key: "night"))
        let child = locator.child()
        #expect(try names(child) == ["parent"])
        child.register(.lazy { Fare("child") }.contributing(to: list))
        #expect(try names(child) == ["child"])
        #expect(try names(child, key: "night") == ["parent"])
        #expect(try names() == ["parent"])
        child.reset()
        #expect(try names(child) == ["parent"])
    }

    // MARK: Arguments

    @Test func `All contributions receive the same arguments`() throws {
        locator.register(.volatile { (_, name: String) in Fare("by position \(name)") }.contributing(to: list))
        locator.register(
            .initializer({ (name: String) in Fare("by type \(name)") }).lifetime(.volatile).contributing(to: list)
        )
        let steps = try locator.resolveAll((any Step).self, arguments: "x")
        #expect(steps.map(\.name) == ["by position x", "by type x"])
        let same = try locator.resolve([any Step].self, arguments: "y")
        #expect(same.map(\.name) == ["by position y", "by type y"])
    }

    @Test func `A contribution with parameters throws for other arguments`() {
        locator.register(.volatile { (_, name: String) in Fare(name) }.contributing(to: list))
        #expect(thrown { _ = try names() } == .wrongArguments)
        let other = thrown { _ = try locator.resolveAll((any Step).self, arguments: 7) }
        #expect(other == .wrongArguments)
        let fewer = thrown { _ = try locator.resolveAll((any Step).self, arguments: "x", 7) }
        #expect(fewer == .wrongArguments)
    }

    // MARK: Identities

    @Test func `A contribution has no identity of its own`() throws {
        locator.register(.lazy { Fare() }.contributing(to: list).contributing(to: list, key: "night"))
        for key in [nil, "night"] {
            #expect(try locator.resolveOptional(Fare.self, key: key) == nil)
            #expect(try locator.resolveOptional((any Step).self, key: key) == nil)
            #expect(!locator.isRegistered((any Step).self, key: key))
        }
    }

    @Test func `A contribution with identities is one instance`() throws {
        locator.register(.lazy { Fare() }.contributing(to: list).asSelf().as((any Step).self, key: "step"))
        let fare = try locator.resolve(Fare.self)
        #expect(try locator.resolveAll((any Step).self).first as? Fare === fare)
        #expect(try locator.resolve((any Step).self, key: "step") as? Fare === fare)
    }

    @Test func `The key of a list is available for a service`() throws {
        locator.register(.lazy { Fare() }.contributing(to: list, key: "night"))
        #expect(throws: Never.self) { try locator.register(.eager(Route()), key: "night", and: forbidReassignment) }
        #expect(try locator.resolveOptional((any Step).self, key: "night") is Route)
    }

    @Test func `Contributions do not replace each other`() throws {
        let registration = Locator.Registration<Fare>.lazy { Fare() }.contributing(to: list)
        locator.register(registration)
        locator.register(registration)
        try locator.register(registration, and: forbidReassignment)
        let fares = try locator.resolveAll((any Step).self).compactMap { $0 as? Fare }
        #expect(Set(fares.map(ObjectIdentifier.init)).count == 3)
    }

    @Test func `An optional contributes its wrapped type`() throws {
        locator.register(.lazy { 1 }.contributing(to: Int?.self))
        #expect(try locator.resolveAll(Int.self) == [1])
        #expect(try locator.resolveAll(Int?.self) == [1])
        #expect(try locator.resolve([Int?].self) == [1])
    }

    // MARK: Removing

    @Test func `Removed contributions leave the list`() throws {
        let log = Tracked.Log()
        let first = locator.register(.lazy { Leg(tracked: Tracked(log)) }.contributing(to: list))
        locator.register(.lazy { Leg(tracked: Tracked(log)) }.contributing(to: list).asSelf())
        locator.register(.lazy { Leg(tracked: Tracked(log)) }.contributing(to: list, key: "night"))
        for key in [nil, "night"] { _ = try names(key: key) }
        #expect(log.alive == 3)
        first.remove()
        #expect(log.alive == 2)
        #expect(try names().count == 1)
        locator.unregisterService((any Step).self)
        #expect(try names().isEmpty)
        // The service is still registered by its own type.
        #expect(log.alive == 2)
        locator.unregisterService(Leg.self)
        #expect(log.alive == 1)
        #expect(try names(key: "night").count == 1)
        locator.reset()
        #expect(log.alive == 0)
        #expect(try names(key: "night").isEmpty)
    }

    @Test func `A keyed list is unregistered by its key`() throws {
        for key in ["night", "day"] { locator.register(.lazy { Fare(key) }.contributing(to: list, key: key)) }
        locator.unregister((any Step).self, key: "night")
        #expect(try names(key: "night").isEmpty)
        locator.unregisterService(withKey: "day")
        #expect(try names(key: "day").isEmpty)
    }

    // MARK: Failing

    @Test func `A failing contribution fails the list`() {
        locator.register(.lazy { Fare() }.contributing(to: list))
        locator.register(.lazy { () throws -> Route in throw Broken() }.contributing(to: list))
        #expect(thrown { _ = try names() } == .factoryFailed)
        #expect(thrown { _ = try locator.resolve([any Step].self) } == .factoryFailed)
        #expect(thrown { _ = try locator.resolveOptional([any Step].self) } == .factoryFailed)
    }

    @Test func `A contribution of another type throws wrongType`() {
        locator.register(.lazy { 5 }.contributing(to: list))
        #expect(thrown { _ = try names() } == .wrongType)
        let refused = thrown { try locator.register(.eager(5).contributing(to: list), and: forbidReassignment) }
        #expect(refused == .wrongType)
    }

    @Test func `A contribution that requires its own list is a cycle`() {
        locator.register(.initializer(Planner.init).contributing(to: list).asSelf())
        for _ in 0..<2 {
            do {
                _ = try locator.resolve(Planner.self)
                Issue.record("The circular dependency was created.")
            } catch {
                #expect(error == .circularDependency)
                #expect(error.path == [Locator.Identity(Planner.self), Locator.Identity([any Step].self)])
                #expect(error.description.contains("InjectleTests.Planner → Array<InjectleTests.Step> → "))
            }
            #expect(thrown { _ = try names() } == .circularDependency)
        }
    }

    // MARK: Lifetimes

    @Test func `A list mixes lifetimes`() throws {
        locator.register(.eager(Fare("eager")).contributing(to: list))
        locator.register(.lazy { Fare("lazy") }.contributing(to: list))
        locator.register(.volatile { Fare("volatile") }.contributing(to: list))
        locator.register(.lazy { Fare("weak") }.lifetime(.weak).contributing(to: list))
        locator.register(.lazy { Fare("per locator") }.lifetime(.perLocator).contributing(to: list))
        let child = locator.child()
        let first = try locator.resolveAll((any Step).self).compactMap { $0 as? Fare }
        let second = try locator.resolveAll((any Step).self).compactMap { $0 as? Fare }
        let childs = try child.resolveAll((any Step).self).compactMap { $0 as? Fare }
        #expect(first.map(\.name) == ["eager", "lazy", "volatile", "weak", "per locator"])
        try #require(second.count == 5 && childs.count == 5)
        #expect(zip(first, second).map { $0 === $1 } == [true, true, false, true, true])
        #expect(zip(first, childs).map { $0 === $1 } == [true, true, false, true, false])
    }

    // MARK: Changes during creation

    @Test func `A contribution registered during creation joins the next list`() throws {
        let locator = locator
        locator.register(
            .lazy {
                locator.register(.lazy { Route() }.contributing(to: (any Step).self))
                return Fare()
            }.contributing(to: list)
        )
        #expect(try names() == ["fare"])
        #expect(try names() == ["fare", "route"])
    }

    @Test func `A list that is reset during creation is empty afterwards`() throws {
        let locator = locator
        locator.register(
            .lazy {
                locator.reset()
                return Fare()
            }.contributing(to: list)
        )
        locator.register(.lazy { Route() }.contributing(to: list))
        // The running creation ends; contributions that were removed before their turn are left out.
        #expect(try names() == ["fare"])
        #expect(try names().isEmpty)
    }

    // MARK: Threads and actors

    @Test func `A list is complete while threads change it`() async throws {
        let locator = locator
        let failures = Counter()
        await onThreadsAsync(4) { thread in
            for number in 0..<50 {
                let name = "\(thread)"
                locator.register(.lazy(.anywhere) { Fare(name) }.contributing(to: (any Step).self))
                let other = locator.register(.lazy(.anywhere) { Fare("gone") }.contributing(to: (any Step).self))
                let own = (try? locator.resolveAll((any Step).self))?.filter { $0.name == name }.count
                if own != number + 1 { failures.increment() }
                other.remove()
            }
        }
        #expect(failures.value == 0)
        let names = try names()
        #expect(names.count == 200)
        #expect(!names.contains("gone"))
    }
}
