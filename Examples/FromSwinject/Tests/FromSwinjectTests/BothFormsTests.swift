import Foundation
import FromSwinject
import Injectle
import Testing

/// Registrations of Swinject and of Injectle are in one locator.
@Suite struct BothFormsTests {
    let container = Container()
    var locator: Locator { container.locator }

    @Test func `A container resolves a registration of Injectle`() {
        locator.register(.lazy { FixedClock(hour: 5) }, for: (any Clock).self, key: "early")
        locator.register(.volatile { (_, a: Int, b: Int) in Page(values: [a, b]) })
        #expect(container.resolve((any Clock).self, name: "early")?.hour == 5)
        #expect(container.resolve(Page.self, arguments: 1, 2)?.values == [1, 2])
        #expect(container.hasAnyRegistration(of: Page.self))
    }

    @Test func `A locator resolves a registration of Swinject`() throws {
        container.register((any Clock).self, name: "early") { _ in FixedClock(hour: 5) }
        container.register(Page.self) { _, a, b in Page(values: [a, b]) }
        #expect(try locator.resolve((any Clock).self, key: "early").hour == 5)
        #expect(try locator.resolve(Page.self, arguments: 1, 2).values == [1, 2])
    }

    @Test func `Both kinds of closures resolve services of the other kind`() {
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
        locator.register(.lazy { locator in UserStore(database: try locator.resolve()) })
        container.register(Report.self) { r in
            Report(store: r.resolve(UserStore.self)!, database: r.resolve(Database.self)!)
        }
        let report = container.resolve(Report.self)
        #expect(report != nil)
        #expect(report?.store.database === report?.database)
    }

    @Test func `The instances of a graph are shared through a closure of Injectle`() {
        container.register(Database.self) { _ in Database() }
        locator.register(.volatile { locator in UserStore(database: try locator.resolve()) })
        container.register(Report.self) { r in
            Report(store: r.resolve(UserStore.self)!, database: r.resolve(Database.self)!)
        }
        let report = container.resolve(Report.self)
        #expect(report?.store.database === report?.database)
    }

    @Test func `A hook runs when a locator resolves the service`() throws {
        container.register(Parent.self) { r in Parent(child: r.resolve(Child.self)) }.inObjectScope(.container)
        container.register(Child.self) { _ in Child() }
            .initCompleted { r, child in child.parent = r.resolve(Parent.self) }
        let parent = try locator.resolve(Parent.self)
        #expect(parent.child?.parent === parent)
    }

    @Test func `A container of a locator registers there`() throws {
        let app = Locator("app")
        let container = Container(locator: app)
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
        let property = Locator.$shared.withValue(app) { Inject<Database>() }
        #expect(try app.resolve(Database.self) === container.resolve(Database.self))
        #expect(Locator.$shared.withValue(app) { property() } === container.resolve(Database.self))
    }

    @Test func `A list has the contributions of Injectle`() {
        locator.register(.lazy { Page(values: [1]) }.contributing(to: Page.self))
        locator.register(.lazy { Page(values: [2]) }.contributing(to: Page.self))
        #expect(container.resolve([Page].self)?.map(\.values) == [[1], [2]])
    }

    @Test func `A closure of Injectle that throws gives nil, and the locator says why`() {
        locator.register(.lazy { locator in UserStore(database: try locator.resolve()) })
        #expect(container.resolve(UserStore.self) == nil)
        #expect(throws: InjectleError.missing) { try locator.resolve(UserStore.self) }
    }

    #if os(macOS) || os(Linux)
    @Test func `A locator without its container ends the program`() async {
        await #expect(processExitsWith: .failure) {
            var container: Container? = Container()
            container?.register(Database.self) { _ in Database() }
            let locator = container!.locator
            container = nil
            _ = try? locator.resolve(Database.self)
        }
    }
    #endif

    @Test func `Factory closures of a synchronized container run one after another`() async {
        let container = Container()
        nonisolated(unsafe) var running = 0
        nonisolated(unsafe) var created = 0
        for scope in [ObjectScope.transient, .graph] {
            container.register(Page.self, name: "\(scope)") { _ in
                running += 1
                created += 1
                defer { running -= 1 }
                return Page(values: [running])
            }.inObjectScope(scope)
        }
        let resolver = container.synchronize()
        let values = await withTaskGroup(of: [Int].self) { group in
            for index in 0..<200 {
                group.addTask { resolver.resolve(Page.self, name: index % 2 == 0 ? "transient" : "graph")!.values }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(values == Array(repeating: 1, count: 200))
        #expect(created == 200)
    }
}
