// A graph in other formats. The JSON is written here, since the library does without Foundation, and so that the HTML file
// has the same.

extension Locator.Graph {
    /// The graph as JSON, as an encoder writes this type.
    ///
    /// - Complexity: O(*n*) in the number of services, dependencies and findings.
    public var json: String {
        let services = services.map { service in
            JSONText.object([
                ("id", "\(service.id)"), ("type", JSONText.string(service.type)),
                ("key", service.key.map(JSONText.string)),
                ("otherIdentities", JSONText.strings(service.otherIdentities)),
                ("module", JSONText.string(service.module)), ("location", JSONText.string(service.location)),
                ("lifetime", JSONText.string(service.lifetime)), ("isolation", JSONText.string(service.isolation)),
                ("isAsync", "\(service.isAsync)"), ("isCreated", "\(service.isCreated)"),
                ("declaresDependencies", "\(service.declaresDependencies)"),
                ("locator", JSONText.string(service.locator)), ("creator", service.creator.map(JSONText.string)),
                ("findings", JSONText.list(service.findings.map(\.description))),
            ])
        }
        let dependencies = dependencies.map { dependency in
            JSONText.object([
                ("from", "\(dependency.from)"), ("to", "\(dependency.to)"), ("kind", JSONText.string(dependency.kind)),
                ("isDeclared", "\(dependency.isDeclared)"), ("isRecorded", "\(dependency.isRecorded)"),
            ])
        }
        let findings = findings.map { finding in
            JSONText.object([
                ("kind", JSONText.string(finding.kind.rawValue)), ("message", JSONText.string(finding.message)),
                ("service", JSONText.string(finding.service)), ("location", JSONText.string(finding.location)),
                ("dependency", finding.dependency.map(JSONText.string)),
                ("dependencyLocation", finding.dependencyLocation.map(JSONText.string)),
                ("path", JSONText.strings(finding.path)), ("fix", JSONText.string(finding.fix)),
            ])
        }
        return JSONText.object([
            ("locator", JSONText.string(locator)), ("services", JSONText.list(services)),
            ("dependencies", JSONText.list(dependencies)), ("findings", JSONText.list(findings)),
        ])
    }

    /// The graph as a Mermaid flowchart, which GitHub and others draw in Markdown.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// print(locator.graph.mermaid, terminator: "")
    /// // Prints:
    /// //     flowchart LR
    /// //       s0["App.Database"]:::lazy
    /// ```
    ///
    /// - Complexity: O(*n*) in the number of services and dependencies.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for service in services {
            let name = service.label.replacing("\"", with: "#quot;")
            let style = service.findings.contains { !findings[$0].isNote } ? "fault" : service.lifetime.identifier
            lines.append("  s\(service.id)[\"\(name)\"]:::\(style)")
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
            let label = JSONText.string(service.label)
            lines.append("  s\(service.id) [label=\(label), tooltip=\(JSONText.string(service.lifetime))\(color)]")
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
    /// The name with letters only.
    fileprivate var identifier: String { String(filter(\.isLetter)) }
}

/// Writes JSON.
private enum JSONText {
    /// Without the members that are nil.
    static func object(_ members: [(name: String, value: String?)]) -> String {
        "{" + members.compactMap { member in member.value.map { "\"\(member.name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    static func strings(_ values: [String]) -> String { list(values.map(string)) }

    /// A string, which an HTML page can contain.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "<", ">", "&", "\u{2028}", "\u{2029}", "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
