import FromSwinject
import Testing

private struct DatabaseAssembly: Assembly {
    func assemble(container: Container) { container.register(Database.self) { _ in Database() } }
}
private struct StoreAssembly: Assembly {
    let loading: (any Resolver) -> Void
    func assemble(container: Container) {
        container.register(UserStore.self) { r in UserStore(database: r.resolve(Database.self)!) }
    }
    func loaded(resolver: any Resolver) { loading(resolver) }
}

@Suite struct AssemblerTests {
    @Test func `Assemblies are loaded when all have registered`() {
        var store: UserStore?
        let assembler = Assembler([
            StoreAssembly { resolver in store = resolver.resolve(UserStore.self) }, DatabaseAssembly(),
        ])
        #expect(store != nil)
        #expect(assembler.resolver.resolve(UserStore.self) != nil)
    }

    @Test func `Assemblies are applied one by one, or together`() {
        let container = Container()
        let assembler = Assembler(container: container)
        assembler.apply(assembly: DatabaseAssembly())
        #expect(container.resolve(Database.self) != nil)
        assembler.apply(assemblies: [StoreAssembly { _ in }])
        #expect(container.resolve(UserStore.self) != nil)
        #expect(Assembler().resolver.resolve(Database.self) == nil)
    }

    @Test func `A child assembler has the services of its parent, a scope and behaviors`() {
        let recorder = Recorder()
        let parent = Assembler([DatabaseAssembly()])
        let store = StoreAssembly { _ in }
        let child = Assembler([store], parent: parent, defaultObjectScope: .container, behaviors: [recorder])
        #expect(child.resolver.resolve(UserStore.self) === child.resolver.resolve(UserStore.self))
        #expect(recorder.lines == ["UserStore of UserStore, nil"])
        #expect(parent.resolver.resolve(UserStore.self) == nil)
        let other = Assembler(parentAssembler: parent, defaultObjectScope: .container, behaviors: [recorder])
        other.apply(assembly: store)
        #expect(other.resolver.resolve(UserStore.self) === other.resolver.resolve(UserStore.self))
        #expect(recorder.lines.count == 2)
    }

    @Test func `A container registers in its closure`() {
        let container = Container { $0.register(Database.self) { _ in Database() } }
        #expect(container.resolve(Database.self) != nil)
    }
}
