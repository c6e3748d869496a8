import Testing

@testable import InjectleRuntime

/// The state machine of a cell, without threads and locks.
@Suite struct OnceStateMachineTests {
    private final class Waiter {}
    private typealias State = OnceStateMachine<Name, Waiter, Number>

    private func areSame(_ left: [Waiter], _ right: [Waiter]) -> Bool { left.elementsEqual(right, by: ===) }

    @Test func `The first caller creates and the others wait for it`() {
        var state = State()
        guard case .make = state.ask(as: "first") else {
            Issue.record("The first caller does not create.")
            return
        }
        for asker in ["second", "third"] as [Name] {
            guard case .wait(for: let creator) = state.ask(as: asker) else {
                Issue.record("\(asker) does not wait.")
                return
            }
            #expect(creator == "first")
        }
    }

    @Test func `Success releases all waiters and serves later callers`() {
        var state = State()
        _ = state.ask(as: "creator")
        let waiters = [Waiter(), Waiter()]
        for waiter in waiters { state.enter(waiter) }
        let ended = state.succeed(with: 42)
        #expect(areSame(ended.waiters, waiters))
        #expect(ended.isKept)
        #expect(state.product == 42)
        guard case .use(42) = state.ask(as: "later") else {
            Issue.record("The product is not returned.")
            return
        }
    }

    @Test func `Failure releases all waiters and the next caller creates`() {
        var state = State()
        _ = state.ask(as: "creator")
        let waiter = Waiter()
        state.enter(waiter)
        let ended = state.fail()
        #expect(areSame(ended.waiters + ended.others, [waiter]))
        #expect(state.product == nil)
        guard case .make = state.ask(as: "next") else {
            Issue.record("The next caller does not create.")
            return
        }
    }

    @Test func `A waiter that leaves is not released and affects no other`() {
        var state = State()
        _ = state.ask(as: "creator")
        let stays = Waiter()
        let leaves = Waiter()
        state.enter(leaves)
        state.enter(stays)
        let leavings = [state.leave(leaves), state.leave(leaves)]
        #expect(leavings == [true, false])
        let ended = state.succeed(with: 1)
        #expect(areSame(ended.waiters, [stays]))
        let leavesLate = state.leave(stays)
        #expect(!leavesLate)
    }

    @Test func `Discarding a product returns it and starts anew`() {
        var state = State(made: 7)
        let discarded = [state.discard(), state.discard()]
        #expect(discarded == [7, nil])
        guard case .make = state.ask(as: "next") else {
            Issue.record("The next caller does not create.")
            return
        }
    }

    @Test func `Discarding a creation in progress gives its waiters the product and keeps none`() {
        var state = State()
        _ = state.ask(as: "creator")
        let waiter = Waiter()
        state.enter(waiter)
        let discarded = state.discard()
        #expect(discarded == nil)
        guard case .wait = state.ask(as: "another") else {
            Issue.record("A second creation began.")
            return
        }
        let later = Waiter()
        state.enter(later)
        let ended = state.succeed(with: 1)
        #expect(areSame(ended.waiters, [waiter]))
        // A waiter that entered after the discard asks again.
        #expect(areSame(ended.others, [later]))
        #expect(!ended.isKept)
        #expect(state.product == nil)
    }

    /// Every order of seven events, checked against what must always hold.
    @Test func `No order of events creates two at a time or forgets a waiter`() {
        enum Event: CaseIterable { case ask, succeed, fail, discard, leave }

        var checked = 0
        func explore(_ state: State, creators: Int, waiting: [Waiter], depth: Int) {
            checked += 1
            guard depth > 0 else { return }
            for event in Event.allCases {
                var state = state
                var creators = creators
                var waiting = waiting
                switch event {
                case .ask:
                    switch state.ask(as: "asker") {
                    case .make:
                        creators += 1
                        #expect(creators == 1)
                    case .wait:
                        #expect(creators == 1)
                        let waiter = Waiter()
                        state.enter(waiter)
                        waiting.append(waiter)
                    case .use:
                        #expect(creators == 0)
                    }
                case .succeed where creators == 1:
                    let ended = state.succeed(with: 1)
                    #expect(areSame(ended.waiters + ended.others, waiting))
                    (creators, waiting) = (0, [])
                case .fail where creators == 1:
                    let ended = state.fail()
                    #expect(areSame(ended.waiters + ended.others, waiting))
                    (creators, waiting) = (0, [])
                case .discard:
                    _ = state.discard()
                    #expect(state.product == nil)
                case .leave where !waiting.isEmpty:
                    let hasLeft = state.leave(waiting.removeFirst())
                    #expect(hasLeft)
                case .succeed, .fail, .leave:
                    continue
                }
                explore(state, creators: creators, waiting: waiting, depth: depth - 1)
            }
        }
        explore(State(), creators: 0, waiting: [], depth: 7)
        #expect(checked > 1_000)
    }
}
