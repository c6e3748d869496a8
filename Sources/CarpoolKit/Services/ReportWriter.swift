internal import Foundation

/// Where text is written to, line by line.
protocol ReportWriter: AnyObject {
    /// What was written and is nowhere else yet, so that it is to be shown.
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

/// Writes to a file, through a buffer. Who has opened it is to close it, since only then all is in the file.
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

    /// Opens a file, and empties it if there is one. What is there stays what it is, be it a device or a link.
    convenience init(_ path: String) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        guard descriptor >= 0 else { throw FileError(name: path, reason: "no report can be written there") }
        self.init(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), name: path)
    }

    /// Nothing: it is in the file.
    var text: String { "" }

    func write(_ line: String) {
        buffer += Data("\(line)\n".utf8)
        if buffer.count >= Self.capacity { flush() }
    }

    /// Writes what is left, and closes the file.
    ///
    /// - Throws: The first error that there was since the file was opened.
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
        failure = failure ?? FileError(name: name, reason: "the report could not be written to its end")
    }
}
