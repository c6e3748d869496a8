/// A file and line, for error texts.
@safe
@frozen
@usableFromInline
struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    // 12 bytes instead of the 32 of a `StaticString` and a line. The text of `#fileID` has a constant address, and ends with
    // a zero. A caller passes it in two registers, which the compiler fills with constants.
    @usableFromInline nonisolated(unsafe) let start: UnsafePointer<UInt8>?
    @usableFromInline let line: UInt32

    @inlinable
    @inline(__always)
    init(_ file: StaticString, _ line: UInt) {
        unsafe start = unsafe file.hasPointerRepresentation ? file.utf8Start : nil
        self.line = UInt32(truncatingIfNeeded: line)
    }

    @usableFromInline
    static func == (left: SourceLocation, right: SourceLocation) -> Bool {
        unsafe left.start == right.start && left.line == right.line
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        unsafe hasher.combine(start)
        hasher.combine(line)
    }

    @usableFromInline var description: String {
        let file = unsafe start.map { unsafe String(cString: $0) } ?? ""
        return "\(file):\(line)"
    }
}
