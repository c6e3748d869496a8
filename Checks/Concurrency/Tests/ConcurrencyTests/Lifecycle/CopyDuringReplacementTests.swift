import Injectle
import InjectleTestSupport
import Testing

private protocol First: Sendable { var number: Int { get } }
private protocol Second: Sendable { var number: Int { get } }
private final class Pair: First, Second {
    let number: Int
    init(_ number: Int) { self.number = number }
}

/// A copy has a registration of several identities whole.
@Suite struct CopyDuringReplacementTests {
    private enum Form: CaseIterable { case eager, lazy, keyed }

    @Test(arguments: Form.allCases)
    private func `A copy beside a replacement has one registration for all its identities`(_ form: Form) async {
        let (locator, isDone, torn) = (Locator("original"), Guarded(false), Counter())
        @Sendable func put(_ number: Int) {
            switch form {
            case .eager: locator.register(.eager(Pair(number)).as((any First).self).as((any Second).self))
            case .lazy: locator.register(.lazy(.anywhere) { Pair(number) }.as((any First).self).as((any Second).self))
            case .keyed:
                locator.register(
                    .eager(Pair(number)).as((any First).self, key: "first").as((any Second).self, key: "second")
                )
            }
        }
        put(0)
        await onThreadsAsync(2) { index in
            if index == 1 {
                var number = 1
                while !isDone.value {
                    put(number)
                    number += 1
                }
                return
            }
            for _ in 0..<Stress.rounds(20_000) {
                let copy = Locator(copying: locator)
                let first = try? copy.resolve((any First).self, key: form == .keyed ? "first" : nil).number
                let second = try? copy.resolve((any Second).self, key: form == .keyed ? "second" : nil).number
                if first != second { torn.increment() }
            }
            isDone.withLock { $0 = true }
        }
        #expect(torn.value == 0)
    }
}
