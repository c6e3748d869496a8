import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Closing a locator while factories run.
@Suite struct CloseDuringCreationTests {
    private let locator = Locator("making")
    private let callLog = CallLog()
    private let hasBegun = Signal()
    private let mayGoOn = Signal()

    private func code(of key: Int, in locator: Locator) async -> InjectleError? {
        await thrown { try await locator.resolveAsync(LoggedService.self, key: key) }
    }

    // MARK: In tasks

    @Test func `close cancels and awaits a running factory`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog, hasBegun, mayGoOn] in
                let isCancelled = Signal()
                await withTaskCancellationHandler {
                    hasBegun.set()
                    await isCancelled.reached()
                } onCancel: {
                    isCancelled.set()
                }
                await mayGoOn.reached()
                callLog.record("ended")
                try Task.checkCancellation()
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        async let error = thrown { [locator] in try await locator.resolveAsync(LoggedService.self) }
        await hasBegun.reached()
        let closing = await ProbeActor.startTask { [locator, callLog] _ in
            await locator.close()
            callLog.record("closed")
        }
        mayGoOn.set()
        try await closing.value
        #expect(await error == .locatorClosed)
        #expect(callLog.drain() == ["ended", "closed"])
    }

    @Test func `close disposes an instance created despite cancellation`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog, hasBegun] in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                return LoggedService("a", callLog)
            }.onDispose { service in
                await Task.yield()
                service.close()
            }
        )
        async let service = thrown { [locator] in try await locator.resolveAsync(LoggedService.self) }
        await hasBegun.reached()
        await locator.close()
        #expect(callLog.drain() == ["+a", "-a"])
        #expect(await service == nil)
    }

    @Test func `close cancels creations for children and scopes`() async throws {
        let child = locator.child()
        let begun = [Signal(), Signal(), Signal()]
        func make(_ index: Int) -> @Sendable () async throws -> LoggedService {
            { [callLog] in
                begun[index].set()
                while !Task.isCancelled { await Task.yield() }
                callLog.record("cancelled")
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
        #expect(callLog.drain() == ["cancelled", "cancelled", "cancelled"])
        for task in tasks { #expect(await task.value == .locatorClosed) }
    }

    // MARK: On threads

    @Test func `close awaits and disposes an instance created on a thread`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog, hasBegun, mayGoOn] in
                hasBegun.set()
                mayGoOn.wait()
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        async let name = onAnotherThread { [locator] in try? locator.resolve(LoggedService.self).name }
        await hasBegun.reached()
        let closing = await ProbeActor.startTask { [locator, callLog] _ in
            await locator.close()
            callLog.record("closed")
        }
        mayGoOn.set()
        try await closing.value
        #expect(await name == "a")
        #expect(callLog.drain() == ["+a", "-a", "closed"])
    }

    @Test func `A factory on a thread gets locatorClosed for new services`() async throws {
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("needed", callLog) }, key: "needed")
        // Fails at each resolve until the locator refuses.
        locator.register(.lazy(.anywhere) { () throws -> Int in throw CancellationError() })
        locator.register(
            .lazy(.anywhere) { [hasBegun, mayGoOn] locator in
                hasBegun.set()
                mayGoOn.wait()
                return try locator.resolve(LoggedService.self, key: "needed").name
            }
        )
        async let code = onAnotherThread { [locator] in thrown { try locator.resolve(String.self) } }
        await hasBegun.reached()
        async let closing = locator.close()
        while thrown(by: { try locator.resolve(Int.self) }) != .locatorClosed { await Task.yield() }
        mayGoOn.set()
        #expect(await closing.isEmpty)
        #expect(await code == .locatorClosed)
        #expect(callLog.drain() == [])
    }

    // MARK: Reentrancy

    @Test func `A factory that closes its locator does not deadlock`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("before", callLog) }.onDispose { $0.close() },
            key: "before"
        )
        _ = try locator.resolve(LoggedService.self, key: "before")
        locator.register(
            .lazy(.anywhere) { [callLog, weak locator] in
                await locator?.close()
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        // The close has disposed of the instance.
        #expect(await thrown { try await locator.resolveAsync(LoggedService.self) } == .locatorClosed)
        #expect(callLog.drain() == ["+before", "-before", "+a", "-a"])
        #expect(thrown { try locator.resolve(LoggedService.self) } == .locatorClosed)
    }

    @Test func `A child factory that closes the parent does not deadlock`() async throws {
        let child = locator.child()
        child.register(
            .lazy(.anywhere) { [callLog, locator] in
                await locator.close()
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        #expect(await thrown { try await child.resolveAsync(LoggedService.self) } == .locatorClosed)
        #expect(callLog.drain() == ["+a", "-a"])
    }

    // MARK: In other locators

    private func registerPool() {
        locator.register(
            .lazy(.anywhere) { [callLog] in LoggedService("pool", callLog) }.onDispose { $0.close() },
            key: "pool"
        )
    }

    /// Requests a service of a new child, whose async closure goes on at a signal, and releases the child.
    private func leaveCreation(_ register: (Locator) -> Void) async {
        let child = locator.child("request")
        register(child)
        child.register(
            .lazy(.anywhere) { [callLog, hasBegun, mayGoOn] locator in
                _ = try locator.resolve(LoggedService.self, key: "pool")
                _ = try locator.resolveOptional(LoggedService.self, key: "graph")
                hasBegun.set()
                await mayGoOn.reached()
                return LoggedService("a", callLog)
            }.onDispose { $0.close() }
        )
        let task = Task { await thrown { try await child.resolveAsync(LoggedService.self) } }
        await hasBegun.reached()
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    private func closeDuringCreation() async {
        let closing = Task { [locator, callLog] in
            await locator.close()
            callLog.record("closed")
        }
        for _ in 0..<100 { await Task.yield() }
        mayGoOn.set()
        await closing.value
    }

    @Test func `A close waits for a creation of a child that was released`() async {
        registerPool()
        await leaveCreation { _ in }
        await closeDuringCreation()
        #expect(callLog.drain() == ["+pool", "+a", "-a", "-pool", "closed"])
    }

    @Test func `A close ends the graph instances of a creation of a child that was released`() async {
        registerPool()
        await leaveCreation { child in
            child.register(
                .lazy(.anywhere) { [callLog] locator in
                    _ = try locator.resolve(LoggedService.self, key: "pool")
                    return LoggedService("graph", callLog)
                }
                .lifetime(.graph).onDispose { $0.close() },
                key: "graph"
            )
        }
        await closeDuringCreation()
        #expect(callLog.drain() == ["+pool", "+graph", "+a", "-graph", "-a", "-pool", "closed"])
    }
}
