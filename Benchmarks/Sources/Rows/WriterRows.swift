internal import Dispatch
internal import Foundation
internal import Injectle

extension Row {
    /// Row 15: replacing a registration while other threads read it.
    static let writers: [Row] = [
        Row("15a-replace-while-eight-threads-read") {
            let locator = try locatorWithSingleton(among: 10)
            return (
                { count in repeated(count) { replace(in: locator, &$0) } },
                { count in
                    let readers = Readers(8, of: locator)
                    defer { readers.stop() }
                    return repeated(count) { replace(in: locator, &$0) }
                }
            )
        }
    ]
}

@inline(never)
private func replace(in locator: Locator, _ result: inout (any Service)?) {
    let service = makeService()
    locator.register(.eager(service), for: (any Service).self)
    result = service
}

/// Threads that resolve until they are stopped.
private final class Readers: @unchecked Sendable {
    // Guarded by the lock.
    private var isStopped = false
    private let lock = NSLock()
    private let ended = DispatchGroup()

    init(_ count: Int, of locator: Locator) {
        for _ in 0..<count {
            ended.enter()
            Thread.detachNewThread {
                var result: (any Service)?
                while !self.lock.withLock({ self.isStopped }) {
                    for _ in 0..<1000 { try? resolve(locator, &result) }
                }
                self.ended.leave()
            }
        }
    }

    /// Returns once all threads have ended.
    func stop() {
        lock.withLock { isStopped = true }
        ended.wait()
    }
}
