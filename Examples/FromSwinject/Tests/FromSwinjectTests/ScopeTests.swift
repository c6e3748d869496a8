import FromSwinject
import Testing

extension ObjectScope {
    fileprivate static let session = ObjectScope(storageFactory: PermanentStorage.init, description: "session")
}

@Suite struct ScopeTests {
    let container = Container()

    /// Whether two requests, and two services of one request, share a database.
    private func sharing(_ scope: ObjectScope) -> [Bool] {
        container.register(Database.self) { _ in Database() }.inObjectScope(scope)
        container.register(UserStore.self) { r in UserStore(database: r.resolve(Database.self)!) }
        container.register(Report.self) { r in
            Report(store: r.resolve(UserStore.self)!, database: r.resolve(Database.self)!)
        }
        let report = container.resolve(Report.self)!
        return [
            container.resolve(Database.self)! === container.resolve(Database.self)!,
            report.store.database === report.database,
        ]
    }

    @Test func `A transient service is created at each request`() { #expect(sharing(.transient) == [false, false]) }

    @Test func `A service of a graph is created once for each outermost request`() {
        #expect(sharing(.graph) == [false, true])
    }

    @Test func `A service of a container is created once`() { #expect(sharing(.container) == [true, true]) }

    @Test func `A scope of a program keeps the instance in its storage`() {
        #expect(sharing(.session) == [true, true])
    }

    @Test func `A weak service is shared while something retains it`() {
        container.register(Database.self) { _ in Database() }.inObjectScope(.weak)
        var database = container.resolve(Database.self)
        #expect(database === container.resolve(Database.self))
        let released = { [weak database] in database }
        database = nil
        #expect(released() == nil)
    }

    @Test func `The default scope is the one of the container`() {
        let container = Container(defaultObjectScope: .container)
        container.register(Database.self) { _ in Database() }
        #expect(container.resolve(Database.self) === container.resolve(Database.self))
    }

    @Test func `A reset ends the instances of one scope, or of one type, also in the parent`() {
        container.register(Database.self) { _ in Database() }.inObjectScope(.session)
        container.register((any Clock).self) { _ in SystemClock() }.inObjectScope(.session)
        container.register(Parent.self) { _ in Parent() }.inObjectScope(.container)
        let child = Container(parent: container)
        let first = (child.resolve(Database.self), child.resolve((any Clock).self), child.resolve(Parent.self))

        container.resetObjectScope(.session, serviceType: Database.self)
        #expect(child.resolve(Database.self) !== first.0)
        #expect(child.resolve((any Clock).self) === first.1)

        child.resetObjectScope(.session)
        #expect(child.resolve((any Clock).self) !== first.1)
        #expect(child.resolve(Parent.self) === first.2)

        child.resetObjectScope(.container)
        #expect(child.resolve(Parent.self) !== first.2)
    }

    @Test func `A value is kept by the container, and created anew in a graph`() {
        var created = 0
        for scope in [ObjectScope.container, .graph] {
            container.register(Page.self) { _ in
                created += 1
                return Page()
            }.inObjectScope(scope)
            _ = (container.resolve(Page.self), container.resolve(Page.self))
        }
        #expect(created == 3)
    }

    @Test func `A child shares the instances of its parent`() {
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
        let child = Container(parent: container)
        #expect(child.resolve(Database.self) === container.resolve(Database.self))
    }

    @Test func `A service of a parent gets the dependencies of the resolving child`() {
        container.register((any Clock).self) { _ in SystemClock() }
        container.register(Page.self) { r in Page(values: [r.resolve((any Clock).self)!.hour]) }
        let child = Container(parent: container)
        child.register((any Clock).self) { _ in FixedClock(hour: 3) }
        #expect(child.resolve(Page.self)?.values == [3])
        #expect(container.resolve(Page.self)?.values == [9])
    }

    @Test func `A released container releases its services`() {
        weak var database: Database?
        do {
            let container = Container()
            container.register(Database.self) { _ in Database() }.inObjectScope(.container).initCompleted { _, _ in }
            database = container.resolve(Database.self)
            #expect(database != nil)
        }
        #expect(database == nil)
    }
}
