/// The strongly connected components of a graph, by Tarjan's algorithm.
///
/// It is not recursive, since a chain of dependencies can be longer than the stack.
struct Components {
    /// A node on the way, and the position of its next edge.
    private struct Visit {
        let node: Int
        var edge = 0
    }

    /// The first visited node of each node's component, or -1.
    private var firsts: [Int]
    /// The order in which the nodes were first visited, or -1.
    private var numbers: [Int]
    /// The lowest number that a node leads to.
    private var lowest: [Int]
    private var count = 0
    private var visits: [Visit] = []
    /// The visited nodes whose component is not complete.
    private var pending: [Int] = []

    init(of graph: DependencyGraph, by isIncluded: (DependencyGraph.Edge) -> Bool) {
        firsts = [Int](repeating: -1, count: graph.nodes.count)
        numbers = firsts
        lowest = firsts
        for start in graph.nodes.indices where numbers[start] < 0 {
            begin(start)
            while let visit = visits.last {
                let edges = graph.nodes[visit.node].edges
                if visit.edge == edges.count {
                    end(visit.node)
                    continue
                }
                visits[visits.count - 1].edge += 1
                if isIncluded(edges[visit.edge]) { follow(visit.node, to: edges[visit.edge].target) }
            }
        }
    }

    /// Whether each of two nodes leads to the other.
    func areConnected(_ one: Int, _ other: Int) -> Bool { firsts[one] == firsts[other] }

    private mutating func begin(_ node: Int) {
        numbers[node] = count
        lowest[node] = count
        count += 1
        pending.append(node)
        visits.append(Visit(node: node))
    }

    private mutating func follow(_ node: Int, to target: Int) {
        if numbers[target] < 0 {
            begin(target)
        } else if firsts[target] < 0 {
            lowest[node] = min(lowest[node], numbers[target])
        }
    }

    private mutating func end(_ node: Int) {
        visits.removeLast()
        if let owner = visits.last?.node { lowest[owner] = min(lowest[owner], lowest[node]) }
        if lowest[node] < numbers[node] { return }
        while let member = pending.popLast() {
            firsts[member] = node
            if member == node { break }
        }
    }
}
