extension InjectleError {
    /// The sentence and the facts of a text.
    struct Report {
        /// The path that the text prints.
        let path: [Locator.Identity]
        let identity: Locator.Identity
        var sentence = ""
        private(set) var facts: [(label: String, text: String)] = []

        mutating func add(_ label: String, _ text: String) {
            facts.append((label, text))
        }

        /// Adds facts, where the first one has another label.
        mutating func add(_ label: String, then next: String, _ texts: [String]) {
            for (index, text) in texts.enumerated() { add(index == 0 ? label : next, text) }
        }

        /// Adds the request of the identity, and the path that leads to it.
        mutating func add(_ origin: String, startedBy outermost: String?) {
            add("requested by", origin)
            if let outermost, outermost != origin { add("started by", outermost) }
            if path.isEmpty { return }
            // A long path is a repetition: its end is what counts.
            let names = (path.suffix(12) + [identity]).map(\.description)
            add("path", (path.count > 12 ? "… → " : "") + names.joined(separator: " → "))
        }

        mutating func fix(_ fixes: String...) { fix(fixes) }

        /// Adds the changes that remove the error, the likeliest first.
        mutating func fix(_ fixes: [String]) {
            for text in fixes { add(facts.contains { $0.label == "fix" } ? "or" : "fix", text) }
        }

        /// The changes that remove the error.
        var fixes: [String] { facts.filter { $0.label == "fix" || $0.label == "or" }.map(\.text) }

        var text: String { reportText(sentence, facts) }
    }
}

/// A sentence, and a list of facts with labels of one width.
package func reportText(_ sentence: String, _ facts: [(label: String, text: String)]) -> String {
    let width = facts.map(\.label.count).max() ?? 0
    return facts.reduce(into: sentence) { text, fact in
        text += "\n  \(fact.label)\(String(repeating: " ", count: width - fact.label.count))  \(fact.text)"
    }
}
