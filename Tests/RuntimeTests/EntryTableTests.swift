import CInjectle
import Testing

@testable import InjectleRuntime

/// The entry table, as its writer and one reader see it. The addresses are numbers, since the table does not use them.
@Suite struct EntryTableTests {
    private final class Table {
        var table = EntryTable()
        private(set) var outgrown = 0

        func put(_ entry: Int, tagged tag: UInt, replacing old: Int? = nil) {
            guard let block = table.put(address(entry), tagged: tag, replacing: old.map(address)) else { return }
            outgrown += 1
            injectle_free(block)
        }

        func remove(_ entry: Int, tagged tag: UInt) { table.remove(address(entry), tagged: tag) }

        func find(_ tag: UInt) -> Int? {
            table.block.flatMap { EntryTable.find(tag, in: $0) }.map { Int(bitPattern: $0) }
        }

        func all(tagged tag: UInt) -> Set<Int> {
            var all: Set<Int> = []
            table.forEach(tagged: tag) { all.insert(Int(bitPattern: $0)) }
            return all
        }

        var all: Set<Int> {
            var all: Set<Int> = []
            table.forEach { all.insert(Int(bitPattern: $0)) }
            return all
        }

        /// The number of buckets that the searches for some tags look at.
        func steps(to tags: [UInt]) -> Int {
            guard let block = table.block else { return 0 }
            let mask = EntryTable.mask(of: block)
            return tags.reduce(0) { steps, tag in
                var search = EntryTable.Search(for: tag, mask: mask)
                while EntryTable.bucket(at: search.offset, of: block).pointee.tag != tag, search.step < mask {
                    search.advance()
                }
                return steps + Int(search.step) / EntryTableTests.bucketSize + 1
            }
        }

        private func address(_ entry: Int) -> UnsafeMutableRawPointer {
            UnsafeMutableRawPointer(bitPattern: entry).unsafelyUnwrapped
        }

        /// The capacities of the block and of the kept ones.
        var capacities: [UInt] {
            var capacities: [UInt] = []
            table.forEachBlock { capacities.append(EntryTable.mask(of: $0) / UInt(EntryTableTests.bucketSize) + 1) }
            return capacities
        }

        deinit { table.forEachBlock { injectle_free($0) } }
    }

    private static let bucketSize = MemoryLayout<EntryTable.Bucket>.stride

    private let table = Table()

    @Test func `An empty table has no block and no entries`() {
        #expect(table.table.block == nil)
        #expect(table.all.isEmpty)
        #expect(table.all(tagged: 1).isEmpty)
    }

    @Test func `An entry is found by its tag only`() {
        table.put(100, tagged: 1)
        #expect(table.find(1) == 100)
        #expect(table.find(2) == nil)
    }

    @Test func `Entries may share a tag`() {
        table.put(100, tagged: 1)
        table.put(200, tagged: 1)
        #expect(table.all(tagged: 1) == [100, 200])
        table.remove(100, tagged: 1)
        #expect(table.find(1) == 200)
    }

    @Test func `Replacing an entry leaves the others with its tag`() {
        table.put(100, tagged: 1)
        table.put(200, tagged: 1)
        table.put(300, tagged: 1, replacing: 100)
        #expect(table.all(tagged: 1) == [200, 300])
    }

    @Test(arguments: [4, 8, 11, 16, 32, 128, 512, 1024, 10_000])
    func `Types at equal distances are found in few steps`(count: Int) throws {
        var means: [Double] = []
        let step: UInt = count > 1024 ? 64 : 8
        for distance in stride(from: step, through: 2048, by: Int(step)) {
            let table = Table()
            let tags = (0..<UInt(count)).map { 0x7F00_0040_1238 + $0 * distance }
            for tag in tags { table.put(100, tagged: tag) }
            means.append(Double(table.steps(to: tags)) / Double(count))
        }
        #expect(try #require(means.max()) < 5)
        // A random hash needs 1.5 steps in a block that is half full (Knuth, section 6.4, theorem K).
        #expect(means.reduce(0, +) / Double(means.count) < 1.5)
    }

    @Test func `A removed entry is not found`() {
        table.put(100, tagged: 1)
        table.put(200, tagged: 2)
        table.remove(100, tagged: 1)
        #expect(table.find(1) == nil)
        #expect(table.all == [200])
    }

    @Test func `Removing an unknown entry changes nothing`() {
        table.put(100, tagged: 1)
        table.remove(200, tagged: 1)
        table.remove(100, tagged: 2)
        #expect(table.all == [100])
    }

    @Test func `The bucket of a removed entry is reused for its tag`() {
        table.put(1, tagged: 1)
        let block = table.table.block
        for entry in 1...1_000 {
            table.remove(entry, tagged: 1)
            table.put(entry + 1, tagged: 1)
        }
        #expect(table.find(1) == 1_001)
        #expect(table.table.block == block)
    }

    @Test func `A table grows and finds every entry`() {
        for entry in 1...5_000 { table.put(entry, tagged: UInt(entry)) }
        #expect((1...5_000).allSatisfy { table.find(UInt($0)) == $0 })
        #expect(table.find(5_001) == nil)
        #expect(table.all.count == 5_000)
        #expect(table.outgrown > 2)
    }

    @Test func `A table keeps small blocks, for readers that still search them`() {
        for entry in 1...10 { table.put(entry, tagged: UInt(entry)) }
        #expect(table.outgrown == 0)
        let capacities = table.capacities
        #expect(capacities == capacities.sorted(by: >))
        #expect(capacities.count > 1)
        for entry in 11...100 { table.put(entry, tagged: UInt(entry)) }
        for tag in 1...100 { table.remove(tag, tagged: UInt(tag)) }
        for entry in 101...10_000 {
            table.put(entry, tagged: UInt(entry))
            table.remove(entry, tagged: UInt(entry))
        }
        #expect(table.capacities.count < 5)
    }

    @Test func `Growth drops the tags of removed entries`() {
        for entry in 1...10_000 {
            table.put(entry, tagged: UInt(entry))
            table.remove(entry, tagged: UInt(entry))
        }
        #expect(table.all.isEmpty)
        let mask = table.table.block.map(EntryTable.mask)
        #expect(mask.map { $0 < 16 * EntryTableTests.bucketSize } == true)
    }

    @Test func `Tags that collide are told apart`() {
        table.put(9_999, tagged: 9_999)
        guard let block = table.table.block else { return }
        let mask = EntryTable.mask(of: block)
        // The last bucket, so that the search continues at the first.
        let colliding = (UInt(1)...).lazy.filter { EntryTable.start(of: $0) & mask == mask }.prefix(8)
        for tag in colliding { table.put(Int(tag), tagged: tag) }
        for tag in colliding { #expect(table.find(tag) == Int(tag)) }
        for tag in colliding.dropFirst(4) { table.remove(Int(tag), tagged: tag) }
        for tag in colliding.prefix(4) { #expect(table.find(tag) == Int(tag)) }
        for tag in colliding.dropFirst(4) { #expect(table.find(tag) == nil) }
    }

    @Test func `A search visits all buckets, and first those next to its start`() {
        let stride = UInt(EntryTableTests.bucketSize)
        var search = EntryTable.Search(from: 60 * stride, mask: 63 * stride)
        var visited: [UInt] = []
        for _ in 0..<64 {
            visited.append(search.offset / stride)
            search.advance()
        }
        #expect(visited.prefix(4) == [60, 61, 63, 2])
        #expect(Set(visited) == Set(0..<64))
    }

    @Test func `The tag of a type and a key is odd and differs from the type's address`() {
        let tags = [
            EntryTable.tag(of: Int.self, hash: 1), EntryTable.tag(of: Int.self, hash: 4),
            EntryTable.tag(of: String.self, hash: 1),
        ]
        #expect(tags.allSatisfy { $0 & 1 == 1 })
        #expect(Set(tags).count == 3)
    }
}
