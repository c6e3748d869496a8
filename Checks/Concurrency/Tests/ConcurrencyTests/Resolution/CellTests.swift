import InjectleTestSupport
import Testing

@testable import Injectle

/// The state machine of a cell, without threads.
@Suite struct CellTests {
    private let node = Node(Cell(for: Locator.Registration<String>.lazy { "" }.record))
    private let instance: AnyInstance = Instance("service")

    private var record: AnyRecord { Locator.Registration<String>.lazy { "" }.record }

    private func waiter() -> Waiter { Waiter(for: node, in: Cell(for: record), isTask: true) }

    /// The phase, as what a caller has to do.
    private func answer(_ state: CellState) -> String {
        switch state.phase {
        case .empty: "create"
        case .ended: "ended"
        case .filled(let instance): "use \(instance.service(as: String.self))"
        case .creation(let claimant, _): claimant == node ? "wait" : "wait for another"
        }
    }

    /// `#expect` calls no mutating function itself.
    private func expect(_ answer: Bool, is expected: Bool, at location: Testing.SourceLocation = #_sourceLocation) {
        #expect(answer == expected, sourceLocation: location)
    }

    /// Whether a caller that ends a cell has to dispose of an instance.
    private func isDue(_ ended: CellState.Ended) -> Bool { ended.isFirst && ended.instance != nil }

    @Test func `An empty cell lets one node create`() {
        var state = CellState()
        #expect(answer(state) == "create")
        #expect(state.instance == nil && state.claimant == nil && !state.isEnding)
        state.claim(as: node)
        #expect(answer(state) == "wait")
        #expect(state.claimant == node)
    }

    @Test func `Filling returns the waiters and keeps the instance`() {
        var state = CellState()
        state.claim(as: node)
        let (first, second) = (waiter(), waiter())
        expect(state.enter(first), is: true)
        expect(state.enter(second), is: true)
        let filled = state.fill(with: instance)
        #expect(!filled.isLate)
        #expect(filled.waiters.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
        #expect(answer(state) == "use service")
        #expect(state.instance === instance && state.claimant == nil)
    }

    @Test func `A failure returns the waiters and empties the cell`() {
        var state = CellState()
        state.claim(as: node)
        let waiter = waiter()
        expect(state.enter(waiter), is: true)
        let waiters = state.fail().waiters
        #expect(waiters.map(ObjectIdentifier.init) == [ObjectIdentifier(waiter)])
        #expect(answer(state) == "create")
    }

    @Test func `A waiter leaves once`() {
        var state = CellState()
        let (left, waiting) = (waiter(), waiter())
        expect(state.leave(left), is: false)
        expect(state.enter(left), is: false)
        state.claim(as: node)
        expect(state.enter(left), is: true)
        expect(state.enter(waiting), is: true)
        expect(state.leave(left), is: true)
        expect(state.leave(left), is: false)
        let waiters = state.fail().waiters
        #expect(waiters.count == 1)
        expect(state.leave(waiting), is: false)
    }

    @Test func `A cell that ends during a creation keeps the instance for its ending alone`() {
        var state = CellState()
        state.claim(as: node)
        expect(isDue(state.end()), is: false)
        #expect(answer(state) == "wait")
        let filled = state.fill(with: instance)
        #expect(filled.isLate)
        #expect(answer(state) == "ended")
        #expect(state.owned === instance)
        let released = state.release()
        #expect(released === instance)
        let again = state.release()
        #expect(again == nil)
    }

    @Test func `An ended cell is read until it is released`() {
        var state = CellState(instance)
        #expect(answer(state) == "use service")
        expect(isDue(state.end()), is: true)
        #expect(state.isEnding)
        #expect(answer(state) == "use service")
        // The instance is disposed of by the ending that came first.
        expect(isDue(state.end()), is: false)
        #expect(answer(state) == "use service")
        let released = state.release()
        #expect(released === instance)
        let again = state.release()
        #expect(again == nil)
        #expect(answer(state) == "ended")
        expect(isDue(state.end()), is: false)
    }

    @Test func `An empty cell that has ended lets nothing be created`() {
        var state = CellState()
        expect(isDue(state.end()), is: false)
        #expect(answer(state) == "ended")
    }
}

/// The gate at which threads wait.
@Suite struct GateTests {
    @Test func `A gate stays open`() {
        let gate = Gate()
        #expect(!gate.wait(until: .now))
        gate.open()
        for _ in 0..<3 { #expect(gate.wait()) }
        #expect(gate.wait(until: .now))
    }

    @Test func `A nudge ends one wait`() {
        let gate = Gate()
        gate.nudge()
        #expect(!gate.wait())
        #expect(!gate.wait(until: .now))
    }

    @Test func `Opening ends the wait of another thread`() async {
        let gate = Gate()
        async let isOpen = onAnotherThread {
            while !gate.wait() {}
            return true
        }
        gate.open()
        #expect(await isOpen)
    }
}

/// The table from type to entry.
@Suite struct TypeTableTests {
    @Test func `A table finds each of many types after it has grown`() {
        let core = LocatorCore(nil)
        func types<Value>(_: Value.Type, _ depth: Int) -> [Any.Type] {
            depth == 0 ? [Value.self] : [Value.self] + types([Value].self, depth - 1)
        }
        let all = types(Int.self, 40) + types(String.self, 40) + types(Bool?.self, 40)
        for (position, type) in all.enumerated() {
            #expect(core.table.value(of: type) == nil)
            core.table.insert(Entry(core, Locator.Identity(type, nil)), for: type)
            for earlier in all[...position] { #expect(core.table.value(of: earlier)?.identity.type == earlier) }
        }
        #expect(core.table.values.count == all.count)
    }
}
