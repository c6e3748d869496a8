import InjectleTestSupport
import Testing

@testable import Injectle

/// The decisions of the wait-for graph, without threads.
@Suite struct WaitStateTests {
    /// A creation that code is part of.
    private struct Part {
        let cell: Cell
        var early: AnyInstance?

        init(_ number: Int, isEarly: Bool = false) {
            cell = Cell(for: Locator.Registration<Int>.lazy { number }.record)
            early = isEarly ? Instance(number) : nil
        }

        var node: Node { Node(cell) }
        var link: CallingCode.Creation {
            CallingCode.Creation(identity: cell.record.traits.identity, cell: cell, early: early)
        }
    }

    private let core = Locator("wait").core
    private var state = WaitState()
    private var actions = WaitState.Actions()

    /// Code that is part of creations, outermost first, begins to wait for another one.
    private mutating func wait(_ creations: [Part], for target: Part) -> WaitState.Answer {
        let waiter = Waiter(for: target.node, in: target.cell, isTask: true)
        return state.begin(
            WaitState.Wait(code: CallingCode(creations.map(\.link)), target: target.node, waiter: waiter),
            &actions
        )
    }

    private mutating func finish(_ creation: Part, _ instance: AnyInstance) throws -> WaitState.Publication {
        state.finish(creation.cell.nodeID, with: try finished(creation, instance), &actions)
    }

    private func finished(_ creation: Part, _ instance: AnyInstance, in cell: Cell? = nil) throws
        -> WaitState.Finished
    {
        var claims = CellClaims()
        if let cell { claims.append(cell, of: 0) }
        let request = Request(Int.self, nil, nil, "resolve", SourceLocation("Tests", 1))
        let found = Found(entry: Entry(core, creation.cell.record.traits.identity), record: creation.cell.record)
        return try WaitState.Finished(Acquisition(found, for: request, from: core), claims, instance)
    }

    private mutating func fail(_ creation: Part, within outer: [Part] = []) -> WaitState.Failure {
        state.fail(creation.cell.nodeID, within: outer.map(\.cell.nodeID), &actions)
    }

    private func number(_ answer: WaitState.Answer) -> Int? {
        if case .wait(let number) = answer { number } else { nil }
    }

    private func used(_ answer: WaitState.Answer?) -> AnyInstance? {
        if case .use(let instance) = answer { instance } else { nil }
    }

    private func isCircular(_ answer: WaitState.Answer?) -> Bool { if case .circular = answer { true } else { false } }

    private func published(_ ending: WaitState.Publication) -> [AnyInstance]? {
        if case .published(let all) = ending { all.map(\.instance) } else { nil }
    }

    private func discarded(_ ending: WaitState.Publication) -> [AnyInstance]? {
        if case .discarded(let all, _) = ending { all.map(\.instance) } else { nil }
    }

    private func isUnpublished(_ ending: WaitState.Publication) -> Bool {
        if case .unpublished = ending { true } else { false }
    }

    // MARK: Waits

    @Test mutating func `A node depends on what it waits for`() throws {
        let (first, second, third) = (Part(1), Part(2), Part(3))
        let wait = try #require(number(wait([first], for: second)))
        _ = self.wait([second], for: third)
        let isDependent = state.depends(first.node, onOneOf: [third.node.id])
        let isReverse = state.depends(third.node, onOneOf: [first.node.id])
        #expect(isDependent && !isReverse)
        #expect(state.awaited(by: first.node) == [second.node])
        _ = state.endWait(wait)
        #expect(!state.depends(first.node, onOneOf: [third.node.id]))
    }

    @Test mutating func `A wait for a close that waits for it is refused`() throws {
        let creation = Part(1)
        let close = Node.thread
        _ = wait([creation], for: Part(2))
        let wait = WaitState.Wait(code: CallingCode(besides: [close.id]), target: creation.node, waiter: nil)
        _ = try #require(number(state.begin(wait, &actions)))
        let back = WaitState.Wait(code: CallingCode([creation.link]), target: close, waiter: nil)
        guard case .deadlock = state.begin(back, &actions) else {
            Issue.record("The wait would never end.")
            return
        }
    }

    @Test mutating func `Code that is part of nothing closes no circle`() {
        let creation = Part(1)
        guard case .wait(nil) = wait([], for: creation) else {
            Issue.record("The wait has a number.")
            return
        }
    }

    @Test func `A waiter that leaves before the creation begins does not cancel it`() {
        let creation = TaskCreation(of: Locator.Identity(Int.self))
        creation.addWaiter()
        creation.removeWaiter()
        #expect(!creation.isCancelled)
    }

    @Test mutating func `A thread that cannot wait for a task is refused, and breaks no circle`() {
        let (task, thread) = (Part(1), Part(2))
        _ = wait([task], for: thread)
        let code = CallingCode([thread.link])
        let wait = WaitState.Wait(code: code, target: task.node, waiter: nil, isRefused: true)
        guard case .refused = state.begin(wait, &actions) else {
            Issue.record("The wait was not refused.")
            return
        }
        #expect(actions.ended.isEmpty)
    }

    // MARK: Circles

    @Test mutating func `Without early instances, each wait of a circle gets an error`() {
        let (hen, egg) = (Part(1), Part(2))
        _ = wait([hen], for: egg)
        let answer = wait([egg], for: hen)
        #expect(isCircular(answer))
        #expect(actions.ended.count == 1)
        #expect(isCircular(actions.ended.first?.answer))
        #expect(state.awaited(by: hen.node).isEmpty)
    }

    @Test mutating func `Only the request that is a circle alone gets an error`() {
        let (hen, egg) = (Part(1), Part(2, isEarly: true))
        _ = wait([hen], for: egg)
        // The egg has an instance: its request creates the hen, once the other thread has failed.
        let wait = number(wait([egg], for: hen))
        #expect(wait != nil)
        #expect(isCircular(actions.ended.first?.answer))
    }

    @Test mutating func `The instances of a circle are published together`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2, isEarly: true))
        let complete = [Instance(1) as AnyInstance, Instance(2)]
        _ = wait([hen], for: egg)
        let early = wait([egg], for: hen)
        #expect(used(early) === hen.early)
        #expect(Set(actions.inCircle.map(\.nodeID)) == [hen.cell.nodeID, egg.cell.nodeID])

        let finished = try finish(egg, complete[1])
        #expect(isUnpublished(finished))
        // The hen's hook gets the egg, which other code waits for.
        #expect(used(actions.ended.first?.answer) === complete[1])
        let outside = Part(3)
        #expect(number(wait([outside], for: egg)) != nil)

        let all = try published(finish(hen, complete[0]))
        #expect(all?.first === complete[1] && all?.last === complete[0])
        #expect(state.unpublished.isEmpty)
    }

    @Test mutating func `A creation on the way gets an early instance of its own`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2))
        #expect(used(wait([hen, egg], for: hen)) === hen.early)
        #expect(try isUnpublished(finish(egg, Instance(2))))
        #expect(try published(finish(hen, Instance(1)))?.count == 2)
    }

    @Test mutating func `A circle of three is published by the last`() throws {
        let rings = (0..<3).map { Part($0, isEarly: true) }
        _ = wait([rings[0]], for: rings[1])
        _ = wait([rings[1]], for: rings[2])
        #expect(used(wait([rings[2]], for: rings[0])) === rings[0].early)
        #expect(try isUnpublished(finish(rings[2], Instance(2))))
        #expect(try isUnpublished(finish(rings[1], Instance(1))))
        #expect(try published(finish(rings[0], Instance(0)))?.count == 3)
    }

    @Test mutating func `What was created with an instance that fails is discarded`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2))
        let instance: AnyInstance = Instance(2)
        _ = wait([hen, egg], for: hen)
        #expect(try isUnpublished(finish(egg, instance)))
        let failure = fail(hen)
        #expect(failure.discarded.map(\.instance).first === instance)
        #expect(!failure.isRepeated)
        #expect(state.unpublished.isEmpty)
    }

    @Test mutating func `A creation that uses an instance that fails is repeated`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2, isEarly: true))
        _ = wait([hen], for: egg)
        _ = wait([egg], for: hen)
        #expect(fail(hen).discarded.isEmpty)
        #expect(try discarded(finish(egg, Instance(2)))?.count == 1)
        #expect(state.unpublished.isEmpty)
    }

    @Test mutating func `Of nested creations that fail after such an instance, the outermost is repeated`() {
        let (hen, nest, egg) = (Part(1, isEarly: true), Part(2, isEarly: true), Part(3))
        _ = wait([hen], for: nest)
        _ = wait([nest, egg], for: hen)
        _ = fail(hen)
        #expect(!fail(egg, within: [nest]).isRepeated)
        #expect(fail(nest).isRepeated)
        #expect(state.unpublished.isEmpty)
    }

    @Test mutating func `A circle after an early instance of another thread is repeated after that`() {
        let (hen, egg) = (Part(1, isEarly: true), Part(2, isEarly: true))
        _ = wait([hen], for: egg)
        _ = wait([egg], for: hen)
        let failure = fail(egg)
        #expect(failure.isRepeated)
        #expect(failure.predecessors.map(\.nodeID) == [hen.cell.nodeID])
    }

    @Test mutating func `A creation whose code handles such an error is repeated, too`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2, isEarly: true))
        _ = wait([hen], for: egg)
        _ = wait([egg], for: hen)
        #expect(!fail(Part(3), within: [egg]).isRepeated)
        guard case .discarded(let all, let predecessors) = try finish(egg, Instance(2)) else {
            Issue.record("The instance lacks what alone it would have.")
            return
        }
        #expect(all.count == 1)
        #expect(predecessors.map(\.nodeID) == [hen.cell.nodeID])
    }

    @Test mutating func `An instance that is used is used again without a wait`() throws {
        let (hen, egg, other) = (Part(1, isEarly: true), Part(2, isEarly: true), Part(3))
        _ = wait([hen], for: egg)
        _ = wait([egg], for: hen)
        #expect(used(wait([egg, other], for: hen)) === hen.early)
        #expect(try isUnpublished(finish(other, Instance(3))))
    }

    @Test mutating func `A creation within a circle that fails leaves the others`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2))
        _ = wait([hen, egg], for: hen)
        #expect(fail(egg, within: [hen]).discarded.isEmpty)
        #expect(try published(finish(hen, Instance(1)))?.count == 1)
    }

    @Test func `A creation whose early instance is used until its cell has ended discards the users`() throws {
        let (hen, egg) = (Part(1, isEarly: true), Part(2))
        for creation in [hen, egg] { creation.cell.state.withLock { $0.claim(as: creation.node) } }
        // The hen has failed without circles, and its cell has not ended.
        guard case .use = WaitGraph.join(hen.cell, CallingCode([hen.link, egg.link]), isTask: true) else {
            Issue.record("The egg is created within the hen.")
            return
        }
        let instance = Instance(2)
        #expect(try isUnpublished(WaitGraph.finish(egg.cell.nodeID, with: finished(egg, instance))))
        let discarded = hen.cell.failed(with: .ended, in: CellList())
        #expect(discarded.count == 1)
        #expect(discarded.first?.instance === instance)
    }

    @Test func `A thread does not wait for a finished instance that needs a creation in a task`() throws {
        let (hen, egg, other) = (Part(1, isEarly: true), Part(2), Part(3))
        let task = TaskCreation(of: hen.cell.record.traits.identity)
        hen.cell.state.withLock { $0.claim(as: Node(hen.cell, in: task)) }
        egg.cell.state.withLock { $0.claim(as: egg.node) }
        let code = CallingCode([other.link])
        guard case .use = WaitGraph.join(hen.cell, CallingCode([hen.link, egg.link]), isTask: true),
            case .wait(let waiter) = WaitGraph.join(egg.cell, code, isTask: false)
        else {
            Issue.record("The egg is created within the hen, and not complete.")
            return
        }
        #expect(try isUnpublished(WaitGraph.finish(egg.cell.nodeID, with: finished(egg, Instance(2), in: egg.cell))))
        #expect(!egg.cell.state.withLock { $0.leave(waiter) })
        guard case .asynchronous = WaitGraph.join(egg.cell, code, isTask: false),
            case .wait = WaitGraph.join(egg.cell, code, isTask: true)
        else {
            Issue.record("A task waits, and a thread does not.")
            return
        }
        hen.cell.fail(with: .ended, in: CellList())
    }
}
