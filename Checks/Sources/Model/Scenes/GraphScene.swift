import Injectle
import InjectleTestSupport

/// Random graphs of services, which closures, hooks and lazy properties connect. Each request has the outcome that it
/// has alone.
final class GraphScene: Sendable {
    private let violations: Violations
    private let turns = Turns()
    private let graphs = Guarded<[Int: ServiceGraph]>([:])

    init(_ violations: Violations) {
        self.violations = violations
    }

    /// The graph of a turn, which several workers use at about the same time.
    private func graph(_ random: inout SplitMix64) -> ServiceGraph {
        let (turn, shape) = (turns.next(), ServiceGraphShape(&random))
        return graphs.withLock { graphs in
            let graph = graphs[turn] ?? ServiceGraph(shape)
            graphs[turn] = graph
            return graph
        }
    }

    func perform(_ random: inout SplitMix64) {
        let graph = graph(&random)
        graph.request(Int.random(in: graph.shape.indices, using: &random))
    }

    func performAsync(_ random: inout SplitMix64) async {
        let graph = graph(&random)
        await graph.requestInTask(Int.random(in: graph.shape.indices, using: &random))
    }

    func end() {
        for graph in graphs.value.values { for problem in graph.end() { violations.add(problem) } }
    }
}
