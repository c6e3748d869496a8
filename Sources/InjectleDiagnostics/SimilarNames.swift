/// Whether one of two names may be a misspelling of the other. Different digits are no mistake.
func isSimilar(_ name: String, to other: String) -> Bool {
    if name == other { return false }
    let left = Array(name.lowercased())
    let right = Array(other.lowercased())
    if left == right { return true }
    if min(left.count, right.count) < 4 || left.filter(\.isNumber) != right.filter(\.isNumber) { return false }
    return editDistance(left, right) < 3
}

/// The number of characters to insert, remove or replace, to get one name from the other.
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var distances = Array(0...right.count)
    for (row, character) in left.enumerated() {
        var diagonal = distances[0]
        distances[0] = row + 1
        for (column, candidate) in right.enumerated() {
            let replaced = diagonal + (character == candidate ? 0 : 1)
            diagonal = distances[column + 1]
            distances[column + 1] = min(replaced, distances[column] + 1, diagonal + 1)
        }
    }
    return distances[right.count]
}
