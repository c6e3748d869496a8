import Foundation
import InjectleTestSupport
import Testing

@testable import InjectleRuntime

@Suite struct OnceCellTests {
    private final class Record: Sendable {}
    private struct Failure: Error {}
    private typealias Cell = Runtime.OnceCell<Record, Number, Failure>

    /// A cell and its lock.
    private final class Owner: @unchecked Sendable {
        // Sound to share: the cell is accessed only under the lock.
        private let lock = Lock()
        private let cell = Cell(for: Record())

        func withCell<Value>(_ body: (Cell) -> Value) -> Value { lock.withLock { body(cell) } }

        func end(with outcome: Cell.Outcome?) {
            let ended = withCell { cell in
                if case .success(let product)? = outcome { return cell.state.succeed(with: product) }
                return cell.state.fail()
            }
            for waiter in ended.waiters { waiter.finish(with: outcome) }
            for waiter in ended.others { waiter.finish(with: nil) }
        }

        func enter(_ waiter: Cell.Waiter) { withCell { $0.state.enter(waiter) } }

        func taskWaiter(_ node: WaitNode?, for creator: WaitNode) -> Cell.TaskWaiter {
            Cell.TaskWaiter(node: node, creator: creator) { waiter in self.withCell { $0.state.leave(waiter) } }
        }
    }

    private let owner = Owner()
    private let creator = WaitNode()

    init() {
        _ = owner.withCell { $0.state.ask(as: creator) }
    }

    private func product(of waiter: Cell.Waiter) -> Number? {
        if case .success(let product)? = waiter.outcome { product } else { nil }
    }

    @Test func `A cell with a product needs no creation`() {
        let cell = Cell(for: Record(), given: 42)
        #expect(cell.state.product == 42)
    }

    @Test func `A thread receives the product that it waits for`() async {
        let waiter = Cell.ThreadWaiter(node: nil, creator: creator)
        owner.enter(waiter)
        await onThreadsAsync(2) { index in
            if index == 0 { owner.end(with: .success(42)) } else { MainActorBridge.wait(for: waiter) }
        }
        #expect(product(of: waiter) == 42)
    }

    @Test func `A task receives the product that it waits for`() async {
        let waiter = owner.taskWaiter(nil, for: creator)
        owner.enter(waiter)
        async let isDone = waiter.wait()
        owner.end(with: .success(42))
        #expect(await isDone)
        #expect(product(of: waiter) == 42)
    }

    @Test func `A task that begins to wait after the end does not wait`() async {
        let waiter = owner.taskWaiter(nil, for: creator)
        owner.enter(waiter)
        owner.end(with: .failure(Failure()))
        #expect(await waiter.wait())
        guard case .failure? = waiter.outcome else {
            Issue.record("The failure is missing.")
            return
        }
    }

    @Test func `A creation without an outcome lets its waiters ask again`() async {
        let waiter = owner.taskWaiter(nil, for: creator)
        owner.enter(waiter)
        owner.end(with: nil)
        #expect(await waiter.wait())
        #expect(waiter.outcome == nil)
    }

    @Test func `A cancelled task leaves and affects no other waiter`() async {
        let node = WaitNode()
        let leaves = owner.taskWaiter(node, for: creator)
        let stays = owner.taskWaiter(nil, for: creator)
        #expect(node.begin(waitingFor: creator))
        owner.enter(leaves)
        owner.enter(stays)
        let task = Task { await leaves.wait() }
        task.cancel()
        #expect(await !task.value)
        #expect(node.awaited.isEmpty)
        owner.end(with: .success(42))
        #expect(await stays.wait())
        #expect(product(of: stays) == 42)
        #expect(leaves.outcome == nil)
    }

    @Test func `The end of a wait removes its edge`() {
        let node = WaitNode()
        #expect(node.begin(waitingFor: creator))
        let waiter = Cell.ThreadWaiter(node: node, creator: creator)
        owner.enter(waiter)
        owner.end(with: .success(42))
        #expect(node.awaited.isEmpty)
        #expect(creator.begin(waitingFor: node))
    }
}

@Suite struct MainActorBridgeTests {
    private typealias Cell = Runtime.OnceCell<WaitNode, Number, any Error>

    @Test func `A body runs on the main thread`() async {
        let isMain = await onAnotherThread {
            let isMain = Guarded<Bool?>(nil)
            let result = MainActorBridge.run(
                before: Deadline(after: .seconds(60)),
                as: WaitNode(),
                interrupting: { nil }
            ) {
                isMain.withLock { $0 = MainActorBridge.isMainThread }
            }
            return result == .ran ? isMain.value : nil
        }
        #expect(isMain == true)
    }

    @MainActor @Test func `A job that cannot begin before its deadline never runs`() {
        let results = Guarded<[MainActorBridge.RunResult]>([])
        // Blocks the main thread.
        onThreads(1) { _ in
            let result = MainActorBridge.run(
                before: Deadline(after: .milliseconds(5)),
                as: WaitNode(),
                interrupting: { nil }
            ) {
                results.withLock { $0.append(.ran) }
            }
            results.withLock { $0.append(result) }
        }
        #expect(results.value == [.timedOut])
    }

    @MainActor @Test func `A main thread that waits runs the jobs that it depends on`() {
        let creator = WaitNode()
        let own = WaitNode()
        #expect(own.begin(waitingFor: creator))
        let waiter = Cell.ThreadWaiter(node: own, creator: creator)
        let hasWaited = Guarded<[Bool]>([])
        let thread = Guarded<MainActorBridge.RunResult?>(nil)
        let done = Signal()
        Thread.detachNewThread {
            let result = MainActorBridge.run(before: Deadline(after: .seconds(60)), as: creator, interrupting: { nil })
            {
                // The job interrupts the node that waits, so a wait of the job for that is refused.
                hasWaited.withLock { $0.append(creator.begin(waitingFor: own)) }
            }
            thread.withLock { $0 = result }
            waiter.finish(with: .success(42))
            done.set()
        }
        MainActorBridge.wait(for: waiter)
        done.wait()
        #expect(thread.value == .ran)
        #expect(hasWaited.value == [false])
        #expect(own.awaited.isEmpty)
    }
}
