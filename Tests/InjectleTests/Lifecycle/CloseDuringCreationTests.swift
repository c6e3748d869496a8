import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// What is being made when its locator is closed.
@Suite struct CloseDuringCreationTests {
    private let locator = Locator("making")
    private let diary = Diary()
    private let hasBegun = Signal()
    private let mayGoOn = Signal()

    private func code(of key: Int, in locator: Locator) async -> InjectleError.Code? {
        await thrown { try await locator.resolveAsync(Part.self, key: key) }?.code
    }

    // MARK: In tasks

    @Test func `close cancels and awaits a running factory`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary, hasBegun, mayGoOn] in
                let isCancelled = Signal()
                await withTaskCancellationHandler {
                    hasBegun.set()
                    await isCancelled.reached()
                } onCancel: {
                    isCancelled.set()
                }
                await mayGoOn.reached()
                diary.note("ended")
                try Task.checkCancellation()
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        async let error = thrown { [locator] in try await locator.resolveAsync(Part.self) }
        await hasBegun.reached()
        async let closing: Void = { [locator, diary] in
            await locator.close()
            diary.note("closed")
        }()
        for _ in 0..<100 { await Task.yield() }
        mayGoOn.set()
        await closing
        #expect(await error?.code == InjectleError.locatorClosed)
        #expect(diary.take() == ["ended", "closed"])
    }

    @Test func `close disposes an instance created despite cancellation`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary, hasBegun] in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                return Part("a", diary)
            }.onDispose { part in
                await Task.yield()
                part.close()
            }
        )
        async let service = thrown { [locator] in try await locator.resolveAsync(Part.self) }
        await hasBegun.reached()
        await locator.close()
        #expect(diary.take() == ["+a", "-a"])
        _ = await service
    }

    @Test func `close cancels creations for children and scopes`() async throws {
        let child = locator.child()
        let begun = [Signal(), Signal(), Signal()]
        func make(_ index: Int) -> @Sendable () async throws -> Part {
            { [diary] in
                begun[index].set()
                while !Task.isCancelled { await Task.yield() }
                diary.note("cancelled")
                throw CancellationError()
            }
        }
        let (first, second, third) = (make(0), make(1), make(2))
        locator.register(.lazy(.anywhere) { try await first() }.lifetime(.perLocator), key: 0)
        locator.register(.lazy(.anywhere) { try await second() }.lifetime(.perArgument), key: 1)
        child.register(.lazy(.anywhere) { try await third() }, key: 2)
        let tasks = (0..<3).map { key in
            Task { [self] in await code(of: key, in: child) }
        }
        for signal in begun { await signal.reached() }
        await locator.close()
        #expect(diary.take() == ["cancelled", "cancelled", "cancelled"])
        for task in tasks { #expect(await task.value == InjectleError.locatorClosed) }
    }

    @Test func `close awaits and disposes dependent creations`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary, hasBegun] in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                return Part("inner", diary)
            }.onDispose { $0.close() },
            key: "inner"
        )
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                let inner = try await locator.resolveAsync(Part.self, key: "inner")
                return Part("outer of \(inner.name)", diary)
            }.onDispose { $0.close() },
            key: "outer"
        )
        async let service = thrown { [locator] in try await locator.resolveAsync(Part.self, key: "outer") }
        await hasBegun.reached()
        await locator.close()
        let all = diary.take()
        #expect(all.count == Set(all).count)
        #expect(
            all.filter { $0.hasPrefix("+") }.reversed().map { "-" + $0.dropFirst() } == all.filter { $0.hasPrefix("-") }
        )
        #expect(all.contains("-inner"))
        _ = await service
    }

    // MARK: On threads

    @Test func `close awaits and disposes an instance created on a thread`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary, hasBegun, mayGoOn] in
                hasBegun.set()
                mayGoOn.wait()
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        async let name = onAnotherThread { [locator] in try? locator.resolve(Part.self).name }
        await hasBegun.reached()
        async let closing: Void = { [locator, diary] in
            await locator.close()
            diary.note("closed")
        }()
        for _ in 0..<100 { await Task.yield() }
        mayGoOn.set()
        await closing
        #expect(await name == "a")
        #expect(diary.take() == ["+a", "-a", "closed"])
    }

    @Test func `A factory on a thread gets locatorClosed for new services`() async throws {
        locator.register(.lazy(.anywhere) { [diary] in Part("needed", diary) }, for: "needed")
        // Tried at each resolve, until it is refused.
        locator.register(.lazy(.anywhere) { () throws -> Int in throw CancellationError() })
        locator.register(
            .lazy(.anywhere) { [hasBegun, mayGoOn] locator in
                hasBegun.set()
                mayGoOn.wait()
                return try locator.resolve(Part.self, key: "needed").name
            }
        )
        async let code = onAnotherThread { [locator] in thrown { try locator.resolve(String.self) }?.code }
        await hasBegun.reached()
        async let closing = locator.close()
        while thrown(by: { try locator.resolve(Int.self) })?.code != InjectleError.locatorClosed { await Task.yield() }
        mayGoOn.set()
        #expect(await closing.isEmpty)
        #expect(await code == InjectleError.locatorClosed)
        #expect(diary.take() == [])
    }

    // MARK: From within

    @Test func `A factory that closes its locator does not deadlock`() async throws {
        locator.register(.lazy(.anywhere) { [diary] in Part("before", diary) }.onDispose { $0.close() }, for: "before")
        _ = try locator.resolve(Part.self, key: "before")
        locator.register(
            .lazy(.anywhere) { [diary, weak locator] in
                await locator?.close()
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        #expect(try await locator.resolveAsync(Part.self).name == "a")
        #expect(diary.take() == ["+before", "-before", "+a", "-a"])
        #expect(thrown { try locator.resolve(Part.self) }?.code == InjectleError.locatorClosed)
    }

    @Test func `A factory may close its locator during another close`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary, hasBegun, weak locator] in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                await locator?.close()
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        async let service = thrown { [locator] in try await locator.resolveAsync(Part.self) }
        await hasBegun.reached()
        await locator.close()
        _ = await service
        #expect(diary.take() == ["+a", "-a"])
    }

    @Test func `A dependency that closes the locator does not deadlock`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary, weak locator] in
                await locator?.close()
                return Part("inner", diary)
            }.onDispose { $0.close() },
            key: "inner"
        )
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                _ = try await locator.resolveAsync(Part.self, key: "inner")
                return Part("outer", diary)
            }.onDispose { $0.close() }
        )
        _ = try await locator.resolveAsync(Part.self)
        let all = diary.take()
        #expect(all.filter { $0.hasPrefix("+") } == ["+inner", "+outer"])
        #expect(all.filter { $0.hasPrefix("-") } == ["-inner", "-outer"])
        await locator.close()
        #expect(diary.take() == [])
    }

    @Test func `A child factory that closes the parent does not deadlock`() async throws {
        let child = locator.child()
        child.register(
            .lazy(.anywhere) { [diary, locator] in
                await locator.close()
                return Part("a", diary)
            }.onDispose { $0.close() }
        )
        _ = try await child.resolveAsync(Part.self)
        #expect(diary.take() == ["+a", "-a"])
    }
}
