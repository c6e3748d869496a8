public import Injectle

// A graph in the formats of other programs.

extension Locator.Graph {
    /// The graph as a Mermaid flowchart, which GitHub and others draw in Markdown.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// print(locator.graph.mermaid, terminator: "")
    /// // Prints:
    /// //     flowchart LR
    /// //       s0["App.Database"]:::isLazy
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of services and dependencies.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for service in services {
            let style = service.findings.contains { !findings[$0].isNote } ? "fault" : service.lifetime.className
            lines.append("  s\(service.id)[\"\(service.label.escaped)\"]:::\(style)")
        }
        for dependency in dependencies {
            let arrow = dependency.isImmediate ? "-->" : "-.->"
            lines.append("  s\(dependency.from) \(arrow) s\(dependency.to)")
        }
        if services.contains(where: { $0.findings.contains { !findings[$0].isNote } }) {
            lines.append("  classDef fault stroke:#d33,stroke-width:3px")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The graph as a DOT file for Graphviz.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// print(locator.graph.dot.hasPrefix("digraph"))  // Prints "true"
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of services and dependencies.
    public var dot: String {
        var lines = ["digraph {", "  rankdir=LR", "  node [shape=box, style=rounded, fontname=\"Helvetica\"]"]
        for service in services {
            let color = service.findings.contains { !findings[$0].isNote } ? ", color=\"#d33\", penwidth=2" : ""
            let label = service.label.quoted
            let tooltip = service.lifetime.quoted
            lines.append("  s\(service.id) [label=\(label), tooltip=\(tooltip)\(color)]")
        }
        for dependency in dependencies {
            let style = dependency.isImmediate ? "" : " [style=dashed]"
            lines.append("  s\(dependency.from) -> s\(dependency.to)\(style)")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }
}

extension Locator.Graph.Service {
    /// The type and the key.
    fileprivate var label: String { key.map { "\(type), \($0)" } ?? type }
}

extension Locator.Graph.Dependency {
    fileprivate var isImmediate: Bool { DependencyGraph.Kind(rawValue: kind)?.isImmediate ?? true }
}

extension String {
    /// The name as a class of Mermaid, with letters only. Some words, such as `graph`, are reserved.
    fileprivate var className: String {
        "is" + split { !$0.isLetter }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The text in a quoted label of Mermaid, which is HTML.
    fileprivate var escaped: String {
        [("#", "#35;"), ("\"", "#quot;"), ("<", "#lt;"), (">", "#gt;")].reduce(self) { $0.replacing($1.0, with: $1.1) }
    }

    /// The text as a string of DOT.
    fileprivate var quoted: String {
        "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
