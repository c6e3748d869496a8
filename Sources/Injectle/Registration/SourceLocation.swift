/// A file and line, for error texts.
@frozen @usableFromInline struct SourceLocation: Sendable, CustomStringConvertible {
    @usableFromInline let file: StaticString
    @usableFromInline let line: UInt

    @inlinable init(_ file: StaticString, _ line: UInt) {
        self.file = file
        self.line = line
    }

    @usableFromInline var description: String { "\(file):\(line)" }
}

extension SourceLocation: Equatable {
    @usableFromInline static func == (left: Self, right: Self) -> Bool {
        left.line == right.line && left.file.description == right.file.description
    }
}
