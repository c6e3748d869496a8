internal import Foundation

/// Writes text, line by line.
protocol ReportWriter: AnyObject {
    /// The text that the writer has kept for the program to print.
    var text: String { get }
    func write(_ line: String)
}

/// Keeps the text in memory.
final class TextReport: ReportWriter {
    private(set) var text = ""

    func write(_ line: String) {
        text += line + "\n"
    }
}

/// Writes to a file through a buffer. Closing it writes the rest of the buffer.
final class FileReport: ReportWriter {
    private static let capacity = 4096

    private let name: String
    private let file: FileHandle
    private var buffer = Data()
    private var failure: FileError?

    init(_ file: FileHandle, name: String) {
        self.file = file
        self.name = name
    }

    /// Opens a file and empties it. A device or a link stays one.
    convenience init(_ path: String) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        guard descriptor >= 0 else { throw FileError(name: path, reason: "the report cannot be opened") }
        self.init(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), name: path)
    }

    /// Empty, since the text is in the file.
    var text: String { "" }

    func write(_ line: String) {
        buffer += Data("\(line)\n".utf8)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes the rest of the buffer and closes the file.
    ///
    /// - Throws: The first error since the file was opened.
    func close() throws(FileError) {
        flush()
        do { try file.close() } catch { fail() }
        if let failure { throw failure }
    }

    private func flush() {
        do { try file.write(contentsOf: buffer) } catch { fail() }
        buffer.removeAll()
    }

    private func fail() {
        failure = failure ?? FileError(name: name, reason: "the report is incomplete")
    }
}
