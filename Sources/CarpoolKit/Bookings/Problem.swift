/// A line of a file.
struct Origin: Hashable, Sendable, CustomStringConvertible {
    let file: String
    let line: Int

    var description: String { "\(file):\(line)" }
}

/// Why a line does not take part in the plan.
struct Problem: Hashable, Sendable, CustomStringConvertible {
    let origin: Origin
    let text: String

    var description: String { "\(origin): \(text)" }
}

/// A problem of a line whose number is not known yet.
struct LineError: Error {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
