/// Where text is written to, line by line.
protocol ReportWriter: AnyObject {
    var text: String { get }
    func write(_ line: String)
}

/// Keeps what is written.
final class TextReport: ReportWriter {
    private(set) var text = ""

    func write(_ line: String) {
        text += line + "\n"
    }
}
