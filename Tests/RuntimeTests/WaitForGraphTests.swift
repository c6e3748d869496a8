import Testing

@testable import InjectleRuntime

@Suite struct WaitForGraphTests {
    @Test func `Two nodes cannot wait for each other`() {
        let first = WaitNode()
        let second = WaitNode()
        #expect(first.begin(waitingFor: second))
        #expect(!second.begin(waitingFor: first))
    }

    @Test func `A circle is refused however long it is`() {
        let nodes = (0..<10).map { _ in WaitNode() }
        for (node, next) in zip(nodes, nodes.dropFirst()) { #expect(node.begin(waitingFor: next)) }
        #expect(!nodes[9].begin(waitingFor: nodes[0]))
        #expect(!nodes[9].begin(waitingFor: nodes[4]))
        #expect(!nodes[0].begin(waitingFor: nodes[0]))
    }

    @Test func `A wait that has ended is in nobody's way`() {
        let first = WaitNode()
        let second = WaitNode()
        #expect(first.begin(waitingFor: second))
        first.end(waitingFor: second)
        #expect(second.begin(waitingFor: first))
    }

    @Test func `Two waits for one node end one by one`() {
        let first = WaitNode()
        let second = WaitNode()
        #expect(first.begin(waitingFor: second))
        #expect(first.begin(waitingFor: second))
        first.end(waitingFor: second)
        #expect(first.awaited.count == 1)
        #expect(!second.begin(waitingFor: first))
    }

    @Test func `A node depends on itself and on what it waits for`() {
        let nodes = (0..<3).map { _ in WaitNode() }
        for (node, next) in zip(nodes, nodes.dropFirst()) { #expect(node.begin(waitingFor: next)) }
        #expect(nodes[0].depends(on: nodes[0]))
        #expect(nodes[0].depends(on: nodes[2]))
        #expect(!nodes[2].depends(on: nodes[0]))
    }

    @Test func `A search visits each node once however many paths lead to it`() {
        // Two nodes in each layer, both of which wait for both of the next: 2^24 paths.
        let layers = (0..<24).map { _ in [WaitNode(), WaitNode()] }
        for (layer, next) in zip(layers, layers.dropFirst()) {
            for node in layer {
                for other in next { #expect(node.begin(waitingFor: other)) }
            }
        }
        #expect(layers[0][0].visits(searchingFor: WaitNode()) == 1 + 23 * 2)
        #expect(!layers[23][0].begin(waitingFor: layers[0][0]))
    }
}
