import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Stop: Error {
    let name: String
}

private struct FixedScopeLifetime: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Page: NSObject, NSCopying {
    let callLog: CallLog
    init(_ callLog: CallLog) {
        self.callLog = callLog
        callLog.record("+prototype")
    }
    func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What `close()` disposes, and in which order.
@Suite struct CloseTests {
    private let locator = Locator("closing")
    private let callLog = CallLog()

    private func loggedService(_ name: String, _ lifetime: Locator.Lifetime = .lazy)
        -> Locator.Registration<LoggedService>
    {
        .lazy(.anywhere) { [callLog] in LoggedService(name, callLog) }.lifetime(lifetime).onDispose { $0.close() }
    }

    // MARK: The order

    @Test func `close disposes every lifetime in reverse order of creation`() async throws {
        let scope = Locator.Scope()
        locator.register(loggedService("lazy"), key: "lazy")
        locator.register(loggedService("perLocator", .perLocator), key: "perLocator")
        locator.register(loggedService("named", .perLocator(named: "closing")), key: "named")
        locator.register(loggedService("perArgument", .perArgument), key: "perArgument")
        locator.register(loggedService("custom", .custom(FixedScopeLifetime(scope: scope))), key: "custom")
        locator.register(loggedService("composite", .composite(.perLocator, .weak)), key: "composite")
        locator.register(
            .lazy(.anywhere) { [callLog] in
                await Task.yield()
                return LoggedService("async", callLog)
            }.onDispose { $0.close() },
            key: "async"
        )
        locator.register(.factory(Page(callLog)).onDispose { $0.callLog.record("-prototype") })
        let keys = ["custom", "perArgument", "composite", "async", "lazy", "named", "perLocator"]
        for key in keys.dropLast(2) { _ = try await locator.resolveAsync(LoggedService.self, key: key) }
        _ = try locator.resolve(Page.self)
        locator.register(.eager(LoggedService("eager", callLog)).onDispose { $0.close() }, key: "eager")
        for key in keys.suffix(2) { _ = try locator.resolve(LoggedService.self, key: key) }
        let created = callLog.drain()
        #expect(created.count == 9)
        #expect(created.dropFirst(5).prefix(2) == ["+prototype", "+eager"])
        #expect(await locator.close().isEmpty)
        #expect(callLog.drain() == created.reversed().map { "-" + $0.dropFirst() })
    }

    @Test func `close disposes a tree in one reverse order`() async throws {
        locator.register(loggedService("root"), key: "root")
        locator.register(loggedService("shared", .perLocator), key: "shared")
        let child = locator.child("child")
        let grandchild = child.child()
        child.register(loggedService("child"), key: "child")
        _ = try child.resolve(LoggedService.self, key: "shared")
        _ = try grandchild.resolve(LoggedService.self, key: "child")
        _ = try grandchild.resolve(LoggedService.self, key: "shared")
        _ = try grandchild.resolve(LoggedService.self, key: "root")
        let late = locator.child { $0.register(loggedService("late"), key: "late") }
        _ = try late.resolve(LoggedService.self, key: "late")
        _ = try locator.resolve(LoggedService.self, key: "shared")
        #expect(callLog.drain() == ["+shared", "+child", "+shared", "+root", "+late", "+shared"])
        await locator.close()
        #expect(callLog.drain() == ["-shared", "-late", "-root", "-shared", "-child", "-shared"])
    }

    @Test func `Sync and async disposers run in order of addition`() async throws {
        locator.register(
            .lazy(.anywhere) { 1 }
                .onDispose { [callLog] _ in callLog.record("first") }
                .onDispose { [callLog] _ in
                    await Task.yield()
                    callLog.record("second")
                }
                .onDispose { [callLog] _ in callLog.record("third") }
        )
        _ = try locator.resolve(Int.self)
        await locator.close()
        #expect(callLog.drain() == ["first", "second", "third"])
    }

    @Test func `Disposals do not overlap`() async throws {
        for name in ["a", "b"] {
            locator.register(
                .lazy(.anywhere) { name }.onDispose { [callLog] _ in
                    callLog.record("begin \(name)")
                    for _ in 0..<10 { await Task.yield() }
                    callLog.record("end \(name)")
                },
                key: name
            )
            _ = try locator.resolve(String.self, key: name)
        }
        await locator.close()
        #expect(callLog.drain() == ["begin b", "end b", "begin a", "end a"])
    }

    // MARK: Errors

    @Test func `close collects the errors of all disposers`() async throws {
        for name in ["a", "b"] {
            locator.register(
                loggedService(name)
                    .onDispose { _ in throw Stop(name: "\(name)1") }
                    .onDispose { _ in
                        await Task.yield()
                        throw Stop(name: "\(name)2")
                    }
                    .onDispose { [callLog] _ in callLog.record("last of \(name)") },
                key: name
            )
            _ = try locator.resolve(LoggedService.self, key: name)
        }
        let errors = await locator.close()
        #expect(errors.map { ($0.underlying as? Stop)?.name } == ["b1", "b2", "a1", "a2"])
        #expect(errors.allSatisfy { $0 == .disposalFailed })
        #expect(errors.map(\.identity?.key) == ["b", "b", "a", "a"])
        #expect(callLog.drain() == ["+a", "+b", "-b", "last of b", "-a", "last of a"])
        let text = try #require(errors.first).description
        #expect(text.contains("LoggedService"))
        #expect(text.contains(": Stop(name: \"b1\")"))
        #expect(text.contains("CloseTests.swift"))
    }

    // MARK: Repeated close

    @Test func `A second close does nothing and returns the same errors`() async throws {
        locator.register(loggedService("a").onDispose { throw Stop(name: $0.name) })
        _ = try locator.resolve(LoggedService.self)
        let errors = await locator.close()
        #expect(errors.count == 1)
        #expect(await locator.close() == errors)
        #expect(callLog.drain() == ["+a", "-a"])
    }

    @Test func `Concurrent closes wait and return the same errors`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        let child = locator.child()
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { [callLog] _ in
                hasBegun.set()
                await mayGoOn.reached()
                callLog.record("disposed of")
                throw Stop(name: "a")
            }
        )
        _ = try locator.resolve(Int.self)
        async let first = locator.close()
        await hasBegun.reached()
        var others: [Task<[InjectleError], any Error>] = []
        for locator in [locator, child] {
            // A child has no part in the errors of its parent.
            others.append(
                await ProbeActor.startTask { [callLog] _ in
                    let errors = await locator.close()
                    callLog.record("closed")
                    return errors
                }
            )
        }
        #expect(callLog.drain() == [])
        mayGoOn.set()
        let errors = await first
        #expect(errors.count == 1)
        #expect(try await others[0].value == errors)
        #expect(try await others[1].value == [])
        #expect(callLog.drain() == ["disposed of", "closed", "closed"])
    }

    @Test func `close continues in a cancelled task`() async throws {
        locator.register(loggedService("a").onDispose { _ in await Task.yield() })
        _ = try locator.resolve(LoggedService.self)
        let task = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await locator.close()
        }
        #expect(await task.value.isEmpty)
        #expect(callLog.drain() == ["+a", "-a"])
    }

    // MARK: Reentrancy

    @Test func `A disposer that closes its locator does not deadlock`() async throws {
        locator.register(
            loggedService("a").onDispose { [weak locator, callLog] _ in
                let errors = await locator?.close()
                callLog.record("\(errors?.count ?? -1)")
                throw Stop(name: "a")
            }
        )
        _ = try locator.resolve(LoggedService.self)
        #expect(await locator.close().count == 1)
        #expect(callLog.drain() == ["+a", "-a", "0"])
    }

    @Test func `A disposer of a child may close the parent`() async throws {
        let child = locator.child()
        locator.register(loggedService("parent"), key: "parent")
        child.register(loggedService("first"), key: "first")
        child.register(loggedService("second").onDispose { [locator] _ in await locator.close() }, key: "second")
        _ = try locator.resolve(LoggedService.self, key: "parent")
        _ = try child.resolve(LoggedService.self, key: "first")
        _ = try child.resolve(LoggedService.self, key: "second")
        await child.close()
        await locator.close()
        #expect(callLog.drain() == ["+parent", "+first", "+second", "-second", "-first", "-parent"])
    }

    @Test func `Disposers that close each other's locators do not deadlock`() async throws {
        let other = Locator("other")
        locator.register(loggedService("a").onDispose { _ in await other.close() })
        other.register(loggedService("b").onDispose { [weak locator] _ in await locator?.close() })
        _ = try locator.resolve(LoggedService.self)
        _ = try other.resolve(LoggedService.self)
        await locator.close()
        #expect(callLog.drain() == ["+a", "+b", "-a", "-b"])
    }

    // MARK: Other locators

    @Test func `close leaves the instances of other locators in a scope`() async throws {
        let scope = Locator.Scope()
        let other = Locator()
        locator.register(loggedService("a", .custom(FixedScopeLifetime(scope: scope))))
        other.register(loggedService("b", .custom(FixedScopeLifetime(scope: scope))))
        _ = try locator.resolve(LoggedService.self)
        let service = try other.resolve(LoggedService.self)
        await locator.close()
        #expect(callLog.drain() == ["+a", "+b", "-a"])
        #expect(try other.resolve(LoggedService.self) === service)
        await other.close()
        #expect(callLog.drain() == ["-b"])
    }

    @Test func `Closing a child leaves the instances of its ancestor`() async throws {
        let child = locator.child()
        locator.register(loggedService("parent's", .perLocator), key: "parent's")
        child.register(loggedService("child's", .perLocator(named: "closing")))
        _ = try child.resolve(LoggedService.self)
        let service = try locator.resolve(LoggedService.self, key: "parent's")
        await child.close()
        #expect(callLog.drain() == ["+child's", "+parent's", "-child's"])
        #expect(thrown { try child.resolve(LoggedService.self, key: "parent's") } == .locatorClosed)
        #expect(thrown { try child.child().resolve(LoggedService.self, key: "parent's") } == .locatorClosed)
        #expect(try locator.resolve(LoggedService.self, key: "parent's") === service)
        await locator.close()
        #expect(callLog.drain() == ["-parent's"])
    }

    @Test func `Closing a child does not cancel creations of its ancestor`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        let child = locator.child()
        locator.register(
            .lazy(.anywhere) { [callLog] in
                hasBegun.set()
                await mayGoOn.reached()
                try Task.checkCancellation()
                return LoggedService("parent's", callLog)
            }.lifetime(.perLocator),
            key: "parent's"
        )
        child.register(loggedService("child's", .perLocator(named: "closing")))
        _ = try child.resolve(LoggedService.self)
        async let service = locator.resolveAsync(LoggedService.self, key: "parent's")
        await hasBegun.reached()
        await child.close()
        mayGoOn.set()
        #expect(try await service.name == "parent's")
    }

    @Test func `A close of many nested children does not overflow the stack`() async {
        var innermost = locator
        for _ in 0..<20_000 { innermost = innermost.child() }
        await locator.close()
        #expect(thrown { try innermost.resolve(Int.self) } == .locatorClosed)
    }
}
