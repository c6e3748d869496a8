import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Broken: Error, Equatable {}

/// `run`: a start, a body, and a close.
@Suite struct RunTests {
    private let locator = Locator("run")
    private let callLog = CallLog()

    private func registerDatabase() {
        locator.register(
            .lazy { [callLog] () async -> LoggedService in LoggedService("database", callLog) }
                .onDispose { $0.close() }
        )
    }

    // MARK: With a body

    @Test func `run starts, calls its body, and closes`() async throws {
        registerDatabase()
        let name = try await locator.run { [locator, callLog] in
            callLog.record("body")
            return try locator.resolve(LoggedService.self).name
        }
        #expect(name == "database")
        #expect(callLog.drain().filter { $0 != "+database" } == ["body", "-database"])
        #expect(thrown { try locator.resolve(LoggedService.self) } == .locatorClosed)
    }

    @Test func `run closes after a body that throws`() async throws {
        registerDatabase()
        await #expect(throws: Broken()) {
            try await locator.run { [locator] in
                _ = try locator.resolve(LoggedService.self)
                throw Broken()
            }
        }
        #expect(callLog.drain().last == "-database")
    }

    @Test func `the body does not run after a start that fails`() async throws {
        registerDatabase()
        locator.register(.lazy { () async throws -> Int in throw Broken() })
        let error = await thrown {
            try await locator.run { [callLog] in callLog.record("body") }
        }
        #expect(error?.underlying as? Broken == Broken())
        #expect(!callLog.drain().contains("body"))
        #expect(thrown { try locator.resolve(Int.self) } == .locatorClosed)
    }

    @Test func `a start that takes too long ends the run`() async throws {
        locator.register(
            .lazy { () async throws -> Int in
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
        )
        let error = await thrown { try await locator.run(timeout: .milliseconds(1)) {} }
        #expect(error == .startTimedOut)
    }

    @Test func `the cancellation of the run cancels its body`() async throws {
        registerDatabase()
        let hasBegun = Signal()
        let running = Task { [locator, callLog] in
            try await locator.run {
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                callLog.record("cancelled")
                return 7
            }
        }
        await hasBegun.reached()
        running.cancel()
        #expect(try await running.value == 7)
        #expect(callLog.drain().suffix(2) == ["cancelled", "-database"])
    }

    @Test func `a locator that other code closes ends the run`() async throws {
        let hasBegun = Signal()
        let running = Task { [locator] in
            try await locator.run {
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
            }
        }
        await hasBegun.reached()
        await locator.close()
        try await running.value
    }

    @Test func `a closed locator does not run`() async throws {
        await locator.close()
        let error = await thrown { try await locator.run { [callLog] in callLog.record("body") } }
        #expect(error == .locatorClosed)
        #expect(callLog.drain().isEmpty)
    }

    // MARK: Without a body

    @Test func `run without a body returns after its cancellation`() async throws {
        registerDatabase()
        locator.register(
            .lazy { [callLog] in Signalling(callLog) }.running {
                $0.hasBegun.set(); await $0.untilCancelled()
            }
        )
        let running = Task { [locator] in try await locator.run() }
        // Both exist before the cancellation, which may end the start.
        _ = try await locator.resolveAsync(LoggedService.self)
        try await locator.resolveAsync(Signalling.self).hasBegun.reached()
        running.cancel()
        try await running.value
        #expect(callLog.drain().filter { $0.hasPrefix("-") } == ["-database"])
        #expect(thrown { try locator.resolve(Int.self) } == .locatorClosed)
    }

    @Test func `a cancellation during the start is no error without a body`() async throws {
        let hasBegun = Signal()
        locator.register(
            .lazy { () async throws -> Int in
                hasBegun.set()
                while !Task.isCancelled { await Task.yield() }
                throw CancellationError()
            }
        )
        let running = Task { [locator] in try await locator.run() }
        await hasBegun.reached()
        running.cancel()
        try await running.value
    }

    // MARK: Running services

    @Test func `a running closure that throws ends the run with its error`() async throws {
        let mayFail = Signal()
        locator.register(
            .lazy { [callLog] in Signalling(callLog) }.running { _ in
                await mayFail.reached()
                throw Broken()
            }
        )
        let error = await thrown {
            try await locator.run { [callLog] in
                mayFail.set()
                while !Task.isCancelled { await Task.yield() }
                callLog.record("body cancelled")
            }
        }
        #expect(error == .factoryFailed)
        #expect(error?.underlying as? Broken == Broken())
        #expect(error?.identity == Locator.Identity(Signalling.self))
        #expect(callLog.drain() == ["body cancelled"])
    }

    @Test func `a running closure that returns early ends the run`() async throws {
        locator.register(.lazy { [callLog] in Signalling(callLog) }.running { _ in })
        let error = await thrown { try await locator.run() }
        #expect(error == .factoryFailed)
        #expect(error?.underlying == nil)
        let text = try #require(error?.description)
        #expect(text.contains("returned before the locator \"run\" was closed."))
        #expect(text.contains("fix         return from the `running` closure only when its task is cancelled"))
    }

    @Test func `a service that has failed before ends a run at once`() async throws {
        let ended = Signal()
        let service = Signalling(callLog)
        locator.register(
            .eager(service).running { _ in
                ended.set()
                throw Broken()
            }
        )
        await ended.reached()
        let error = await thrown {
            try await locator.run { while !Task.isCancelled { await Task.yield() } }
        }
        #expect(error == .factoryFailed)
    }

    @Test func `the early end of a service is written to standard error if its locator does not run`() async {
        await #expect(processExitsWith: .success) {
            let pipe = Pipe()
            dup2(pipe.fileHandleForWriting.fileDescriptor, 2)
            let locator = Locator("started")
            locator.register(.eager(Broken()).running { service in throw service })
            // Blocks until there is a text.
            let text = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
            let start = "The `running` closure of InjectleTests.Broken threw an error: Broken()\n  registered  in "
            exit(text.hasPrefix(start) ? 0 : 1)
        }
    }

    @Test func `the error of a service outweighs the error of the body that it causes`() async throws {
        let failed = Signal()
        locator.register(
            .lazy { [callLog] in Signalling(callLog) }.running { _ in
                await failed.reached()
                throw Broken()
            }
        )
        struct NoConnection: Error {}
        let error = await thrown {
            try await locator.run {
                failed.set()
                while !Task.isCancelled { await Task.yield() }
                throw NoConnection()
            }
        }
        #expect(error == .factoryFailed)
    }

    // MARK: Children

    @Test func `run closes its locator after the last child`() async throws {
        registerDatabase()
        let bodyEnded = Signal()
        let (closesFirst, closesSecond) = (Signal(), Signal())
        let hasChildren = Barrier(3)
        let running = Task { [locator] in
            try await locator.run {
                await hasChildren.arrive()
                bodyEnded.set()
            }
        }
        let requests = [("first", closesFirst), ("second", closesSecond)].map { name, signal in
            Task { [locator, callLog] in
                try await locator.withChild(name) { child in
                    await hasChildren.arrive()
                    await signal.reached()
                    _ = try child.resolve(LoggedService.self)
                    callLog.record(name)
                }
            }
        }
        await bodyEnded.reached()
        closesFirst.set()
        try await requests[0].value
        closesSecond.set()
        try await requests[1].value
        try await running.value
        #expect(callLog.drain().filter { $0 != "+database" } == ["first", "second", "-database"])
    }

    @Test func `a released child ends the wait, too`() async throws {
        registerDatabase()
        let isWaiting = Signal()
        let kept = Guarded<Locator?>(locator.child("kept"))
        let running = Task { [locator] in
            try await locator.run(gracePeriod: nil) { isWaiting.set() }
        }
        await isWaiting.reached()
        kept.withLock { $0 = nil }
        try await running.value
        #expect(callLog.drain().last == "-database")
    }

    @Test func `run reports the children that outlive the grace period, and closes them`() async throws {
        let (first, second) = (locator.child("session"), locator.child("session"))
        let other = locator.child("admin")
        let errors = Guarded<[InjectleError]>([])
        try await locator.run(
            gracePeriod: .milliseconds(1),
            onDisposalErrors: { all in errors.withLock { $0 = all } }
        ) {}
        let error = try #require(errors.withLock { $0.first })
        #expect(error == .locatorClosed)
        #expect(error.description.contains("open          the locator \"admin\"\n"))
        #expect(error.description.contains("open          2 times the locator \"session\"\n"))
        for child in [first, second, other] {
            #expect(thrown { try child.resolve(Int.self) } == .locatorClosed)
        }
    }

    @Test func `run reports the errors of hooks`() async throws {
        locator.register(.eager(1).onDispose { _ in throw Broken() })
        let errors = Guarded<[InjectleError]>([])
        try await locator.run(onDisposalErrors: { all in errors.withLock { $0 = all } }) {}
        #expect(errors.withLock { $0 } == [.disposalFailed])
    }

    @Test func `a request of a body that ends late meets an open locator`() async throws {
        // As a server whose group fails: the body is cancelled, and still has requests.
        let failing = Signal()
        locator.register(
            .lazy { [callLog] in Signalling(callLog) }.running { _ in
                await failing.reached()
                throw Broken()
            }
        )
        let served = Counter()
        let error = await thrown {
            try await locator.run { [locator] in
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            while !Task.isCancelled {
                                failing.set()
                                await Task.yield()
                            }
                            for _ in 0..<50 {
                                let isOpen = await locator.withChild("request") { child in
                                    await Task.yield()
                                    return (try? child.resolve(Signalling.self)) != nil
                                }
                                if isOpen { served.increment() }
                            }
                        }
                    }
                }
            }
        }
        #expect(error == .factoryFailed)
        #expect(served.value == 200)
    }
}

/// A service that tests can follow.
private final class Signalling: Sendable {
    let hasBegun = Signal()
    private let callLog: CallLog

    init(_ callLog: CallLog) { self.callLog = callLog }

    func untilCancelled() async { while !Task.isCancelled { await Task.yield() } }
}
