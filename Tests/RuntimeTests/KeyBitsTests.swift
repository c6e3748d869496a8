import Testing

@testable import InjectleRuntime

@Suite struct KeyBitsTests {
    private enum Region { case europe, asia }
    private struct Wide: Hashable { var words = (0..<3).map { $0 }, other = 1, third = 2 }

    private func matches<Cached: Hashable, Key: Hashable>(_ cached: Cached?, _ key: Key) -> Bool? {
        KeyBits(Int.self, key).map { bits in
            withUnsafePointer(to: key) { CachedKeyBits(of: cached, for: Int.self).matches(bits, at: $0) }
        }
    }

    @Test func `Keys with the same bits match`() {
        #expect(matches(1, 1) == true)
        #expect(matches(Region.asia, Region.asia) == true)
        #expect(matches("short", "short") == true)
    }

    @Test func `Keys with other bits do not match`() {
        #expect(matches(1, 2) == false)
        #expect(matches(Region.asia, Region.europe) == false)
        #expect(matches("short", "other") == false)
    }

    @Test func `Keys of different types do not match`() {
        #expect(matches(1, UInt(1)) == false)
        #expect(matches(Int8(1), Int16(1)) == false)
    }

    @Test func `Long strings match by their text`() {
        let text = "a string that is longer than fifteen bytes"
        let copy = String(Array(text))
        #expect(matches(text, copy) == true)
        #expect(matches(text, copy + ".") == false)
        #expect(matches(text, String(copy.dropLast()) + "z") == false)
    }

    @Test func `A key that is not of the requested type matches none`() {
        #expect(matches(String?.none, "key") == false)
    }

    @Test func `A key of more than two words has no bits`() {
        #expect(KeyBits(Int.self, Wide()) == nil)
        #expect(matches(Wide(), 1) == false)
    }

    private func tag<Key: Hashable>(_ service: Any.Type, _ key: Key) -> UInt? {
        KeyBits(service, key).map { bits in withUnsafePointer(to: key) { bits.tag(of: $0) } }
    }

    @Test func `The tag depends on the type and on the key`() {
        let tags = [tag(Int.self, 1), tag(Int.self, 2), tag(String.self, 1), tag(Int.self, UInt(1))]
        #expect(Set(tags).count == 4)
        #expect(tag(Int.self, 1) == tags[0])
        #expect(CachedKeyBits(of: 1, for: Int.self).tag == tags[0])
        #expect(CachedKeyBits(of: Int?.none, for: Int.self).tag == nil)
    }

    @Test(arguments: 16...40)
    func `The tag of a long string depends on its text alone`(length: Int) {
        func text(changedAt changed: Int? = nil) -> String {
            String((0..<length).map { $0 == changed ? "#" : Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        }
        #expect(tag(Int.self, text()) == tag(Int.self, text()))
        #expect(tag(Int.self, text()) == CachedKeyBits(of: text(), for: Int.self).tag)
        let changed = (0..<length).map { tag(Int.self, text(changedAt: $0)) }
        #expect(Set(changed + [tag(Int.self, text())]).count == length + 1)
        #expect(tag(Int.self, text()) != tag(Int.self, text() + "."))
    }
}
