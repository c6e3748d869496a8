import FromSwinject
import Testing

@Suite struct ResolveTests {
    let container = Container()

    @Test func `A registered service is resolved`() {
        container.register((any Clock).self) { _ in SystemClock() }
        #expect(container.resolve((any Clock).self)?.hour == 9)
    }

    @Test func `A service that is not registered is nil`() {
        #expect(container.resolve(Database.self) == nil)
        #expect(container.resolve(Database.self, name: "main") == nil)
    }

    @Test func `Names tell registrations of a type apart`() {
        container.register((any Clock).self, name: "noon") { _ in FixedClock(hour: 12) }
        container.register((any Clock).self, name: "midnight") { _ in FixedClock(hour: 0) }
        #expect(container.resolve((any Clock).self, name: "noon")?.hour == 12)
        #expect(container.resolve((any Clock).self, name: "midnight")?.hour == 0)
        #expect(container.resolve((any Clock).self) == nil)
    }

    @Test func `A factory closure resolves its dependencies`() {
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
        container.register(UserStore.self) { r in UserStore(database: r.resolve(Database.self)!) }
        #expect(container.resolve(UserStore.self)?.database === container.resolve(Database.self))
    }

    @Test func `One argument is passed with and without a name`() {
        container.register(Page.self) { _, a in Page(values: [a]) }
        container.register(Page.self, name: "double") { _, a in Page(values: [a, a]) }
        #expect(container.resolve(Page.self, argument: 1)?.values == [1])
        #expect(container.resolve(Page.self, name: "double", argument: 2)?.values == [2, 2])
        #expect(container.resolve(Page.self) == nil)
        #expect(container.resolve(Page.self, argument: "1") == nil)
    }

    @Test func `Nine arguments are passed with and without a name`() {
        typealias I = Int
        container.register(Page.self) { (_, a: I, b: I, c: I, d: I, e: I, f: I, g: I, h: I, i: I) in
            Page(values: [a, b, c, d, e, f, g, h, i])
        }
        container.register(Page.self, name: "two") { (_, a: Int, b: Int) in Page(values: [a, b]) }
        #expect(container.resolve(Page.self, arguments: 1, 2, 3, 4, 5, 6, 7, 8, 9)?.values == Array(1...9))
        #expect(container.resolve(Page.self, name: "two", arguments: 1, 2)?.values == [1, 2])
    }

    @Test func `Registrations with other arguments stand beside each other, also in a parent`() {
        container.register(Page.self) { _, a, b in Page(values: [a, b]) }
        let child = Container(parent: container)
        child.register(Page.self) { _, a in Page(values: [a]) }
        #expect(child.resolve(Page.self) == nil)
        #expect(child.resolve(Page.self, argument: 1)?.values == [1])
        #expect(child.resolve(Page.self, arguments: 1, 2)?.values == [1, 2])
    }

    @Test func `An optional type is resolved to nil without a registration`() {
        let none = container.resolve(Database?.self)
        #expect(none != nil && none! == nil)
        container.register(Database.self) { _ in Database() }
        #expect(container.resolve(Database?.self)! != nil)
    }

    @Test func `A registered list is resolved`() {
        container.register([Page].self) { _ in [Page(), Page(values: [1])] }
        #expect(container.resolve([Page].self)?.count == 2)
    }

    @Test func `The last registration of a type wins`() {
        container.register((any Clock).self) { _ in FixedClock(hour: 1) }
        container.register((any Clock).self) { _ in FixedClock(hour: 2) }
        #expect(container.resolve((any Clock).self)?.hour == 2)
    }

    @Test func `A registration is found by its type and name, also in a parent`() {
        container.register(Database.self, name: "main") { _ in Database() }
        let child = Container(parent: container)
        #expect(child.hasAnyRegistration(of: Database.self, name: "main"))
        #expect(!child.hasAnyRegistration(of: Database.self))
        #expect(!child.hasAnyRegistration(of: Page.self, name: "main"))
    }

    @Test func `A container without registrations resolves nothing`() {
        container.register(Database.self) { _ in Database() }
        container.removeAll()
        #expect(container.resolve(Database.self) == nil)
        #expect(container.description == "[\n]")
    }

    @Test func `A container describes its registrations`() {
        container.register(Database.self, name: "main") { _ in Database() }.inObjectScope(.container)
        container.register(Page.self) { (_, a: Int) in Page(values: [a]) }.initCompleted { _, _ in }
        #expect(
            container.description == """
                [
                    { Service: Database, Name: "main", Factory: Resolver -> Database, ObjectScope: container },
                    { Service: Page, Factory: (Resolver, Int) -> Page, ObjectScope: graph, \
                InitCompleted: Specified 1 closures }
                ]
                """
        )
    }
}
