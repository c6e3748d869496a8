internal import Dispatch
internal import Foundation
internal import Rows

// Does the work of a row on two threads in turns, for the script `shared-writes`, which traces the memory that they write.
// A store to the word whose address is printed begins and ends the turns that count.

let arguments = CommandLine.arguments
guard arguments.count == 3, let row = Row.named(arguments[1]), let count = Int(arguments[2]) else {
    fatalError("The arguments are the number of a row and a count.")
}
guard case .ratio(_, let work) = try row.prepare() else { fatalError("The row \(row.name) has no work to repeat.") }
// Sound to share: one thread at a time uses it.
nonisolated(unsafe) let loop = { _ = try! work(count) }

// In a large region, so that the address was used for nothing else before.
let region = UnsafeMutablePointer<UInt64>.allocate(capacity: 1 << 18)
// Sound to share: as before.
nonisolated(unsafe) let mark = region + (1 << 17)
mark.pointee = 0

/// A thread that works in turns: first to warm up, then to be traced. It never ends, so no other thread gets its memory.
final class Worker: Sendable {
    private let turns = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [turns, ended] in
            while true {
                turns.wait()
                loop()
                mark.pointee += 1
                loop()
                mark.pointee += 1
                ended.signal()
            }
        }
    }

    func work() {
        turns.signal()
        ended.wait()
    }
}

let workers = [Worker(), Worker()]
for worker in workers { worker.work() }
print(UInt(bitPattern: mark))
print(try String(contentsOfFile: "/proc/self/maps", encoding: .utf8))
fflush(nil)
for worker in workers { worker.work() }
exit(0)
