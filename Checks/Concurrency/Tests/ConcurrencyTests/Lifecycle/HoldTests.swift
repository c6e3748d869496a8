import Foundation
@testable import Injectle
import InjectleTestSupport
import Testing

private struct User: Equatable, Sendable { var name = "Ada" }

private final class Mailer: Sendable {
    let user = Inject<User>()
    let optionalUser = Optject<User>()
}

/// Work that outlives the request that started it.
@Suite struct HoldTests {
    private let server = Locator("server")
    private let callLog = CallLog()
    /// Reached when the request has returned.
    private let hasReturned = Signal()

    init() {
        server.register(
            .lazy { [callLog] in LoggedService("pool", callLog) }.lifetime(.perLocator(named: "request"))
                .onDispose { $0.close() }
        )
        server.register(.lazy { Mailer() }.lifetime(.perLocator(named: "request")))
    }

    /// A request that starts work, and returns before the work does anything.
    private func respond<Work>(_ start: (Locator) throws -> Work) async rethrows -> Work {
        let work = try await server.withChild("request", { $0.register(.eager(User())) }) { request in
            _ = try? request.resolve(LoggedService.self)
            return try start(request)
        }
        hasReturned.set()
        return work
    }

    private func expectOpen(_ request: Locator) {
        #expect(thrown { try request.resolve(User.self) } == nil)
        #expect(callLog.drain() == ["+pool"])
    }

    private func expectClosed(_ request: Locator) async {
        while thrown(by: { try request.resolve(User.self) }) != .locatorClosed { await Task.yield() }
        #expect(callLog.drain() == ["-pool"])
    }

    // MARK: The ways to outlive a request

    @Test func `A task keeps its request open`() async throws {
        let work = await respond { request in
            let hold = request.hold()
            return Task {
                await hasReturned.reached()
                return await hold.run { request in
                    expectOpen(request)
                    return request
                }
            }
        }
        await expectClosed(work.value)
    }

    @Test func `A detached task keeps its request open, which is the current locator`() async throws {
        let work = await respond { request in
            let hold = request.hold()
            return Task.detached { [self] in
                await hasReturned.reached()
                return await hold.run { request in
                    #expect(Locator.shared === request)
                    expectOpen(request)
                    return request
                }
            }
        }
        await expectClosed(work.value)
    }

    @Test func `A callback on another thread keeps its request open`() async throws {
        let callback = await respond { request in
            let hold = request.hold()
            return { @Sendable [self] in
                expectOpen(hold.locator)
                hold.release()
                return hold.locator
            }
        }
        await expectClosed(onAnotherThread(callback))
    }

    @Test func `A stream keeps its request open until it is released`() async throws {
        let request = Guarded<Locator?>(nil)
        do {
            let body = await respond { child in
                let hold = child.hold()
                request.withLock { $0 = child }
                return AsyncStream(unfolding: { [count = Counter()] in
                    count.increment() > 2 ? nil : try? hold.locator.resolve(User.self).name
                })
            }
            expectOpen(try #require(request.value))
            var chunks: [String] = []
            for await chunk in body { chunks.append(chunk) }
            #expect(chunks == ["Ada", "Ada"])
        }
        await expectClosed(try #require(request.value))
    }

    @Test func `An object that outlives its request without a hold reads nil, or throws`() async throws {
        let mailer = try await respond { try $0.resolve(Mailer.self) }
        #expect(callLog.drain() == ["+pool", "-pool"])
        #expect(mailer.optionalUser() == nil)
        #expect(thrown { try mailer.user.resolve() } == .locatorClosed)
    }

    @Test func `A task without a hold gets an error`() async throws {
        let work = await respond { request in
            Task {
                await hasReturned.reached()
                return thrown { try Locator.shared.resolve(User.self) }
            }
        }
        #expect(await work.value == .locatorClosed)
    }

    // MARK: Closing

    @Test func `The last of several holds closes the request`() async throws {
        let holds = await respond { [$0.hold(), $0.hold()] }
        holds[0].release()
        holds[0].release()
        expectOpen(holds[1].locator)
        holds[1].release()
        await expectClosed(holds[1].locator)
    }

    @Test func `A close waits for all holds, also in a cancelled task`() async throws {
        let locator = Locator("session")
        locator.register(.eager(User()))
        let hold = locator.hold()
        let closing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await locator.close()
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(thrown { try locator.resolve(User.self) } == nil)
        hold.release()
        await closing.value
        #expect(thrown { try locator.resolve(User.self) } == .locatorClosed)
    }

    @Test func `A close in the work of a hold does not wait for it`() async throws {
        let locator = Locator("session")
        let errors = await inTime { await locator.hold().run { await $0.close() } }
        #expect(errors?.isEmpty == true)
    }

    @Test func `A run in the work of a hold does not wait for it, and does not name it`() async {
        let locator = Locator("session")
        let errors = Guarded<[InjectleError]>([])
        let isDone = await inTime {
            try? await locator.hold().run { session in
                try await session.run(
                    gracePeriod: .milliseconds(1),
                    onDisposalErrors: { found in errors.withLock { $0 = found } }
                ) {}
                return true
            }
        }
        #expect(isDone == true)
        #expect(errors.value == [])
    }

    @Test func `A run without a limit in the work of a hold returns`() async {
        let locator = Locator("session")
        let isDone: Bool?? = await inTime {
            try? await locator.hold().run { session in
                try await session.run(gracePeriod: nil) { true }
            }
        }
        #expect(isDone == .some(.some(true)))
    }

    @Test func `A hook that closes its locator does not wait for the hold whose work closes it`() async {
        let locator = Locator("session")
        locator.register(.eager(User()).onDispose { _ async in await locator.close() })
        let errors = await inTime { await locator.hold().run { await $0.close() } }
        #expect(errors?.isEmpty == true)
    }

    @Test func `A creation that closes its locator does not wait for the hold whose work requests it`() async {
        let locator = Locator("session")
        locator.register(
            .lazy(.anywhere) { () async -> User in
                await locator.close()
                return User()
            }
        )
        let result = await inTime { await locator.hold().run { request in try? await request.resolveAsync(User.self) } }
        #expect(result != nil)
    }

    @Test func `A hold that its own work has released is not another one for its close`() async {
        let (locator, other) = (Locator("session"), Signal())
        let (own, left) = (locator.hold(), locator.hold())
        let closing = Task {
            await own.run { locator in
                own.release()
                other.set()
                await locator.close()
            }
        }
        await other.reached()
        for _ in 0..<100 { await Task.yield() }
        #expect(thrown { try locator.resolveOptional(User.self) } == nil)
        left.release()
        await closing.value
        #expect(thrown { try locator.resolveOptional(User.self) } == .locatorClosed)
    }

    @Test func `Two closes in the work of one hold wait for another hold`() async {
        let locator = Locator("session")
        let (own, left) = (locator.hold(), locator.hold())
        let closing = Task {
            await own.run { locator in
                async let first = locator.close()
                async let second = locator.close()
                _ = await (first, second)
            }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(thrown { try locator.resolveOptional(User.self) } == nil)
        left.release()
        await closing.value
        #expect(thrown { try locator.resolveOptional(User.self) } == .locatorClosed)
    }

    @Test func `The last hold of a child has the grace period of the child`() async throws {
        let (begun, goOn, ended) = (Signal(), Signal(), Signal())
        let hold = await server.withChild(
            "request",
            { request in
                request.register(
                    .eager(User()).onDispose { _ async in
                        begun.set()
                        await goOn.reached()
                        ended.set()
                    }
                )
            },
            gracePeriod: .milliseconds(1)
        ) { $0.hold() }
        let request = hold.locator
        hold.release()
        await begun.reached()
        // The grace period of the child is over long before the default one is.
        let isClosed = await inTime {
            while thrown(by: { try request.resolveOptional(User.self) }) != .locatorClosed { await Task.yield() }
            return true
        }
        #expect(isClosed == true)
        goOn.set()
        await ended.reached()
    }

    @Test func `The last hold closes its request, and no hold that is taken later`() async {
        let hold = await server.withChild("request") { $0.hold() }
        hold.release()
        // A second close would report the errors of the first one again.
        #expect(hold.locator.core.state.withLock { $0.extras?.closeAfterHolds } == nil)
    }

    @Test func `Works of two holds that close their request end it`() async {
        let (first, second) = (server.child("request").hold(), Signal())
        let request = first.locator
        let other = request.hold()
        async let closed = inTime {
            await first.run { request in
                second.set()
                return await request.close()
            }
        }
        async let otherClosed = inTime {
            await other.run { request in
                await second.reached()
                return await request.close()
            }
        }
        #expect(await closed?.isEmpty == true)
        #expect(await otherClosed?.isEmpty == true)
    }

    @Test func `A task that the work of a hold starts waits for other holds when it closes`() async {
        let locator = Locator("session")
        locator.register(.eager(User()))
        let begin = Signal()
        let closing = await locator.hold().run { locator in
            Task {
                await begin.reached()
                await locator.close()
            }
        }
        let other = locator.hold()
        begin.set()
        for _ in 0..<100 { await Task.yield() }
        #expect(thrown { try locator.resolve(User.self) } == nil)
        other.release()
        await closing.value
        #expect(thrown { try locator.resolve(User.self) } == .locatorClosed)
    }

    @Test func `run waits for the work of a request, and for its own`() async throws {
        let (started, finish) = (Signal(), Signal())
        let running = Task { [server] in
            try await server.run(gracePeriod: nil) {
                let own = server.hold()
                await server.withChild("request") { request in
                    let hold = request.hold()
                    Task.detached {
                        await hold.run { _ in
                            started.set()
                            await finish.reached()
                        }
                    }
                }
                Task.detached {
                    await finish.reached()
                    own.release()
                }
            }
        }
        await started.reached()
        #expect(thrown { try server.resolveOptional(User.self) } == nil)
        finish.set()
        try await running.value
        #expect(thrown { try server.resolve(User.self) } == .locatorClosed)
    }

    @Test func `run closes what is held longer than the grace period, and names the holds`() async throws {
        let hold = server.child("request").hold()
        let line = #line - 1
        let error = await thrown { try await server.run(gracePeriod: .milliseconds(1)) {} }
        #expect(error == .disposalFailed)
        let text = error?.description ?? ""
        #expect(text.hasPrefix("A hold still kept the locator \"server\" open after 0.001 seconds, and it was closed."))
        #expect(text.contains("taken  in ConcurrencyTests/HoldTests.swift:\(line)\n"), "\(text)")
        #expect(thrown { try hold.locator.resolve(User.self) } == .locatorClosed)
    }

    @Test func `A close with a grace period names the holds that are left, and closes`() async {
        let hold = server.hold()
        let line = #line - 1
        let errors = await server.close(gracePeriod: .milliseconds(1))
        #expect(errors == [.disposalFailed])
        #expect(errors.first?.description.contains("ConcurrencyTests/HoldTests.swift:\(line)\n") == true)
        #expect(thrown { try hold.locator.resolve(User.self) } == .locatorClosed)
    }

    @Test func `run names no hold that was released in time`() async throws {
        let left = server.hold()
        server.hold().release()
        var errors: [InjectleError] = []
        try await server.run(gracePeriod: .milliseconds(1), onDisposalErrors: { errors = $0 }) {}
        #expect(errors.count == 1)
        #expect(errors.first?.description.contains("A hold still kept") == true)
        left.release()
    }
}
