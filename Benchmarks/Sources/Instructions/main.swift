internal import Foundation
internal import Rows

// Does the work of a row so many times: `Instructions 1a 1000`. The script `instructions` runs it twice, with two
// counts, and the difference is what the operations took.

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]) else { fatalError("The arguments are a row and a count.") }
// Not on the main thread, where allocations and events take less. An asynchronous `main` would end the main thread, which
// Valgrind does not survive.
let done = DispatchSemaphore(value: 0)
Thread.detachNewThread {
    defer { done.signal() }
    guard let row = Row.named(arguments[1]) else { fatalError("There is no row \(arguments[1]).") }
    do {
        switch try row.prepare() {
        case .ratio(_, let work): _ = try work(count)
        case .bytes: fatalError("The row \(row.name) has no work to repeat.")
        }
    } catch {
        fatalError("\(error)")
    }
}
done.wait()
