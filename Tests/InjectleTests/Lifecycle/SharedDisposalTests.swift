import Injectle
import InjectleTestSupport
import Testing

private final class Other: Sendable {}

/// Says when it goes.
private final class Goer: Sendable {
    private let go: @Sendable () -> Void
    init(_ go: @escaping @Sendable () -> Void) { self.go = go }
    deinit { go() }
}

/// What is given and finished at first use, what others are given, too, and what goes on after a reset.
@Suite struct SharedDisposalTests {
    private let locator = Locator("one")
    private let other = Locator("other")
    private let diary = Diary()

    @Test func `close runs the async disposer of an eager service in order`() async throws {
        locator.register(.lazy(.anywhere) { Other() }.onDispose { [diary] _ in diary.note("-other") })
        locator.register(
            .eager(Part("given", diary)).afterInit { _, _ in }.onDispose { part async in
                await Task.yield()
                part.close()
            }
        )
        _ = try (locator.resolve(Other.self), locator.resolve(Part.self))
        #expect(await locator.close().isEmpty)
        #expect(diary.take() == ["+given", "-given", "-other"])
    }

    @Test(arguments: [true, false])
    func `Removing an eager registration without disposer disposes nothing`(closing: Bool) async throws {
        let given = Locator.Registration.eager(Part("given", diary))
        locator.register(given.onDispose { $0.close() })
        other.register(given)
        if closing { await other.close() } else { other.unregisterService(Part.self) }
        #expect(diary.take() == ["+given"])
        await locator.close()
        #expect(diary.take() == ["-given"])
    }

    @Test func `A task started during resetAsync disposes normally`() async {
        let (proceed, done) = (Signal(), Signal())
        other.register(.eager(Part("given", diary)).onDispose { $0.close() })
        locator.register(
            .eager(
                Goer { [other] in
                    Task {
                        await proceed.reached()
                        other.unregisterService(Part.self)
                        done.set()
                    }
                }
            )
        )
        await locator.resetAsync()
        proceed.set()
        await done.reached()
        #expect(diary.take() == ["+given", "-given"])
    }
}
