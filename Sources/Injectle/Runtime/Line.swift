/// A line of text from many short parts, in bytes: appending to a string or to an array costs several times more.
@safe
struct Line: ~Copyable {
    /// Owned by this value. The first `count` bytes are initialized.
    private var bytes: UnsafeMutablePointer<UInt8>
    private var count = 0
    private var capacity = 256
    private var hasLineBreaks = false

    init() { unsafe bytes = .allocate(capacity: capacity) }

    deinit { unsafe bytes.deallocate() }

    /// Appends text.
    mutating func append(_ part: String) {
        var part = part
        part.withUTF8 { part in
            unsafe append(part)
            hasLineBreaks = unsafe hasLineBreaks || Line.mayHaveLineBreaks(part)
        }
    }

    /// Appends text without line breaks, which is not searched for them.
    mutating func append(unbroken part: String) {
        var part = part
        part.withUTF8 { unsafe append($0) }
    }

    /// Appends a duration in milliseconds, with three decimals.
    mutating func append(milliseconds duration: Duration) {
        let microseconds = duration.nanoseconds / 1_000
        // Backwards, from the last digit. A point, a sign and the digits of any `UInt64` fit.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { digits in
            var (position, rest) = (digits.count, microseconds.magnitude)
            for place in 0... {
                if place == 3 { unsafe Line.prepend(UInt8(ascii: "."), to: digits, at: &position) }
                if place > 3, rest == 0 { break }
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                unsafe Line.prepend(UInt8(ascii: "0") + UInt8(digit), to: digits, at: &position)
                rest = quotient
            }
            if microseconds < 0 { unsafe Line.prepend(UInt8(ascii: "-"), to: digits, at: &position) }
            unsafe append(UnsafeBufferPointer(rebasing: digits[position...]))
        }
    }

    private static func prepend(_ byte: UInt8, to bytes: UnsafeMutableBufferPointer<UInt8>, at position: inout Int) {
        position -= 1
        unsafe bytes[position] = byte
    }

    private mutating func append(_ part: UnsafeBufferPointer<UInt8>) {
        guard let start = part.baseAddress else { return }
        if count + part.count > capacity { grow(to: count + part.count) }
        unsafe (bytes + count).update(from: start, count: part.count)
        count += part.count
    }

    private mutating func grow(to minimum: Int) {
        capacity = max(minimum, 2 * capacity)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.update(from: bytes, count: count)
        unsafe bytes.deallocate()
        unsafe bytes = unsafe larger
    }

    /// The text, with spaces in place of line breaks.
    var text: String {
        let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        return hasLineBreaks ? text.split(whereSeparator: \.isNewline).joined(separator: " ") : text
    }

    private static func mayHaveLineBreaks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for index in bytes.indices {
            let byte = unsafe bytes[index]
            // U+0085 begins with C2, U+2028 and U+2029 with E2 80.
            if byte < 0x20 || byte == 0xC2 || byte == 0x80 && previous == 0xE2 { return true }
            previous = byte
        }
        return false
    }
}

extension Duration {
    /// In nanoseconds.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// In milliseconds, with three decimals.
    var inMilliseconds: String {
        var line = Line()
        line.append(milliseconds: self)
        return line.text
    }
}
