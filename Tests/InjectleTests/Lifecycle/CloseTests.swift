import Foundation
import Injectle
import InjectleTestSupport
import Testing

private struct Stop: Error {
    let name: String
}

private struct Kept: Locator.CustomLifetime {
    let scope: Locator.Scope
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

private final class Page: NSObject, NSCopying {
    let diary: Diary
    init(_ diary: Diary) {
        self.diary = diary
        diary.note("+prototype")
    }
    func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What `close()` disposes of, and in which order.
@Suite struct CloseTests {
    private let locator = Locator("closing")
    private let diary = Diary()

    private func part(_ name: String, _ lifetime: Locator.Lifetime = .lazy) -> Locator.Registration<Part> {
        .lazy(.anywhere) { [diary] in Part(name, diary) }.lifetime(lifetime).onDispose { $0.close() }
    }

    // MARK: The order

    @Test func `close disposes every lifetime in reverse order of creation`() async throws {
        let scope = Locator.Scope()
        locator.register(part("lazy"), key: "lazy")
        locator.register(part("perLocator", .perLocator), key: "perLocator")
        locator.register(part("named", .perLocator(named: "closing")), key: "named")
        locator.register(part("perArgument", .perArgument), key: "perArgument")
        locator.register(part("custom", .custom(Kept(scope: scope))), key: "custom")
        locator.register(part("composite", .composite(.perLocator, .weak)), key: "composite")
        locator.register(
            .lazy(.anywhere) { [diary] in
                await Task.yield()
                return Part("async", diary)
            }.onDispose { $0.close() },
            key: "async"
        )
        locator.register(.factory(Page(diary)).onDispose { $0.diary.note("-prototype") })
        let keys = ["custom", "perArgument", "composite", "async", "lazy", "named", "perLocator"]
        for key in keys.dropLast(2) { _ = try await locator.resolveAsync(Part.self, key: key) }
        _ = try locator.resolve(Page.self)
        locator.register(.eager(Part("eager", diary)).onDispose { $0.close() }, key: "eager")
        for key in keys.suffix(2) { _ = try locator.resolve(Part.self, key: key) }
        let made = diary.take()
        #expect(made.count == 9)
        #expect(made.dropFirst(5).prefix(2) == ["+prototype", "+eager"])
        #expect(await locator.close().isEmpty)
        #expect(diary.take() == made.reversed().map { "-" + $0.dropFirst() })
    }

    @Test func `close disposes a tree in one reverse order`() async throws {
        locator.register(part("root"), for: "root")
        locator.register(part("shared", .perLocator), for: "shared")
        let child = locator.child("child")
        let grandchild = child.child()
        child.register(part("child"), key: "child")
        _ = try child.resolve(Part.self, key: "shared")
        _ = try grandchild.resolve(Part.self, key: "child")
        _ = try grandchild.resolve(Part.self, key: "shared")
        _ = try grandchild.resolve(Part.self, key: "root")
        // One that came later.
        let late = locator.child { $0.register(part("late"), key: "late") }
        _ = try late.resolve(Part.self, key: "late")
        _ = try locator.resolve(Part.self, key: "shared")
        #expect(diary.take() == ["+shared", "+child", "+shared", "+root", "+late", "+shared"])
        await locator.close()
        #expect(diary.take() == ["-shared", "-late", "-root", "-shared", "-child", "-shared"])
    }

    @Test func `Disposal order follows creation and not registration`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                _ = try locator.resolve(Part.self, key: "inner")
                return Part("outer", diary)
            }.onDispose { $0.close() },
            key: "outer"
        )
        locator.register(part("inner"), key: "inner")
        _ = try locator.resolve(Part.self, key: "outer")
        await locator.close()
        #expect(diary.take() == ["+inner", "+outer", "-outer", "-inner"])
    }

    @Test func `Sync and async disposers run in order of addition`() async throws {
        locator.register(
            .lazy(.anywhere) { 1 }
                .onDispose { [diary] _ in diary.note("first") }
                .onDispose { [diary] _ in
                    await Task.yield()
                    diary.note("second")
                }
                .onDispose { [diary] _ in diary.note("third") }
        )
        _ = try locator.resolve(Int.self)
        await locator.close()
        #expect(diary.take() == ["first", "second", "third"])
    }

    @Test func `Disposals do not overlap`() async throws {
        for name in ["a", "b"] {
            locator.register(
                .lazy(.anywhere) { name }.onDispose { [diary] _ in
                    diary.note("begin \(name)")
                    for _ in 0..<10 { await Task.yield() }
                    diary.note("end \(name)")
                },
                key: name
            )
            _ = try locator.resolve(String.self, key: name)
        }
        await locator.close()
        #expect(diary.take() == ["begin b", "end b", "begin a", "end a"])
    }

    // MARK: Errors

    @Test func `close collects the errors of all disposers`() async throws {
        for name in ["a", "b"] {
            locator.register(
                part(name)
                    .onDispose { _ in throw Stop(name: "\(name)1") }
                    .onDispose { _ in
                        await Task.yield()
                        throw Stop(name: "\(name)2")
                    }
                    .onDispose { [diary] _ in diary.note("last of \(name)") },
                key: name
            )
            _ = try locator.resolve(Part.self, key: name)
        }
        let errors = await locator.close()
        #expect(errors.map { ($0.underlying as? Stop)?.name } == ["b1", "b2", "a1", "a2"])
        #expect(errors.allSatisfy { $0.code == InjectleError.disposalFailed })
        #expect(errors.map(\.identity.key) == ["b", "b", "a", "a"])
        #expect(diary.take() == ["+a", "+b", "-b", "last of b", "-a", "last of a"])
        let text = try #require(errors.first).description
        #expect(text.contains("Part"))
        #expect(text.contains("could not be disposed of: Stop(name: \"b1\")"))
        #expect(text.contains("CloseTests.swift"))
    }

    // MARK: Again

    @Test func `A second close does nothing and returns the same errors`() async throws {
        locator.register(part("a").onDispose { throw Stop(name: $0.name) })
        _ = try locator.resolve(Part.self)
        let errors = await locator.close()
        #expect(errors.count == 1)
        #expect(await locator.close() == errors)
        #expect(diary.take() == ["+a", "-a"])
    }

    @Test func `Concurrent closes wait and return the same errors`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        let child = locator.child()
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { [diary] _ in
                hasBegun.set()
                await mayGoOn.reached()
                diary.note("disposed of")
                throw Stop(name: "a")
            }
        )
        _ = try locator.resolve(Int.self)
        async let first = locator.close()
        await hasBegun.reached()
        let others = [locator, child].map { locator in
            Task { [diary] in
                let errors = await locator.close()
                diary.note("closed")
                return errors
            }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(diary.take() == [])
        mayGoOn.set()
        let errors = await first
        #expect(errors.count == 1)
        for other in others { #expect(await other.value == errors) }
        #expect(diary.take() == ["disposed of", "closed", "closed"])
    }

    @Test func `close continues in a cancelled task`() async throws {
        locator.register(part("a").onDispose { _ in await Task.yield() })
        _ = try locator.resolve(Part.self)
        let task = Task { [locator] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await locator.close()
        }
        #expect(await task.value.isEmpty)
        #expect(diary.take() == ["+a", "-a"])
    }

    // MARK: From within

    @Test func `A disposer that closes its locator does not deadlock`() async throws {
        locator.register(
            part("a").onDispose { [weak locator, diary] _ in
                let errors = await locator?.close()
                diary.note("\(errors?.count ?? -1)")
                throw Stop(name: "a")
            }
        )
        _ = try locator.resolve(Part.self)
        #expect(await locator.close().count == 1)
        #expect(diary.take() == ["+a", "-a", "0"])
    }

    @Test func `A disposer that closes a child does not deadlock`() async throws {
        let child = locator.child()
        child.register(part("child"))
        locator.register(part("a").onDispose { _ in await child.close() }, key: "a")
        _ = try child.resolve(Part.self)
        _ = try locator.resolve(Part.self, key: "a")
        await locator.close()
        #expect(diary.take() == ["+child", "+a", "-a", "-child"])
    }

    @Test func `A disposer of a child may close the parent`() async throws {
        let child = locator.child()
        locator.register(part("parent"), key: "parent")
        child.register(part("first"), key: "first")
        child.register(part("second").onDispose { [locator] _ in await locator.close() }, key: "second")
        _ = try locator.resolve(Part.self, key: "parent")
        _ = try child.resolve(Part.self, key: "first")
        _ = try child.resolve(Part.self, key: "second")
        await child.close()
        await locator.close()
        #expect(diary.take() == ["+parent", "+first", "+second", "-second", "-first", "-parent"])
    }

    @Test func `Disposers that close each other's locators do not deadlock`() async throws {
        let other = Locator("other")
        locator.register(part("a").onDispose { _ in await other.close() })
        other.register(part("b").onDispose { [weak locator] _ in await locator?.close() })
        _ = try locator.resolve(Part.self)
        _ = try other.resolve(Part.self)
        await locator.close()
        #expect(diary.take() == ["+a", "+b", "-a", "-b"])
    }

    @Test func `A disposer awaits the close of another locator`() async throws {
        let other = Locator("other")
        locator.register(
            part("a").onDispose { [diary] _ in
                await other.close()
                diary.note("closed")
            }
        )
        other.register(part("b").onDispose { _ in await Task.yield() })
        _ = try locator.resolve(Part.self)
        _ = try other.resolve(Part.self)
        await locator.close()
        #expect(diary.take() == ["+a", "+b", "-a", "-b", "closed"])
    }

    // MARK: What others have

    @Test func `close leaves the instances of other locators in a scope`() async throws {
        let scope = Locator.Scope()
        let other = Locator()
        locator.register(part("a", .custom(Kept(scope: scope))))
        other.register(part("b", .custom(Kept(scope: scope))))
        _ = try locator.resolve(Part.self)
        let service = try other.resolve(Part.self)
        await locator.close()
        #expect(diary.take() == ["+a", "+b", "-a"])
        #expect(try other.resolve(Part.self) === service)
        await other.close()
        #expect(diary.take() == ["-b"])
    }

    @Test func `Closing a child leaves the instances of its ancestor`() async throws {
        let child = locator.child()
        locator.register(part("parent's", .perLocator), key: "parent's")
        child.register(part("child's", .perLocator(named: "closing")))
        _ = try child.resolve(Part.self)
        let service = try locator.resolve(Part.self, key: "parent's")
        await child.close()
        #expect(diary.take() == ["+child's", "+parent's", "-child's"])
        #expect(try locator.resolve(Part.self, key: "parent's") === service)
        await locator.close()
        #expect(diary.take() == ["-parent's"])
    }

    @Test func `Closing a child leaves the instances of its sibling`() async throws {
        locator.register(part("a", .perLocator))
        let (child, other) = (locator.child(), locator.child())
        // Read again and again, so that readers are led to it.
        for _ in 0..<3 { _ = try child.resolve(Part.self) }
        let service = try other.resolve(Part.self)
        await child.close()
        #expect(diary.take() == ["+a", "+a", "-a"])
        #expect(try other.resolve(Part.self) === service)
        await locator.close()
        #expect(diary.take() == ["-a"])
    }

    @Test func `Closing a child does not cancel creations of its ancestor`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        let child = locator.child()
        locator.register(
            .lazy(.anywhere) { [diary] in
                hasBegun.set()
                await mayGoOn.reached()
                try Task.checkCancellation()
                return Part("parent's", diary)
            }.lifetime(.perLocator),
            key: "parent's"
        )
        child.register(part("child's", .perLocator(named: "closing")))
        _ = try child.resolve(Part.self)
        async let service = locator.resolveAsync(Part.self, key: "parent's")
        await hasBegun.reached()
        await child.close()
        mayGoOn.set()
        #expect(try await service.name == "parent's")
    }
}
