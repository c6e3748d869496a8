import FromSwinject
import Injectle
import Testing

protocol Reading: AnyObject {}
protocol Writing: AnyObject {}
extension Database: Reading, Writing {}

@Suite struct EntryTests {
    let container = Container()

    @Test func `An implemented type has the instance of the registration`() {
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
            .implements((any Reading).self, (any Writing).self)
            .implements((any Reading).self, name: "archive")
        let database = container.resolve(Database.self)
        #expect(database === container.resolve((any Reading).self) as? Database)
        #expect(database === container.resolve((any Writing).self) as? Database)
        #expect(database === container.resolve((any Reading).self, name: "archive") as? Database)
    }

    @Test func `A forwarded type has the instance of the registration`() {
        let entry = container.register(Database.self) { _ in Database() }.inObjectScope(.container)
        container.forward((any Reading).self, name: "main", to: entry)
        #expect(container.resolve((any Reading).self, name: "main") === container.resolve(Database.self))
        #expect(container.resolve((any Reading).self) == nil)
    }

    @Test func `A type that the service does not have is nil`() {
        container.register(Database.self) { _ in Database() }.implements(Parent.self)
        #expect(container.resolve(Parent.self) == nil)
    }

    @Test func `Hooks run in order, once for each instance`() {
        var lines: [String] = []
        container.register(Database.self) { _ in Database() }.inObjectScope(.container)
            .initCompleted { _, _ in lines.append("first") }
            .initCompleted { _, _ in lines.append("second") }
        _ = (container.resolve(Database.self), container.resolve(Database.self))
        #expect(lines == ["first", "second"])
    }

    @Test func `A hook has run when the service that depends on it is created`() {
        container.register(Child.self) { _ in Child() }
        container.register(Parent.self) { _ in Parent() }
            .initCompleted { r, parent in parent.child = r.resolve(Child.self) }
        container.register(Page.self) { r in Page(values: r.resolve(Parent.self)?.child == nil ? [] : [1]) }
        #expect(container.resolve(Page.self)?.values == [1])
    }

    @Test(arguments: [ObjectScope.graph, .container, .weak])
    func `Hooks break a circle`(scope: ObjectScope) {
        container.register(Parent.self) { _ in Parent() }.inObjectScope(scope)
            .initCompleted { r, parent in parent.child = r.resolve(Child.self) }
        container.register(Child.self) { _ in Child() }.inObjectScope(scope)
            .initCompleted { r, child in child.parent = r.resolve(Parent.self) }
        let parent = container.resolve(Parent.self)
        #expect(parent?.child?.parent === parent)
    }

    @Test(arguments: [ObjectScope.graph, .container, .weak])
    func `A hook gets the service whose factory closure needs it`(scope: ObjectScope) {
        container.register(Parent.self) { r in Parent(child: r.resolve(Child.self)) }.inObjectScope(scope)
        container.register(Child.self) { _ in Child() }.inObjectScope(scope)
            .initCompleted { r, child in child.parent = r.resolve(Parent.self) }
        let parent = container.resolve(Parent.self)
        #expect(parent != nil)
        #expect(parent?.child?.parent === parent)
    }

    #if os(macOS) || os(Linux)
    @Test func `A circle of factory closures ends the program`() async {
        await #expect(processExitsWith: .failure) {
            let container = Container()
            container.register(Parent.self) { r in Parent(child: r.resolve(Child.self)) }
            container.register(Child.self) { r in
                _ = r.resolve(Parent.self)
                return Child()
            }
            _ = container.resolve(Parent.self)
        }
    }
    #endif

    @Test func `Behaviors observe registrations and implemented types`() {
        let recorder = Recorder()
        let container = Container(behaviors: [recorder])
        let second = Recorder()
        container.addBehavior(second)
        container.register(Database.self, name: "main") { _ in Database() }.implements((any Reading).self)
        #expect(recorder.lines == ["Database of Database, main", "Reading of Database, nil"])
        #expect(second.lines == recorder.lines)
    }
}

final class Recorder: Behavior {
    private(set) var lines: [String] = []
    func container<T, S>(_: Container, didRegisterType: T.Type, toService: ServiceEntry<S>, withName name: String?) {
        lines.append("\(T.self) of \(S.self), \(name ?? "nil")")
    }
}
