import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// On Apple's platforms, each thread but the main one has 512 KB of stack, unless its creator says otherwise.
@Suite struct DepthTests {
    private let locator = Locator()

    #if DEBUG
    private static let levels = 80
    #else
    private static let levels = 200
    #endif

    private static let isSanitized = dlsym(dlopen(nil, RTLD_LAZY), "__tsan_init") != nil

    private static let lifetimes: [Locator.Lifetime] = [.volatile, .lazy, .weak, .perLocator]

    private final class Level: Sendable {
        let needed: Level?
        init(needing needed: Level? = nil) { self.needed = needed }
    }

    /// Registers a service for each key from 1 on that needs the one of the next lower key.
    private func register(_ lifetime: Locator.Lifetime) {
        locator.register(.lazy { Level() }.lifetime(lifetime), key: 1)
        for depth in 2...Self.levels {
            let registration: Locator.Registration<Level> = .lazy { locator in
                Level(needing: try locator.resolve(Level.self, key: depth - 1))
            }
            locator.register(registration.lifetime(lifetime), key: depth)
        }
    }

    @Test(.disabled(if: isSanitized, "The thread sanitizer takes a quarter more of the stack."), arguments: lifetimes)
    func `A thread with 512 KB creates 80 levels in debug, and 200 in release`(lifetime: Locator.Lifetime) async {
        register(lifetime)
        let error = await onAnotherThread(stackSize: 512 << 10) { [locator] in
            thrown { try locator.resolve(Level.self, key: Self.levels) }
        }
        #expect(error == nil)
    }

    @Test func `The limit is the same on a large stack`() async {
        locator.register(.volatile { (locator, depth: Int) in try locator.resolve(Int.self, arguments: depth + 1) })
        let error = await onAnotherThread { [locator] in thrown { try locator.resolve(Int.self, arguments: 0) } }
        #expect(error?.path.count == 200)
        #expect(error?.description.hasPrefix("Dependencies are too deep: ") == true)
    }
}
