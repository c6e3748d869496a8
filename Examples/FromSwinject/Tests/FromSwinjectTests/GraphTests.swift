import FromSwinject
import Testing

@Suite struct GraphTests {
    let container = Container()

    /// A service that resolves a database later.
    final class Later {
        let database: Database
        let lazy: Lazy<Database>
        let provider: Provider<Database>
        init(_ r: any Resolver) {
            database = r.resolve(Database.self)!
            lazy = r.resolve(Lazy<Database>.self)!
            provider = r.resolve(Provider<Database>.self)!
        }
    }

    @Test func `A lazy service is created at the first read`() {
        var created = 0
        container.register(Database.self) { _ in
            created += 1
            return Database()
        }
        let lazy = container.resolve(Lazy<Database>.self)
        #expect(created == 0)
        #expect(lazy?.instance === lazy?.instance)
        #expect(created == 1)
    }

    @Test func `A provider resolves at each read`() {
        container.register(Database.self) { _ in Database() }
        let provider = container.resolve(Provider<Database>.self)
        #expect(provider != nil)
        #expect(provider?.instance !== provider?.instance)
    }

    @Test func `A lazy service is of the graph that it is part of, and a provided one is not`() {
        container.register(Database.self) { _ in Database() }
        container.register(Later.self) { r in Later(r) }
        let later = container.resolve(Later.self)!
        #expect(later.lazy.instance === later.database)
        #expect(later.provider.instance !== later.database)
    }

    @Test func `Lazy and Provider have arguments and names, and are nil without a registration`() {
        container.register(Page.self, name: "one") { _, a in Page(values: [a]) }
        #expect(container.resolve(Lazy<Page>.self, name: "one", argument: 1)?.instance.values == [1])
        #expect(container.resolve(Provider<Page>.self, name: "one", argument: 1)?.instance.values == [1])
        #expect(container.resolve(Lazy<Database>.self) == nil)
        #expect(container.resolve(Provider<Database>.self) == nil)
    }

    @Test func `A graph continues with its identifier`() throws {
        var graph: GraphIdentifier?
        container.register(Database.self) { r in
            graph = r.resolve(GraphIdentifier.self)
            return Database()
        }
        let database = container.resolve(Database.self)
        #expect(container.resolve(GraphIdentifier.self) == nil)
        let again = container.withObjectGraph(try #require(graph)) { $0.resolve(Database.self) }
        #expect(again === database)
        #expect(container.resolve(Database.self) !== database)
    }

    @Test func `A graph retains what it creates until the outermost request returns`() {
        container.register(Database.self) { _ in Database() }
        container.register(Page.self) { r in
            let first = { [weak database = r.resolve(Database.self)] in database }
            return Page(values: first() === r.resolve(Database.self) && first() != nil ? [1] : [])
        }
        #expect(container.resolve(Page.self)?.values == [1])
    }

    @Test func `A task that a factory closure starts is not part of its graph`() async {
        container.register(Database.self) { _ in Database() }
        var task: Task<ObjectIdentifier?, Never>?
        container.register(UserStore.self) { [container] r in
            task = Task { container.resolve(Database.self).map { ObjectIdentifier($0) } }
            return UserStore(database: r.resolve(Database.self)!)
        }
        let store = container.resolve(UserStore.self)!
        let other = await task?.value
        #expect(other != nil && other != ObjectIdentifier(store.database))
    }
}
