import Dispatch
import Foundation
import Injectle
import InjectleTesting
import Testing

private func callback(_ body: @escaping @Sendable () -> String) async -> String {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}

private func onQueue(_ body: @escaping @Sendable () -> String) async -> String {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}

/// 1,000 tests at once, each with another value of the same service.
struct CrossingTests {
    @Test(.locator, arguments: 0..<1000)
    func `Parallel tests do not see the overrides of others`(number: Int) async {
        let expected = "\(number)"
        Locator.shared.register(.eager(FixedGreeter(text: expected)), for: (any Greeter).self)
        let page = Page()
        let current = Locator.shared
        #expect(page.text == expected)
        #expect(await Task { Page().text }.value == expected)
        #expect(await Task.detached { page.text }.value == expected)
        #expect(await Task.detached { Locator.$shared.withValue(current) { Page().text } }.value == expected)
        let texts = await withTaskGroup(of: String.self) { group in
            for _ in 0..<3 { group.addTask { Page().text } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == [expected, expected, expected])
        #expect(await onQueue { Locator.$shared.withValue(current) { Page().text } } == expected)
        #expect(await onQueue { page.text } == expected)
        #expect(await callback { Locator.$shared.withValue(current) { Page().text } } == expected)
        #expect(Page().text == expected)
    }
}
