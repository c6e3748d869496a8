import InjectleTestSupport
import Testing

@testable import Injectle

/// A locator lists its children while they are alive.
@Suite struct ChildLocatorTests {
    private let parent = Locator("parent")

    private var names: [String] { parent.core.children.compactMap(\.name).sorted() }

    @Test func `A locator lists its children`() {
        let children = ["a", "b", "c"].map { parent.child($0) }
        #expect(names == ["a", "b", "c"])
        withExtendedLifetime(children) {}
    }

    @Test func `A child that does not retain its parent is listed`() throws {
        parent.register(.lazy { locator in locator.child("of a resolver") })
        let child = try parent.resolve(Locator.self)
        #expect(names == ["of a resolver"])
        withExtendedLifetime(child) {}
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func `A released child is removed in any order`(order: [Int]) {
        var children: [Locator?] = ["0", "1", "2"].map { parent.child($0) }
        for index in order {
            children[index] = nil
            #expect(names == children.compactMap { $0?.core.name })
        }
        let another = parent.child("another")
        #expect(names == ["another"])
        withExtendedLifetime(another) {}
    }

    @Test func `A locator lists and closes the children that many threads create`() async {
        let children = Guarded<[Locator]>([])
        await onThreadsAsync(16) { [parent] index in
            for _ in 0..<10 {
                let child = parent.child("\(index)")
                children.withLock { $0.append(child) }
            }
        }
        #expect(names.compactMap { $0 }.sorted() == (0..<160).map { "\($0 / 10)" }.sorted())
        await parent.close()
        #expect(children.value.allSatisfy { $0.core.hasEnded })
        // Any thread may release them.
        children.withLock { $0 = [] }
        #expect(names.isEmpty)
    }

    @Test func `A core that children retain is freed with the last of them`() throws {
        weak var core: LocatorCore?
        var children: [Locator] = []
        do {
            let server = Locator("server") { $0.register(.volatile { $0.child("of a resolver") }) }
            core = server.core
            for _ in 0..<2 { children.append(try server.resolve(Locator.self)) }
        }
        // A child of a resolver retains only the core, and one below it retains its locator, too.
        #expect(core?.hasEnded == true)
        children.append(children[0].child("below"))
        for _ in 0..<3 {
            #expect(core != nil)
            children.removeFirst()
        }
        #expect(core == nil)
    }

    @Test func `Descendants follow their parents`() {
        let first = parent.child("1")
        let inFirst = first.child("1.1")
        let deep = inFirst.child("1.1.1")
        let second = parent.child("2")
        let inSecond = second.child("2.1")
        let names = parent.core.descendants.compactMap(\.name)
        #expect(Set(names.prefix(2)) == ["1", "2"])
        #expect(names.sorted() == ["1", "1.1", "1.1.1", "2", "2.1"])
        #expect(names.last == "1.1.1")
        #expect(deep.core.descendants.isEmpty)
        withExtendedLifetime((deep, inSecond)) {}
    }

    @Test func `A long chain of locators is released on a small stack`() async {
        let log = Tracked.Log()
        await onAnotherThread(stackSize: 256 << 10) {
            var locator = Locator()
            locator.register(.eager(Tracked(log)))
            for _ in 0..<20_000 { locator = locator.child() }
        }
        #expect(log.alive == 0)
    }

    @Test func `A long chain of locators whose disposers reset them is released on a small stack`() async {
        let log = Tracked.Log()
        let disposed = Counter()
        await onAnotherThread(stackSize: 256 << 10) {
            var locator = Locator()
            for _ in 0..<5_000 {
                locator = locator.child()
                locator.register(
                    .eager(Tracked(log)).onDispose { [weak core = locator.core] _ in
                        disposed.increment()
                        core?.reset()
                    }
                )
            }
        }
        #expect(disposed.value == 5_000)
        #expect(log.alive == 0)
    }

    @Test func `A long chain of locators that a disposer releases is closed on a small stack`() async {
        let log = Tracked.Log()
        let root = Locator()
        await onAnotherThread(stackSize: 256 << 10) {
            var last = root
            for _ in 0..<5_000 {
                last = last.child()
                last.register(.eager(Tracked(log)).onDispose { _ in })
            }
            // The last reference to the chain, which the close of the root ends.
            let released = Guarded<Locator?>(last)
            last.register(
                .eager(0).onDispose { _ in
                    released.value?.reset()
                    released.withLock { $0.take() }
                }
            )
        }
        #expect(await root.close().isEmpty)
        #expect(log.alive == 0)
    }

    @Test(arguments: [false, true])
    func `A long chain of endings within endings ends on a small stack`(isOfDisposers: Bool) async {
        let log = Tracked.Log()
        let levels = 5_000
        await onAnotherThread(stackSize: 512 << 10) {
            let root = Locator()
            var inner: Locator?
            for _ in 0..<levels {
                let child = root.child()
                let next = Guarded(inner)
                child.register(.eager(Tracked(log)))
                if isOfDisposers {
                    child.register(
                        .eager(next).onDispose { next in
                            next.value?.reset()
                            next.withLock { $0 = nil }
                        }
                    )
                } else {
                    child.register(.eager(next))
                }
                inner = child
            }
        }
        #expect(await log.becomesEmpty())
    }

    @Test func `Threads create, release and list children concurrently`() async {
        let parent = parent
        let rounds = 2_000
        let wrong = Counter()
        await onThreadsAsync(4) { thread in
            if thread == 0 {
                for _ in 0..<rounds {
                    for core in parent.core.descendants {
                        if core.name != "child" && core.name != "grandchild" { wrong.increment() }
                    }
                }
                return
            }
            var kept: [Locator] = []
            for round in 0..<rounds {
                let child = parent.child("child")
                kept.append(child.child("grandchild"))
                // Releases some children at once and others later, out of order.
                if round % 3 == 0 { kept.removeFirst() }
                if round % 7 == 0 { kept.removeAll() }
            }
        }
        #expect(wrong.value == 0)
        #expect(parent.core.children.isEmpty)
        let last = parent.child("last")
        #expect(parent.core.descendants.map(\.name) == ["last"])
        withExtendedLifetime(last) {}
    }

    @Test func `A request for a missing type leaves nothing in the locator`() {
        struct Missing: Sendable {}
        let locator = Locator("missing")
        #expect(thrown { try locator.child().resolve(Missing.self) } == .missing)
        #expect(thrown { try locator.resolveOptional(Missing.self) } == nil)
        #expect(!locator.isRegistered(Missing.self))
        #expect(locator.core.table.values.isEmpty)
    }
}
