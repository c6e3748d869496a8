/// A line of text from many short parts, in bytes: appending to a string or to an array costs several times more.
@safe
struct Line: ~Copyable {
    /// The first `count` bytes are initialized. Memory of its caller, until a longer line allocates more.
    private var bytes: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var capacity: Int
    private var isAllocated = false
    private var hasLineBreaks = false

    /// The text that `build` appends for a source, with spaces in place of line breaks.
    ///
    /// The source is a parameter, since a closure would copy its captures.
    static func text<Source>(of source: Source, _ build: (Source, inout Line) -> Void) -> String {
        // On the stack, where most lines fit.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { memory in
            var line = unsafe Line(memory)
            build(source, &line)
            return line.text
        }
    }

    private init(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        unsafe (bytes, capacity) = unsafe (memory.baseAddress.unsafelyUnwrapped, memory.count)
    }

    deinit { if isAllocated { unsafe bytes.deallocate() } }

    /// Appends text.
    mutating func append(_ part: String) {
        let isContiguous: Void? = unsafe part.utf8.withContiguousStorageIfAvailable { unsafe append(searching: $0) }
        if isContiguous != nil { return }
        var part = part
        part.withUTF8 { unsafe append(searching: $0) }
    }

    private mutating func append(searching part: UnsafeBufferPointer<UInt8>) {
        unsafe append(part)
        if hasLineBreaks || hasPrintableASCII(inLast: part.count) { return }
        hasLineBreaks = unsafe Line.mayHaveLineBreaks(part)
    }

    /// Whether the last bytes, and those before them that fill a word, are of printable ASCII. Asks for eight at a time.
    private func hasPrintableASCII(inLast length: Int) -> Bool {
        var end = count
        while end > count &- length {
            end &-= 8
            guard end >= 0 else { return false }
            let word = unsafe UnsafeRawPointer(bytes + end).loadUnaligned(as: UInt64.self)
            if !Line.isPrintableASCII(word) { return false }
        }
        return true
    }

    fileprivate static var spaces: UInt64 { 0x2020_2020_2020_2020 }

    /// Whether eight bytes are of printable ASCII, or delete characters.
    @inline(__always)
    fileprivate static func isPrintableASCII(_ word: UInt64) -> Bool {
        // A byte below a space borrows from its high bit.
        ((word &- spaces) | word) & 0x8080_8080_8080_8080 == 0
    }

    /// Appends text without line breaks, which is not searched for them. Inlined, so that a literal is copied in words.
    @inline(__always)
    mutating func append(unbroken part: StaticString) {
        unsafe append(UnsafeBufferPointer(start: part.utf8Start, count: part.utf8CodeUnitCount))
    }

    /// Appends nanoseconds as milliseconds with three decimals.
    mutating func append(asMilliseconds nanoseconds: Int64) {
        if 0..<1_000 ~= nanoseconds { return append(unbroken: "0.000") }
        // Usually one digit, in a calculation with words of 32 bits and one store.
        guard 0..<10_000_000 ~= nanoseconds, capacity &- count >= MemoryLayout<UInt64>.size else {
            return append(asManyMilliseconds: nanoseconds)
        }
        let microseconds = UInt32(truncatingIfNeeded: nanoseconds) / 1_000
        let (tens, hundreds) = (microseconds / 10, microseconds / 100)
        let ones = UInt64(microseconds &- tens &* 10) &<< 32 | UInt64(tens &- hundreds &* 10) &<< 24
        let digits = ones | UInt64(hundreds % 10) &<< 16 | UInt64(microseconds / 1_000)
        let zero = 0x30_3030_2E30 as UInt64  // "0.000"
        unsafe UnsafeMutableRawPointer(bytes + count).storeBytes(of: (digits | zero).littleEndian, as: UInt64.self)
        count &+= 5
    }

    @inline(never)
    private mutating func append(asManyMilliseconds nanoseconds: Int64) {
        let microseconds = nanoseconds / 1_000
        let (whole, fraction) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000)
        append("\(microseconds < 0 ? "-" : "")\(whole).\(String(fraction + 1_000).dropFirst())")
    }

    /// Appends text in UTF-8 without line breaks.
    @inline(__always)
    mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        guard let start = part.baseAddress else { return }
        if capacity &- count < part.count { grow(to: count + part.count) }
        unsafe (bytes + count).initialize(from: start, count: part.count)
        count &+= part.count
    }

    /// The same for text in memory of at least `shortCapacity` bytes, all of which it copies. Returns false, and appends
    /// nothing, if the text is longer or the room shorter than that.
    @inline(__always)
    mutating func append(padded part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard part.count <= Line.shortCapacity, capacity &- count >= Line.shortCapacity,
            let start = unsafe UnsafeRawPointer(part.baseAddress)
        else { return false }
        let target = unsafe UnsafeMutableRawPointer(bytes + count)
        unsafe target.storeBytes(of: start.loadUnaligned(as: SIMD4<UInt64>.self), as: SIMD4<UInt64>.self)
        count &+= part.count
        return true
    }

    /// Appends a short text, which is copied with the bytes that pad it.
    @inline(__always)
    mutating func append(_ part: ShortText) {
        let size = MemoryLayout.size(ofValue: part.words)
        if capacity &- count < size { grow(to: count + size) }
        unsafe UnsafeMutableRawPointer(bytes + count).storeBytes(of: part.words, as: (UInt64, UInt64).self)
        count &+= part.count
    }

    /// The length up to which a text is copied as a whole, without a loop or a call.
    static let shortCapacity = MemoryLayout<SIMD4<UInt64>>.size

    @inline(never)
    private mutating func grow(to minimum: Int) {
        capacity = max(minimum, 2 * capacity)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.update(from: bytes, count: count)
        if isAllocated { unsafe bytes.deallocate() }
        unsafe bytes = unsafe larger
        isAllocated = true
    }

    private var text: String {
        let text = unsafe Line.text(of: UnsafeBufferPointer(start: bytes, count: count))
        return hasLineBreaks ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : text
    }

    /// The text of UTF-8 that consists of whole texts, which needs no validation.
    private static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return unsafe String(copying: UTF8Span(unchecked: bytes.span))
        }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    private static func mayHaveLineBreaks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            if byte < 0x20 { return true }
            // U+0085 begins with C2, U+2028 and U+2029 with E2 80.
            if byte >= 0x80, byte == 0xC2 || byte == 0x80 && previous == 0xE2 { return true }
            previous = byte
        }
        return false
    }
}

/// A text of up to 15 bytes of ASCII without line breaks, in place. Empty in place of any other text.
struct ShortText {
    /// The text, padded with spaces, and its length in the last byte.
    fileprivate private(set) var words = (0 as UInt64, 0 as UInt64)

    init() {}

    init(_ text: String?) {
        guard let text else { return }
        var words = (Line.spaces, Line.spaces)
        let length: Int? = unsafe text.utf8.withContiguousStorageIfAvailable { source in
            guard source.count < MemoryLayout.size(ofValue: words) else { return 0 }
            unsafe withUnsafeMutableBytes(of: &words) { unsafe $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
            return source.count
        }
        guard let length, Line.isPrintableASCII(words.0), Line.isPrintableASCII(words.1) else { return }
        self.words = words
        unsafe withUnsafeMutableBytes(of: &self.words) { unsafe $0[$0.count - 1] = UInt8(length) }
    }

    fileprivate var count: Int { Int(truncatingIfNeeded: words.1.littleEndian &>> 56) }
    var isEmpty: Bool { count == 0 }

    var text: String {
        unsafe withUnsafeBytes(of: words) { unsafe String(decoding: $0.prefix(count), as: UTF8.self) }
    }
}

extension Duration {
    /// In nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// In milliseconds, with three decimals.
    var inMilliseconds: String { Line.text(of: nanoseconds) { $1.append(asMilliseconds: $0) } }
}
