#if os(Linux)
import Foundation
import Injectle
import Testing

/// The memory of closes that end before their grace period does.
@Suite struct GracePeriodMemoryTests {
    @Test func `A request that has ended leaves nothing until the end of its grace period`() async {
        // In a process of its own, whose other code allocates nothing.
        await #expect(processExitsWith: .success) {
            func residentPages() throws -> Int {
                let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                return Int(numbers[1]) ?? 0
            }
            let server = Locator("server")
            func serve(_ requests: Int) async {
                for _ in 0..<requests {
                    await server.withChild("request", { $0.register(.eager(1).onDispose { _ in await Task.yield() }) })
                    {
                        _ in
                    }
                }
            }
            await serve(1_000)
            let before = try residentPages()
            await serve(5_000)
            let pages = try residentPages() - before
            // A cancelled `Task.sleep` keeps 700 bytes: 850 pages.
            precondition(pages < 400, "\(pages) pages are left.")
        }
    }
}
#endif
