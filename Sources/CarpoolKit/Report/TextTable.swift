/// Text in columns, each as wide as it needs to be.
struct TextTable {
    enum Alignment {
        case left, right
    }

    private let alignments: [Alignment]
    private var rows: [[String]]

    init(_ columns: [(title: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.title)]
    }

    mutating func add(_ row: [String]) {
        precondition(row.count == alignments.count, "A row has a cell for each column.")
        rows.append(row)
    }

    var lines: [String] {
        let widths = alignments.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([rows[0], rule] + rows.dropFirst()).map { row in
            let cells = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return alignments[column] == .left ? row[column] + padding : padding + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
        }
    }
}
