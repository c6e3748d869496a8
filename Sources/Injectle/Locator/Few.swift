/// A list for which most have one element: it allocates nothing for that.
struct Few<Element> {
    private(set) var first: Element?
    private var others: [Element] = []

    init(_ first: Element? = nil) {
        self.first = first
    }

    var isEmpty: Bool { first == nil }
    var isSingle: Bool { first != nil && others.isEmpty }
    var count: Int { first == nil ? 0 : 1 + others.count }
    var all: [Element] { first.map { [$0] + others } ?? [] }

    subscript(index: Int) -> Element {
        if index == 0, let first { return first }
        return others[index - 1]
    }

    func forEach(_ body: (Element) -> Void) {
        if let first { body(first) }
        for element in others { body(element) }
    }

    func contains(where isMatch: (Element) -> Bool) -> Bool {
        first.map(isMatch) ?? false || others.contains(where: isMatch)
    }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    mutating func insertFirst(_ element: Element) {
        if let first { others.insert(first, at: 0) }
        first = element
    }

    /// Removes the first element that matches. Its place gets the last one.
    mutating func removeFirst(where isMatch: (Element) -> Bool) {
        if let first, isMatch(first) {
            self.first = others.popLast()
        } else if let index = others.firstIndex(where: isMatch) {
            others.remove(at: index)
        }
    }
}

extension Few: Sendable where Element: Sendable {}
