import Injectle
import InjectleTestSupport
import Testing

private final class Service: Sendable { let number: Int; init(_ n: Int) { number = n } }
private actor Log { var lines: [Int] = []; func add(_ n: Int) { lines.append(n) } }
private final class Box<T>: @unchecked Sendable { var value: T; init(_ v: T) { value = v } }

struct StartTests {
    @Test func startMakes() async throws {
        let locator = Locator()
        locator.register(
            .lazy {
                await Task.yield(); return Service(1)
            }
        )
        locator.register(.lazy { locator in (try locator.resolve(Service.self), 1) }.atStart())
        locator.register(.lazy { locator in (try await locator.resolveAsync((Service, Int).self), "") })
        var lines: [String] = []
        try await locator.start { progress in lines.append("\(progress)") }
        print(lines)
        #expect(locator.registrations.allSatisfy { $0.isMade })
        try await locator.start { progress in #expect(progress.fraction == 1) }
    }

    @Test func timeout() async throws {
        let locator = Locator("slow")
        locator.register(
            .lazy {
                try await Task.sleep(for: .seconds(100)); return Service(1)
            }
        )
        locator.register(.lazy { 1 }.atStart())
        locator.register(.lazy { locator in (try await locator.resolveAsync(Service.self), 1) })
        do { try await locator.start(within: .milliseconds(100)); Issue.record() } catch {
            print(error); #expect(error.code == InjectleError.startTimedOut)
        }
        await locator.close()
    }

    @Test func random() async throws {
        struct Key: Hashable { let n: Int }
        for seed in 0..<20 {
            let locator = Locator()
            let made = Box<[Int]>([]), ended = Box<[Int]>([])
            let lock = MyLock()
            var rng = Rng(state: UInt64(seed))
            var needs: [[Int]] = []
            for n in 0..<200 {
                let deps =
                    n == 0
                    ? [] : (0..<Int.random(in: 0...3, using: &rng)).map { _ in Int.random(in: 0..<n, using: &rng) }
                needs.append(deps)
                if Bool.random(using: &rng) {
                    locator.register(
                        .lazy(.anywhere) { locator in
                            for d in deps { _ = try await locator.resolveAsync(Service.self, key: Key(n: d)) }
                            lock.with { made.value.append(n) }
                            return Service(n)
                        }.onDispose { s in lock.with { ended.value.append(s.number) } },
                        for: Key(n: n)
                    )
                } else {
                    locator.register(
                        .lazy(.anywhere) { locator in
                            for d in deps { _ = try locator.resolve(Service.self, key: Key(n: d)) }
                            lock.with { made.value.append(n) }
                            return Service(n)
                        }.atStart().onDispose { s in lock.with { ended.value.append(s.number) } },
                        for: Key(n: n)
                    )
                }
            }
            try await locator.start()
            #expect(made.value.count == 200)
            let place = Dictionary(uniqueKeysWithValues: made.value.enumerated().map { ($1, $0) })
            for n in 0..<200 { for d in needs[n] { #expect(place[d]! < place[n]!) } }
            await locator.close()
            if ended.value != made.value.reversed() {
                let r = Array(made.value.reversed())
                let i = zip(ended.value, r).enumerated().first { $0.element.0 != $0.element.1 }
                print("differ at", i as Any, ended.value.count, r.count)
            }
        }
    }
}
private struct Rng: RandomNumberGenerator {
    var state: UInt64;
    mutating func next() -> UInt64 {
        state = state &* 6364136223846793005 &+ 1442695040888963407; return state ^ (state >> 33)
    }
}
import Foundation
private final class MyLock: @unchecked Sendable {
    let l = NSLock(); func with(_ b: () -> Void) { l.lock(); b(); l.unlock() }
}
