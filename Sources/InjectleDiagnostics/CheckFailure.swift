public import Injectle

extension Locator {
    /// - Parameter child: The child that does not exist, if the check is of one.
    func fail(with findings: [Finding], in child: PlannedChild? = nil) throws(CheckFailure) {
        if !findings.isEmpty { throw CheckFailure(locator: facts.title, findings: findings, child: child) }
    }

    /// The registrations of a locator have faults.
    ///
    /// ```swift
    /// locator.register(.initializer(Garage.init(database:)))
    /// do { try locator.check() } catch { print("\(error)".prefix(43)) }
    /// // Prints "The registrations of the locator "app" have"
    /// ```
    public struct CheckFailure: Error, CustomStringConvertible {
        private let locator: String
        /// The faults, and the notes of a strict check.
        public let findings: [Finding]
        /// The types and keys that a check of a child was given.
        public let given: [String]
        /// The file and line of a check of a child.
        private let location: String?

        fileprivate init(locator: String, findings: [Finding], child: PlannedChild?) {
            let name = child.map { " as \($0.name.map { "\"\($0)\"" } ?? "a child")" } ?? ""
            self.locator = locator + name
            self.findings = findings
            given = child?.given.map(\.description) ?? []
            location = child?.location
        }

        /// The texts of the findings.
        public var description: String {
            let notes = findings.count { $0.isNote }
            let counts = [(findings.count - notes, "fault"), (notes, "note")].compactMap { count, name in
                count == 0 ? nil : count == 1 ? "a \(name)" : "\(count) \(name)s"
            }
            let sentence = "The registrations of \(locator) have \(counts.joined(separator: " and "))."
            var facts: [(label: String, text: String)] = []
            if let location {
                facts = [
                    ("checked", "in \(location)"), ("given", given.isEmpty ? "nothing" : given.joined(separator: ", ")),
                ]
            }
            return ([reportText(sentence, facts)] + findings.map(\.description)).joined(separator: "\n")
        }
    }
}
