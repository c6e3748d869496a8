import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Random graphs of services, requested from several ends at once: each request has the outcome that it has alone.
@Suite struct GraphStressTests {
    /// Lets others run, now and then for longer.
    @Sendable private static func pause() {
        switch Int.random(in: 0..<8) {
        case 0: usleep(.random(in: 0..<300))
        case 1...4: sched_yield()
        default: break
        }
    }

    private static func shape(isAsync: Bool = false) -> ServiceGraphShape {
        var random = SystemRandomNumberGenerator()
        return ServiceGraphShape(&random, isAsync: isAsync)
    }

    @Test func `Threads that request services of a graph get what each gets alone`() async {
        for _ in 0..<Stress.rounds(5_000) {
            let graph = ServiceGraph(GraphStressTests.shape(), pause: GraphStressTests.pause)
            await onThreadsAsync(3) { _ in graph.request(.random(in: graph.shape.indices)) }
            let problems = graph.end()
            #expect(problems.isEmpty)
            if !problems.isEmpty { return }
        }
    }

    @Test func `Tasks that request services of a graph get what each gets alone`() async {
        await request(isAsync: false)
    }

    @Test func `Tasks that request async services of a graph get what each gets alone`() async {
        await request(isAsync: true)
    }

    private func request(isAsync: Bool) async {
        for _ in 0..<Stress.rounds(5_000) {
            let shape = GraphStressTests.shape(isAsync: isAsync)
            // Beside a request that fails, one of async services can get its error.
            if isAsync, !shape.works { continue }
            let graph = ServiceGraph(shape, isAsync: isAsync, pause: GraphStressTests.pause)
            await withTaskGroup { group in
                for _ in 0..<3 { group.addTask { await graph.requestInTask(.random(in: graph.shape.indices)) } }
            }
            let problems = graph.end()
            #expect(problems.isEmpty)
            if !problems.isEmpty { return }
        }
    }

    @Test func `Threads and tasks that request services of a graph get what each gets alone`() async {
        for _ in 0..<Stress.rounds(5_000) {
            let graph = ServiceGraph(GraphStressTests.shape(), pause: GraphStressTests.pause)
            async let threads: Void = onThreadsAsync(2) { _ in graph.request(.random(in: graph.shape.indices)) }
            async let task: Void = graph.requestInTask(.random(in: graph.shape.indices))
            _ = await (threads, task)
            let problems = graph.end()
            #expect(problems.isEmpty)
            if !problems.isEmpty { return }
        }
    }
}
