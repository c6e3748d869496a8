import Testing

@testable import Injectle

/// The state machine of the creation cell, without a thread or a lock in sight.
@Suite struct OnceStateMachineTests {
    private final class Waiter {}
    private typealias State = OnceStateMachine<String, Waiter, Int>

    private func areSame(_ left: [Waiter], _ right: [Waiter]) -> Bool { left.elementsEqual(right, by: ===) }

    @Test func theFirstWhoAsksMakesAndTheOthersWaitForThem() {
        var state = State()
        guard case .make = state.ask(as: "first") else {
            Issue.record("The first was not told to make.")
            return
        }
        for asker in ["second", "third"] {
            guard case .wait(for: let maker) = state.ask(as: asker) else {
                Issue.record("\(asker) does not wait.")
                return
            }
            #expect(maker == "first")
        }
    }

    @Test func successReleasesAllWaitersAndServesWhoeverAsksLater() {
        var state = State()
        _ = state.ask(as: "maker")
        let waiters = [Waiter(), Waiter()]
        for waiter in waiters { state.enter(waiter) }
        let ended = state.succeed(with: 42)
        #expect(areSame(ended.waiters, waiters))
        #expect(ended.isKept)
        #expect(state.product == 42)
        guard case .use(42) = state.ask(as: "later") else {
            Issue.record("The product is not handed out.")
            return
        }
    }

    @Test func failureReleasesAllWaitersAndLetsTheNextOneTry() {
        var state = State()
        _ = state.ask(as: "maker")
        let waiter = Waiter()
        state.enter(waiter)
        let released = {
            let ended = state.fail(); return ended.waiters + ended.others
        }()
        #expect(areSame(released, [waiter]))
        #expect(state.product == nil)
        guard case .make = state.ask(as: "next") else {
            Issue.record("Nobody is told to try again.")
            return
        }
    }

    @Test func aWaiterWhoLeavesIsNotToldAndHarmsNobody() {
        var state = State()
        _ = state.ask(as: "maker")
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

    @Test func discardingWhatIsMadeReturnsItAndStartsAnew() {
        var state = State(made: 7)
        let discarded = [state.discard(), state.discard()]
        #expect(discarded == [7, nil])
        guard case .make = state.ask(as: "next") else {
            Issue.record("It is not made anew.")
            return
        }
    }

    @Test func discardingWhatIsInTheMakingLetsThoseWhoWaitHaveItAndKeepsNothing() {
        var state = State()
        _ = state.ask(as: "maker")
        let waiter = Waiter()
        state.enter(waiter)
        let discarded = state.discard()
        #expect(discarded == nil)
        guard case .wait = state.ask(as: "another") else {
            Issue.record("A second making began.")
            return
        }
        let later = Waiter()
        state.enter(later)
        let ended = state.succeed(with: 1)
        #expect(areSame(ended.waiters, [waiter]))
        // Who came after it was discarded asks again.
        #expect(areSame(ended.others, [later]))
        #expect(!ended.isKept)
        #expect(state.product == nil)
    }

    /// Every order of seven events, checked against what must always hold.
    @Test func noOrderOfEventsMakesTwoAtATimeOrForgetsAWaiter() {
        enum Event: CaseIterable { case ask, succeed, fail, discard, leave }

        var checked = 0
        func explore(_ state: State, makers: Int, waiting: [Waiter], depth: Int) {
            checked += 1
            guard depth > 0 else { return }
            for event in Event.allCases {
                var state = state
                var makers = makers
                var waiting = waiting
                switch event {
                case .ask:
                    switch state.ask(as: "asker \(depth)") {
                    case .make:
                        makers += 1
                        #expect(makers == 1)
                    case .wait:
                        #expect(makers == 1)
                        let waiter = Waiter()
                        state.enter(waiter)
                        waiting.append(waiter)
                    case .use:
                        #expect(makers == 0)
                    }
                case .succeed where makers == 1:
                    let ended = state.succeed(with: 1)
                    #expect(areSame(ended.waiters + ended.others, waiting))
                    (makers, waiting) = (0, [])
                case .fail where makers == 1:
                    let released = {
                        let ended = state.fail(); return ended.waiters + ended.others
                    }()
                    #expect(areSame(released, waiting))
                    (makers, waiting) = (0, [])
                case .discard:
                    _ = state.discard()
                    #expect(state.product == nil)
                case .leave where !waiting.isEmpty:
                    let hasLeft = state.leave(waiting.removeFirst())
                    #expect(hasLeft)
                case .succeed, .fail, .leave:
                    continue
                }
                explore(state, makers: makers, waiting: waiting, depth: depth - 1)
            }
        }
        explore(State(), makers: 0, waiting: [], depth: 7)
        #expect(checked > 1_000)
    }
}

/// The graph of who waits for whom.
@Suite struct StrandTests {
    @Test func twoWhoWouldWaitForEachOtherAreRefused() {
        let first = WaitNode()
        let second = WaitNode()
        #expect(first.begin(waitingFor: second))
        #expect(!second.begin(waitingFor: first))
    }

    @Test func aCircleIsRefusedHoweverLong() {
        let strands = (0..<10).map { _ in WaitNode() }
        for (strand, next) in zip(strands, strands.dropFirst()) { #expect(strand.begin(waitingFor: next)) }
        #expect(!strands[9].begin(waitingFor: strands[0]))
        #expect(!strands[9].begin(waitingFor: strands[4]))
        #expect(!strands[0].begin(waitingFor: strands[0]))
    }

    @Test func aWaitThatIsOverIsInNobodysWay() {
        let first = WaitNode()
        let second = WaitNode()
        #expect(first.begin(waitingFor: second))
        first.end(waitingFor: second)
        #expect(second.begin(waitingFor: first))
    }
}
