/// A file and line, for error texts.
@safe
struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    // Two words instead of the four of a `StaticString` and a line. The text of `#fileID` has a constant address.
    nonisolated(unsafe) private let start: UnsafePointer<UInt8>?
    private let count: UInt32
    private let line: UInt32

    init(_ file: StaticString, _ line: UInt) {
        unsafe start = unsafe file.hasPointerRepresentation ? file.utf8Start : nil
        count = UInt32(truncatingIfNeeded: file.hasPointerRepresentation ? file.utf8CodeUnitCount : 0)
        self.line = UInt32(truncatingIfNeeded: line)
    }

    static func == (left: SourceLocation, right: SourceLocation) -> Bool {
        unsafe left.start == right.start && left.line == right.line
    }

    func hash(into hasher: inout Hasher) {
        unsafe hasher.combine(start)
        hasher.combine(line)
    }

    var description: String {
        let file = unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        return "\(file):\(line)"
    }
}
